// The end of a run of tests names what passed only on a later try.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-tries-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What is printed by a run of these tests, each of which may be tried three times. */
function printed(tests: string): string {
  writeFileSync(join(folder, 'some.test.js'), tests)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = ['run', '--globals', '--retry=2', '--root', folder]
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/tries.mjs')}`]
  const { stdout } = spawnSync(process.execPath, [vitest, ...args, ...reporters], { encoding: 'utf8' })
  return stdout
}

it('tells which, and of how many tries', () => {
  const text = printed(`
    let late = 0
    let later = 0
    describe('a page', () => {
      it('is late', () => expect(++late).toBe(2))
      it('is later', () => expect(++later).toBe(3))
      it('is there', () => {})
      it('never comes', () => expect(1).toBe(2))
    })`)
  expect(text).toMatch(/3 passed/)
  expect(text.split('needed another try')).toHaveLength(2)
  expect(text.trimEnd().endsWith(LATE)).toBe(true)
})

const LATE = `
  2 tests needed another try:
    some.test.js > a page > is late, 2 tries
    some.test.js > a page > is later, 3 tries`

it('says nothing where all passed at once', () => {
  const text = printed(`it('is there', () => {})`)
  expect(text).toContain('1 passed')
  expect(text).not.toContain('another try')
})
