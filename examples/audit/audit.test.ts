// What the cases cannot cover: many processes at once, and arbitrary bytes.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anyText } from '../../tests/any-text.js'
import { runsEverything } from '../../tests/scope.js'

const RUNS = runsEverything ? 60 : 15
const script = fileURLToPath(new URL('.cursor/hooks/audit.sh', import.meta.url))

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'))
  file = join(folder, 'deep', 'audit.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const env = () => ({ PATH: process.env.PATH, HOME: folder, HOOKS_AUDIT_FILE: file })
const entries = () =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

function add(payload: string | Buffer): void {
  const { stdout, status, stderr } = spawnSync(script, { input: payload, env: env(), encoding: 'utf8' })
  expect([status, stdout, stderr]).toEqual([0, '{}\n', ''])
}

test('lines of many processes do not mix', { timeout: 60_000 }, async () => {
  const one = (index: number) =>
    new Promise<void>(resolve => {
      const child = spawn(script, { env: env(), stdio: ['pipe', 'ignore', 'ignore'] })
      child.on('close', () => resolve())
      const command = `${index} ${'x'.repeat(1900)}`
      const roots = Array.from({ length: 30 }, (_, k) => `/root-${index}-${k}`)
      child.stdin.end(
        JSON.stringify({
          hook_event_name: 'stop',
          command,
          cwd: command,
          file_path: command,
          workspace_roots: roots,
        }),
      )
    })
  await Promise.all(Array.from({ length: 60 }, (_, index) => one(index)))
  const numbers = entries().map(({ payload }) => Number.parseInt(payload.command, 10))
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index))
})

test('any payload becomes one line of JSON, with the fields that may be copied', { timeout: 60_000 }, () => {
  const payload = fc.record({
    hook_event_name: fc.constantFrom('stop', 'beforeShellExecution'),
    command: anyText({ maxLength: 60 }),
    file_path: anyText({ maxLength: 60 }),
    prompt: fc.string({ maxLength: 60 }),
    loop_count: fc.integer(),
    other: fc.jsonValue({ maxDepth: 3 }),
  })
  fc.assert(
    fc.property(payload, given => {
      rmSync(file, { force: true })
      add(JSON.stringify(given))
      const [entry, ...more] = entries()
      expect(more).toEqual([])
      expect(entry.event).toBe(given.hook_event_name)
      expect(entry.payload.file_path).toBe(given.file_path)
      expect(entry.payload.loop_count).toBe(given.loop_count)
      expect(entry.payload.prompt).toMatch(/^\[\d+ bytes\]$/)
    }),
    { numRuns: RUNS },
  )
})

test('any bytes become one line of JSON', { timeout: 60_000 }, () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes)),
    fc.stringMatching(/^[{}[\]",:\\a1 ]{0,40}$/).map(text => Buffer.from(text)),
    fc.json().map(text => Buffer.from(text.slice(0, -1))),
  )
  fc.assert(
    fc.property(text, bytes => {
      rmSync(file, { force: true })
      add(bytes)
      expect(entries()).toHaveLength(1)
    }),
    { numRuns: RUNS },
  )
})

/** The output is cut after 2,000 characters; an escape takes up to six. */
const LENGTHS = runsEverything ? Array.from({ length: 12 }, (_, index) => 1990 + index) : [1994, 1999, 2000]

test('a long command is cut, not inside an escape', () => {
  for (const tail of ['"', '\\', 'é', '\u0001', '\n']) {
    for (const length of LENGTHS) add(JSON.stringify({ command: 'x'.repeat(length) + tail.repeat(20) }))
  }
  for (const { payload } of entries()) expect(payload.command).toMatch(/^x{1990,2000}.*\[cut\]$/s)
})

test('a large payload takes seconds', () => {
  const rows = runsEverything ? 12_500_000 : 2_500_000
  add(JSON.stringify({ hook_event_name: 'afterShellExecution', output: '"\n'.repeat(rows) }))
  expect(entries()[0]).toMatchObject({ event: 'afterShellExecution', bytes: 'more than 4000000' })
})

test('only this person can read the file', () => {
  add('{}')
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('without a variable it is in the home folder', () => {
  spawnSync(script, { input: '{}', env: { PATH: process.env.PATH, HOME: folder } })
  expect(existsSync(join(folder, '.cursor', 'audit.jsonl'))).toBe(true)
})
