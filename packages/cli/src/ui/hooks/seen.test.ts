// The fingerprint that a page names when it trusts or fires a hook.

import { mkdirSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fingerprintOf } from './seen.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-seen-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hook = (changes: Partial<HookDefinition> = {}): HookDefinition => ({
  id: 'user:hooks.json:hooks.stop[0]',
  source: 'user',
  rank: 0,
  mode: 'enforce',
  event: 'stop',
  type: 'command',
  name: 'guard',
  command: 'guard',
  matcher: { kind: 'all' },
  timeoutMs: 1000,
  failClosed: true,
  loopLimit: null,
  dialect: 'native',
  file: '/hooks.json',
  line: 1,
  column: 1,
  path: 'hooks.stop[0]',
  cwd: '/',
  root: '/',
  scripts: [],
  covered: [],
  fingerprint: '',
  trusted: true,
  ...changes,
})

const matching = (text: string) => ({ kind: 'invalid', text }) as HookDefinition['matcher']
const scriptAt = (path: string) => ({ path, stamp: '' }) as HookDefinition['scripts'][number]

it('is the one of the engine where there is one', () => {
  expect(fingerprintOf(hook({ fingerprint: 'f' }))).toBe('f')
})

it.each([
  ['event', { event: 'beforeShellExecution' }],
  ['type', { type: 'prompt' }],
  ['command', { command: 'guard --strict' }],
  ['prompt', { prompt: 'Is this safe?' }],
  ['model', { model: 'small' }],
  ['matcher', { matcher: matching('git') }],
  ['time limit', { timeoutMs: 2000 }],
  ['failure policy', { failClosed: false }],
  ['folder', { cwd: '/tmp' }],
  ['scripts', { scripts: [scriptAt('/nowhere/a.sh')] }],
] as const)('differs by %s', (_, changes) => {
  const other = fingerprintOf(hook(changes))
  expect(other).toMatch(/^[0-9a-f]{64}$/)
  expect(other).not.toBe(fingerprintOf(hook()))
})

it('differs by the text of a matcher and by the path of a script', () => {
  expect(fingerprintOf(hook({ matcher: matching('git') }))).not.toBe(
    fingerprintOf(hook({ matcher: matching('rm') })),
  )
  expect(fingerprintOf(hook({ scripts: [scriptAt('/nowhere/a.sh')] }))).not.toBe(
    fingerprintOf(hook({ scripts: [scriptAt('/nowhere/b.sh')] })),
  )
})

it('differs by the bytes of every script, and by what is there instead of one', () => {
  const [first, second] = [join(folder, 'first.sh'), join(folder, 'second.sh')]
  const now = () => fingerprintOf(hook({ scripts: [scriptAt(first), scriptAt(second)] }))
  writeFileSync(first, 'a')
  writeFileSync(second, 'a')
  const seen = [now()]
  writeFileSync(second, 'b')
  seen.push(now())
  rmSync(second)
  seen.push(now())
  mkdirSync(second)
  seen.push(now())
  writeFileSync(first, 'b')
  seen.push(now())
  expect(new Set(seen).size).toBe(5)
  writeFileSync(first, 'a')
  expect(now()).toBe(seen[3])
})

it('of a script of more than 8 MiB differs by its size and time', () => {
  const large = join(folder, 'large')
  const now = () => fingerprintOf(hook({ scripts: [scriptAt(large)] }))
  writeFileSync(large, '')
  truncateSync(large, 9 * 1024 * 1024)
  utimesSync(large, 1, 1)
  const before = now()
  expect(now()).toBe(before)
  utimesSync(large, 2, 2)
  const touched = now()
  expect(touched).not.toBe(before)
  truncateSync(large, 10 * 1024 * 1024)
  utimesSync(large, 2, 2)
  expect(now()).not.toBe(touched)
})
