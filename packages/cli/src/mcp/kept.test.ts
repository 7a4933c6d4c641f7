import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readKept, writeKept } from './kept.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-kept-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const entry = { before: '{"env":{"TOKEN":"hunter2"}}', after: '{}' }

it('keeps the entries of each settings file for the user alone', () => {
  writeKept(home, '/a/mcp.json', new Map([['db', entry]]))
  writeKept(home, '/b/mcp.json', new Map([['files', entry]]))
  expect([...readKept(home, '/a/mcp.json')]).toEqual([['db', entry]])
  expect([...readKept(home, '/b/mcp.json')]).toEqual([['files', entry]])
  expect(readKept(home, '/c/mcp.json').size).toBe(0)
  const folder = join(home, '.holdfast/mcp')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const files = readdirSync(folder)
  expect(files).toHaveLength(2)
  for (const name of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

it('removes the file with its last entry', () => {
  writeKept(home, '/a/mcp.json', new Map([['db', entry]]))
  const [name] = readdirSync(join(home, '.holdfast/mcp'))
  writeKept(home, '/a/mcp.json', new Map())
  expect(existsSync(join(home, '.holdfast/mcp', name!))).toBe(false)
})

it('takes only entries that have both texts, and none from a file that cannot be read', () => {
  writeKept(home, '/a/mcp.json', new Map([['db', entry]]))
  const file = join(home, '.holdfast/mcp', readdirSync(join(home, '.holdfast/mcp'))[0]!)
  const servers = { db: entry, a: { before: '{}' }, b: { after: '{}' }, c: { before: 1, after: '' }, d: null }
  writeFileSync(file, JSON.stringify({ servers }))
  expect([...readKept(home, '/a/mcp.json').keys()]).toEqual(['db'])
  for (const text of ['', '{', 'null', '{"servers":null}']) {
    writeFileSync(file, text)
    expect(readKept(home, '/a/mcp.json').size, text).toBe(0)
  }
})
