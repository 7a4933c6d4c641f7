import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { canaryFile, FILE_TEXT } from './canary.js'
import { withFile } from './file.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-canary-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = canaryFile(folder)

it('the file of a canary is there while the hook runs', async () => {
  expect(await withFile(path, async () => readFileSync(path, 'utf8'))).toBe(FILE_TEXT)
  expect(existsSync(path)).toBe(false)
})

it('a file that was there stays', async () => {
  writeFileSync(path, 'mine')
  await withFile(path, async () => {})
  expect(readFileSync(path, 'utf8')).toBe('mine')
  rmSync(path)
})

it('a file that a killed doctor left behind goes', async () => {
  writeFileSync(path, FILE_TEXT)
  await withFile(path, async () => {})
  expect(existsSync(path)).toBe(false)
})

it('what a hook makes of it is not ours', async () => {
  await withFile(path, async () => {
    rmSync(path)
    mkdirSync(path)
  })
  expect(statSync(path).isDirectory()).toBe(true)
})
