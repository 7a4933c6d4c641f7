// Runs the completion as an editor would, with the hooks of another example.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { itInAll } from '../../tests/scope.js'
import { PROGRAM } from '../../tests/warm/warm.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let base: string
let project: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-tab-')))
  project = join(base, 'project')
  for (const name of ['home', 'bin']) mkdirSync(join(base, name))
  // The guards of the other example find the built command.
  const command = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`
  writeFileSync(join(base, 'bin/holdfast'), command, { mode: 0o755 })
  cpSync(at('../redact-secrets/.cursor'), join(project, '.cursor'), { recursive: true })
  writeFileSync(join(project, 'a.js'), 'const x = tot\n')
  writeFileSync(join(project, 'b.js'), 'const totalPrice = 1\n')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const complete = (...args: string[]) =>
  spawnSync(process.execPath, [at('complete.mjs'), ...args], {
    cwd: project,
    encoding: 'utf8',
    env: {
      PATH: `${join(base, 'bin')}${delimiter}${process.env.PATH}`,
      HOME: join(base, 'home'),
      TRUST_ALL: '1',
    },
  })

it('completes from files that hooks let it see', () => {
  const { status, stdout } = complete('a.js', '1', '14')
  expect(`${status} ${stdout}`).toBe('0 tot → totalPrice\n')
  expect(readFileSync(join(project, 'a.js'), 'utf8')).toBe('const x = totalPrice\n')
})

it('does without a file that hooks keep back', () => {
  rmSync(join(project, 'b.js'))
  writeFileSync(join(project, '.env'), 'totalSecret=1\n')
  const { stdout } = complete('a.js', '1', '14')
  expect(stdout).toMatch(/^without \.env: File reading was blocked by a hook/)
  expect(stdout).toContain('nothing to complete')
  expect(readFileSync(join(project, 'a.js'), 'utf8')).toBe('const x = tot\n')
})

it('tells hooks of what it changed when the file has it', () => {
  const hooks = { afterTabFileEdit: [{ command: 'cat a.js > seen.txt' }] }
  writeFileSync(join(project, '.cursor/hooks.json'), JSON.stringify({ version: 1, hooks }))
  complete('a.js', '1', '14')
  expect(readFileSync(join(project, 'seen.txt'), 'utf8')).toBe('const x = totalPrice\n')
})

const complains = (args: readonly string[], words: string) => {
  const { status, stderr } = complete(...args)
  expect(status).toBe(1)
  expect(stderr).toContain(words)
  expect(stderr.trim().split('\n')).toHaveLength(1)
}

it.each([
  [['a.js', 'x', '1'], 'usage: node complete.mjs <file> <line> <column>'],
  [['.', '1', '1'], '. is not a file.'],
  [['a.js', '1', '99'], 'a.js has no line 1, column 99.'],
])('reports the wrong call %j', complains)

itInAll.each([
  [['a.js'], 'usage: node complete.mjs'],
  [['a.js', '1', '0'], 'usage: node complete.mjs'],
  [['none.js', '1', '1'], 'none.js is not a file.'],
  [['a.js', '9', '1'], 'a.js has no line 9, column 1.'],
])('reports the wrong call %j', complains)
