// Every example as the build completes it: its hooks.json and its cases. By default a covering set of the cases runs;
// `npm run test:all` runs every case.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { itInAll, runsEverything } from '../scope.js'
import { examples, folderOf, openRunner, tested, writeFewCases } from './example-folders.js'

const { base, run, outcome } = openRunner()

describe('examples', () => {
  it('are all in the list', () => {
    expect(tested.length).toBeGreaterThan(12)
    const list = readFileSync(join(root, 'examples/README.md'), 'utf8')
    expect(examples.filter(name => !list.includes(`(${name}/README.md)`))).toEqual([])
  })
})

describe.each(tested)('%s', name => {
  const folder = folderOf(name)
  const home = join(base, name)

  // By default examples-installed.test.ts checks the same files.
  itInAll('has no problems', () => {
    const { status, stdout, stderr } = run(folder, home, 'check', '--json', '--trust-all', '--home', home)
    expect(`${status} ${stderr}`).toBe('0 ')
    expect((JSON.parse(stdout) as { issues: unknown[] }).issues).toEqual([])
    expect(existsSync(join(folder, 'README.md'))).toBe(true)
  })

  it('passes its cases', () => {
    const files = runsEverything ? [] : writeFewCases(join(folder, '.cursor'), join(home, 'few'))
    expect(files.length > 0).toBe(!runsEverything)
    expect(outcome(folder, home, 'test', ...files)).toBe('ok')
  })

  it('can be read as JSON by any editor', () => {
    const text = readFileSync(join(folder, '.cursor/hooks.json'), 'utf8')
    expect(() => JSON.parse(text) as unknown).not.toThrow()
  })
})
