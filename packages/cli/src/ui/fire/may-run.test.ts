// Real hooks of real files: as the page showed them, as they are planned, and as they are started a moment later.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Hooks, memoryTrustStore, openHooks } from '@holdfast/hooks'
import type { HookDefinition, ProfileName } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../hooks/seen.js'
import { hooksOf } from '../panel.js'
import { onlyWhatWasSeen } from './may-run.js'

let folder: string
const opened: Hooks[] = []

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-may-run-')))
  configure({ command: 'hooks/guard.sh' }, { command: 'hooks/other.sh', matcher: 'never' })
  put('root/hooks/guard.sh', '#!/bin/sh\n')
  put('root/hooks/other.sh', '#!/bin/sh\n')
})
afterEach(() => {
  for (const hooks of opened.splice(0)) hooks.close()
  rmSync(folder, { recursive: true, force: true })
})

function put(path: string, text: string) {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

const configure = (...beforeShellExecution: readonly object[]) =>
  put('root/.cursor/hooks.json', JSON.stringify({ version: 1, hooks: { beforeShellExecution } }))

async function open(profile: ProfileName = 'holdfast') {
  const hooks = await openHooks({
    workspaceRoots: [join(folder, 'root')],
    home: join(folder, 'home'),
    enterpriseDir: join(folder, 'enterprise'),
    profile,
    trust: memoryTrustStore(),
    log: { file: null },
  })
  opened.push(hooks)
  await hooks.trust(hooksOf(hooks.catalog()))
  return {
    all: hooksOf(hooks.catalog()),
    plan: await hooks.explain('beforeShellExecution', { command: 'git status' } as never),
  }
}

const seenOf = (hooks: readonly HookDefinition[]) =>
  hooks.map(hook => ({ id: hook.id, fingerprint: fingerprintOf(hook) }))

describe('the plan', () => {
  it('may hold what was shown', async () => {
    const { all, plan } = await open()
    expect(plan.hooks.map(({ hook }) => hook.command)).toEqual(['hooks/guard.sh'])
    expect(() => onlyWhatWasSeen(seenOf(all), all, 'root').plan(plan)).not.toThrow()
  })

  it('may not hold a hook that was not shown, or that is no longer configured', async () => {
    const { all, plan } = await open()
    const words = 'guard.sh would also run'
    expect(() => onlyWhatWasSeen([], all, 'root').plan(plan)).toThrow(words)
    expect(() => onlyWhatWasSeen(seenOf(all.slice(1)), all, 'root').plan(plan)).toThrow(words)
    expect(() => onlyWhatWasSeen(seenOf(all), all.slice(1), 'root').plan(plan)).toThrow(words)
  })

  it('may not hold a hook that was shown with another fingerprint', async () => {
    const { all, plan } = await open()
    const [guard, ...rest] = seenOf(all)
    for (const fingerprint of ['', guard!.fingerprint.slice(0, -1), `${guard!.fingerprint}0`]) {
      const mayRun = onlyWhatWasSeen([{ ...guard!, fingerprint }, ...rest], all, 'root')
      expect(() => mayRun.plan(plan), fingerprint).toThrow('guard.sh changed since it was shown')
    }
  })

  it('may not hold a hook that changed between the look at the files and the plan', async () => {
    const before = await open()
    put('root/hooks/guard.sh', '#!/bin/sh\necho changed\n')
    const after = await open()
    for (const [shown, current, planned] of [
      [before, before, after],
      [before, after, before],
      [after, before, after],
    ] as const) {
      expect(() => onlyWhatWasSeen(seenOf(shown.all), current.all, 'root').plan(planned.plan)).toThrow(
        'guard.sh changed since it was shown',
      )
    }
  })

  it('of a version that looks for scripts elsewhere may hold those that find nothing else', async () => {
    const { all } = await open()
    const seen = seenOf(all)
    const missing = await open('cursor-1.7')
    expect(missing.plan.hooks).toHaveLength(2)
    expect(() => onlyWhatWasSeen(seen, all, 'root').plan(missing.plan)).not.toThrow()
    put('root/.cursor/hooks/guard.sh', '#!/bin/sh\necho another script\n')
    const found = await open('cursor-1.7')
    expect(() => onlyWhatWasSeen(seen, all, 'root').plan(found.plan)).toThrow(
      'guard.sh changed since it was shown',
    )
  })
})

describe('the hooks that are started after the plan', () => {
  const planned = async () => {
    const { all, plan } = await open()
    const mayRun = onlyWhatWasSeen(seenOf(all), all, 'root')
    mayRun.plan(plan)
    return { all, mayRun }
  }

  it('may be those of the plan, started or skipped', async () => {
    const { all, mayRun } = await planned()
    expect(all).toHaveLength(2)
    expect(() => mayRun.hooks(all)).not.toThrow()
  })

  it('may not include one that was added since', async () => {
    const { mayRun } = await planned()
    configure(
      { command: 'hooks/guard.sh' },
      { command: 'hooks/other.sh', matcher: 'never' },
      { command: 'id' },
    )
    const { all } = await open()
    expect(all).toHaveLength(3)
    expect(() => mayRun.hooks(all)).toThrow('What is configured changed since it was shown')
  })

  it.each([
    ['script', () => put('root/hooks/guard.sh', '#!/bin/sh\necho changed\n')],
    ['command', () => configure({ command: 'hooks/guard.sh --more' })],
  ])('may not include one whose %s changed since', async (_, change) => {
    const { mayRun } = await planned()
    change()
    expect(() => mayRun.hooks([])).not.toThrow()
    const { all } = await open()
    expect(() => mayRun.hooks(all)).toThrow('guard.sh changed since it was shown')
  })

  it('may be none without a plan', async () => {
    const { all } = await open()
    const mayRun = onlyWhatWasSeen(seenOf(all), all, 'root')
    expect(() => mayRun.hooks(all)).toThrow('What is configured changed since it was shown')
  })
})
