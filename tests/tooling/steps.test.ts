// The build steps are skipped only when nothing that they depend on has changed.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const steps = fileURLToPath(new URL('../../scripts/steps.mjs', import.meta.url))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-steps-'))
  // The script takes the folder above its own for the repository.
  mkdirSync(join(folder, 'scripts'))
  cpSync(steps, join(folder, 'scripts/steps.mjs'))
  write(
    'scripts/try.mjs',
    `import { stepUnlessUnchanged } from './steps.mjs'
     import { writeFileSync } from 'node:fs'
     const how = { inputs: ['src'], outputs: ['out'], ignore: path => path.endsWith('.test.ts') }
     await stepUnlessUnchanged('a step', how, async () => {
       if (process.argv[2] === 'fail') throw new Error('stopped halfway')
       writeFileSync(new URL('../out', import.meta.url), '')
     })`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Whether the step ran. */
function runs(...args: string[]): boolean {
  const { stdout } = spawnSync(process.execPath, [join(folder, 'scripts/try.mjs'), ...args], {
    encoding: 'utf8',
  })
  return stdout.includes('a step')
}

beforeEach(() => {
  for (const path of ['src', 'out', 'node_modules'])
    rmSync(join(folder, path), { recursive: true, force: true })
  write('src/a.ts', 'one')
  write('src/deep/b.ts', 'two')
  expect(runs()).toBe(true)
})

it('skips a step whose inputs are the same', () => {
  expect(runs()).toBe(false)
})

it.each<[string, () => void]>([
  ['a changed file', () => write('src/deep/b.ts', 'three')],
  ['a new file', () => write('src/c.ts', '')],
  ['a removed file', () => rmSync(join(folder, 'src/a.ts'))],
  [
    'text that moved from one file to the next',
    () => {
      write('src/a.ts', 'onetw')
      write('src/deep/b.ts', 'o')
    },
  ],
  ['a missing output', () => rmSync(join(folder, 'out'))],
])('repeats a step after %s', (_, change) => {
  change()
  expect(runs()).toBe(true)
  expect(runs()).toBe(false)
})

it.each(['src/a.test.ts', 'src/node_modules/x/index.js', 'src/dist/a.js'])('ignores a change of %s', path => {
  write(path, 'new')
  expect(runs()).toBe(false)
})

it('repeats a step that failed halfway', () => {
  write('src/a.ts', 'changed')
  expect(runs('fail')).toBe(true)
  expect(runs()).toBe(true)
  // Also if the inputs are those of an earlier success again.
  write('src/a.ts', 'one')
  expect(runs('fail')).toBe(true)
  expect(runs()).toBe(true)
})
