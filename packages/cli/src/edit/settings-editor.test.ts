// Updates of a settings file keep one record, which leads back to the file before the first of them.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fileAt } from './change.js'
import { originOf, planFile, recordsOf, takeOut, update } from './settings-editor.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-settings-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

function place(name: string, text?: string) {
  const path = join(base, name, 'deep', 'settings.json')
  if (text !== undefined) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return { path, target: { journal: join(base, name, 'journal'), journalMode: 0o700 } }
}

type Place = ReturnType<typeof place>

const records = ({ path, target }: Place) => recordsOf(target, 'install', path)

function set({ path, target }: Place, text: string) {
  const now = fileAt(path)
  const earlier = recordsOf(target, 'install', path)
  const origin = originOf(earlier, path, now)
  const { change } = planFile(path, '', () => ({ text, edits: [] }))
  update(target, 'install', [change!], path, earlier, origin === undefined ? (now ?? null) : origin)
}

function restore({ path, target }: Place) {
  const found = recordsOf(target, 'install', path)
  const now = fileAt(path)
  return takeOut(target, found, { path, now, after: originOf(found, path, now) ?? null })
}

it('restores the file before the first of several updates', () => {
  const one = place('several', '{ "mine": 1 } // as I wrote it\n')
  set(one, '{ "a": 1 }')
  set(one, '{ "b": 1 }')
  expect(records(one)).toHaveLength(1)
  restore(one)
  expect(readFileSync(one.path, 'utf8')).toBe('{ "mine": 1 } // as I wrote it\n')
  expect(existsSync(one.target.journal)).toBe(false)
})

it('removes the file and the folders that it created, also after an update', () => {
  const one = place('created')
  mkdirSync(join(base, 'created'))
  set(one, '{ "a": 1 }')
  set(one, '{ "b": 1 }')
  expect(restore(one)).toEqual([])
  expect(existsSync(join(base, 'created', 'deep'))).toBe(false)
})

it('keeps a created folder that holds something else, and returns it', () => {
  const one = place('shared')
  mkdirSync(join(base, 'shared'))
  set(one, '{}')
  writeFileSync(join(dirname(one.path), 'other.txt'), '')
  expect(restore(one)).toEqual([dirname(one.path)])
})

it('has no origin for a file that was changed since', () => {
  const one = place('changed', '{}')
  set(one, '{ "a": 1 }')
  writeFileSync(one.path, '{ "a": 1, "mine": true }')
  expect(originOf(records(one), one.path, fileAt(one.path))).toBeUndefined()
})

it('writes nothing over a file that was saved after the plan was made', () => {
  const one = place('raced', '{}')
  const { change } = planFile(one.path, '', () => ({ text: '{ "a": 1 }', edits: [] }))
  writeFileSync(one.path, '{ "saved": true }')
  expect(() => update(one.target, 'install', [change!], one.path, [], change!.before)).toThrow(
    'was changed meanwhile',
  )
  expect(readFileSync(one.path, 'utf8')).toBe('{ "saved": true }')
  expect(records(one)).toEqual([])
})
