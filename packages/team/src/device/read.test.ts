// Files of unknown origin are read only if they are regular, within the limit, and not behind a link.

import { execFileSync } from 'node:child_process'
import fs, { constants, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFolder, listFolder, readJson, readPlain } from '@holdfast/hooks/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const { openSync } = fs
let folder: string
const at = (name: string) => join(folder, name)
const put = (name: string, text: string) => {
  writeFileSync(at(name), text)
  return at(name)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-read-'))
})
afterEach(() => {
  Object.assign(fs, { openSync })
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true, force: true })
})

describe('a plain file', () => {
  it('is read up to the limit, and not beyond it', () => {
    const file = put('file', 'four')
    expect(readPlain(file, 4)?.toString()).toBe('four')
    expect(readPlain(file, 3)).toBeUndefined()
    expect(readJson(put('json', '{"a":1}'), 7)).toEqual({ a: 1 })
    expect(readJson(at('json'), 6)).toBeUndefined()
  })

  it('is neither missing nor a folder', () => {
    mkdirSync(at('folder'))
    expect(readPlain(at('folder'), 1e9)).toBeUndefined()
    expect(readPlain(at('missing'), 1e9)).toBeUndefined()
  })

  it.runIf(process.platform !== 'win32')('is not a link, even to a plain file', () => {
    symlinkSync(put('file', 'four'), at('link'))
    expect(readPlain(at('link'), 4)).toBeUndefined()
    expect(isFolder(at('link'))).toBe(false)
    symlinkSync(folder, at('folder-link'))
    expect(isFolder(at('folder-link'))).toBe(false)
    expect(isFolder(folder)).toBe(true)
  })

  it.runIf(process.platform !== 'win32')('is not a pipe, and a pipe does not block the reader', () => {
    execFileSync('mkfifo', [at('pipe')])
    const opened: number[] = []
    Object.assign(fs, {
      openSync: (path: string, flags: number) => {
        opened.push(flags)
        // Always without blocking, so that a reader that would block fails the test instead of stopping it.
        return openSync(path, flags | constants.O_NONBLOCK)
      },
    })
    syncBuiltinESMExports()
    expect(readPlain(at('pipe'), 1e9)).toBeUndefined()
    expect(opened).toEqual([])
    // A file may be replaced by a pipe or a link before it is opened.
    expect(readPlain(put('file', 'x'), 1e9)).toEqual(Buffer.from('x'))
    expect(opened).toEqual([constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK])
  })
})

it.each(['', '{', '[]', '1', 'null', '"text"'])('%j is no JSON object', text => {
  expect(readJson(put('file', text))).toBeUndefined()
})

it('a folder that cannot be listed has no entries', () => {
  put('file', '')
  expect(listFolder(folder)).toEqual(['file'])
  expect(listFolder(at('file'))).toEqual([])
})
