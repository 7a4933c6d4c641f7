// The last lines of a test run, from a real vitest with tests that fail in every way.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInAll } from '../scope.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-report-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write(
    'failing.test.mjs',
    `describe('prices', () => {
       it("aren't $1.00 [yet]", () => expect(1).toBe(2))
       it('are numbers', () => expect(1).toBe(1))
       it.each(Array.from({ length: 40 }, (_, n) => n))('number %i', () => expect(1).toBe(2))
     })
     describe('a group', () => {
       beforeAll(() => { throw new Error('no set-up') })
       it('is never run', () => {})
     })`,
  )
  write('broken.test.mjs', `throw new Error('cannot be loaded')`)
  write('passing.test.mjs', `it('passes', () => {}); it.skip('waits', () => {})`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function vitest(...args: string[]) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--globals', '--root', folder, '--reporter=default', '--maxWorkers=1', '--no-isolate'],
      `--reporter=${join(root, 'scripts/test-report.mjs')}`,
      ...args,
    ],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', VITEST: '' } },
  )
  return { status, lines: stdout.trimEnd().split('\n') }
}

it('ends with the failing tests, a command for one of them, and the counts', () => {
  const { status, lines } = vitest()
  const end = lines.slice(-30).join('\n')
  expect(status).toBe(1)
  expect(end).toContain("failing.test.mjs > prices > aren't $1.00 [yet]\n")
  expect(end).toContain('more\n')
  expect(end).toContain(`  npm test -- `)
  expect(lines.at(-1)).toBe('2 passed, 43 failed, 2 skipped')
})

itInAll('names a file that cannot be loaded and a group whose set-up failed', () => {
  const end = vitest('broken', 'failing', '-t', 'a group').lines.slice(-30).join('\n')
  expect(end).toContain('broken.test.mjs: an error outside of its tests')
  expect(end).toContain('failing.test.mjs: an error outside of its tests')
})

itInAll('prints a command that runs the named test alone, whatever its title holds', () => {
  const { lines } = vitest('failing', '-t', 'yet')
  const command = lines.find(line => line.startsWith('  npm test -- '))!
  const args = spawnSync('sh', ['-c', `printf '%s\\n' ${command.replace('  npm test -- ', '')}`], {
    encoding: 'utf8',
  })
  const alone = vitest(...args.stdout.trimEnd().split('\n'))
  expect(alone.lines.at(-1)).toMatch(/^0 passed, 1 failed, \d+ skipped$/)
})

it('fails when no test was executed', () => {
  const { status, lines } = vitest('passing', '-t', 'no such test')
  expect(status).toBe(1)
  expect(lines.slice(-3).join('\n')).toContain('No test was executed.')
  expect(vitest('passing')).toMatchObject({ status: 0 })
})
