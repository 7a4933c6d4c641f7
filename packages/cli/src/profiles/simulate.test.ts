// Trust while an event is fired in other versions, with real hooks and a real trust file.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import type { ProfileName } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { WORKSPACE } from '../option-sections.js'
import { type Workspace, workspaceOf } from '../workspace.js'
import { simulate } from './simulate.js'

let folder: string
let workspace: Workspace

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-simulate-')))
  put('.cursor/hooks.json', '{"version":1,"hooks":{"beforeShellExecution":[{"command":"./hooks/guard.sh"}]}}')
  put('hooks/guard.sh', `#!/bin/sh\ncat > /dev/null\ntouch '${folder}/ran-guard'\n`)
  workspace = workspaceOf(
    parse('fire', ['--root', join(folder, 'root'), '--home', join(folder, 'home')], WORKSPACE.options),
  )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(path: string, text: string) {
  const file = join(folder, 'root', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

async function trustAll() {
  const hooks = await openHooks(workspace.host)
  const trusted = await hooks.trust(
    hooks.catalog().layers.flatMap(layer => layer.hooks.map(({ fingerprint }) => fingerprint)),
  )
  hooks.close()
  expect(trusted).toHaveLength(1)
}

async function fireIn(profile: ProfileName) {
  const firing = {
    event: 'beforeShellExecution',
    fields: { command: 'ls' },
    workspace,
    host: {},
    signal: new AbortController().signal,
  } as const
  const [{ plan }] = (await simulate(firing, [profile], () => {})) as [
    Awaited<ReturnType<typeof simulate>>[0],
  ]
  return { runs: plan.hooks.length, skipped: plan.skipped.map(({ reason }) => reason) }
}
const hasRun = (name: string) => existsSync(join(folder, `ran-${name}`))

it('starts no hook that is not trusted, in any version', async () => {
  for (const profile of ['holdfast', 'cursor-3', 'cursor-1.7'] as const)
    expect(await fireIn(profile), profile).toEqual({ runs: 0, skipped: ['untrusted'] })
  expect(hasRun('guard')).toBe(false)
})

it('starts a trusted hook, also in a version that looks elsewhere and finds nothing there', async () => {
  await trustAll()
  expect(await fireIn('holdfast')).toEqual({ runs: 1, skipped: [] })
  expect(hasRun('guard')).toBe(true)
  expect(await fireIn('cursor-1.7')).toEqual({ runs: 1, skipped: [] })
})

it('does not start another script that a version finds elsewhere', async () => {
  await trustAll()
  put('.cursor/hooks/guard.sh', `#!/bin/sh\ntouch '${folder}/ran-other'\n`)
  expect(await fireIn('cursor-1.7')).toEqual({ runs: 0, skipped: ['untrusted'] })
  expect(hasRun('other')).toBe(false)
})
