// Changes of the disk survive a power cut: data and folder entries are synced, in the right order.

import { randomUUID } from 'node:crypto'
import fs, {
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDisk, UNFINISHED } from './disk.js'

const { fsyncSync, renameSync, writeSync } = fs
const inodeOf = (path: string) => lstatSync(path).ino

let folder: string
let count = 0
const disk = openDisk({ platform: process.platform, random: () => `${++count}` })
const at = (name: string) => join(folder, name)
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const bytes = Buffer.from('content')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
})
afterEach(() => {
  Object.assign(fs, { fsyncSync, renameSync, writeSync })
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true, force: true })
})

type Call = `sync ${number}` | 'rename'

/** The syncs, by inode, and the renames of a change, in their order. */
function callsOf(change: () => void): Call[] {
  const calls: Call[] = []
  Object.assign(fs, {
    fsyncSync: (fd: number) => {
      calls.push(`sync ${fstatSync(fd).ino}`)
      fsyncSync(fd)
    },
    renameSync: (from: string, to: string) => {
      calls.push('rename')
      renameSync(from, to)
    },
  })
  syncBuiltinESMExports()
  change()
  return calls
}

describe.runIf(process.platform !== 'win32')('syncs', () => {
  it('a new file', () => {
    const calls = callsOf(() => disk.create(at('file'), bytes, 0o400))
    expect(calls).toEqual([`sync ${inodeOf(at('file'))}`])
  })

  it('a replaced file before its rename, and its folder after it', () => {
    writeFileSync(at('file'), 'before')
    const calls = callsOf(() => disk.replace(at('file'), bytes, 0o600))
    expect(calls).toEqual([`sync ${inodeOf(at('file'))}`, 'rename', `sync ${inodeOf(folder)}`])
    expect(readFileSync(at('file'), 'utf8')).toBe('content')
  })

  it('an appended line', () => {
    writeFileSync(at('file'), 'before ')
    const calls = callsOf(() => disk.append(at('file'), bytes))
    expect(calls).toEqual([`sync ${inodeOf(at('file'))}`])
    expect(readFileSync(at('file'), 'utf8')).toBe('before content')
  })

  it('the parent of each new folder, and of no other', () => {
    const calls = callsOf(() => disk.folder(at('outer/inner')))
    expect(calls).toEqual([`sync ${inodeOf(folder)}`, `sync ${inodeOf(at('outer'))}`])
    expect(callsOf(() => disk.folder(at('outer/inner')))).toEqual([])
  })

  it('the folder of a link, after the link is in place', () => {
    mkdirSync(at('target'))
    const calls = callsOf(() => disk.link(at('link'), 'target'))
    expect(calls).toEqual(['rename', `sync ${inodeOf(folder)}`])
    expect(readlinkSync(at('link'))).toBe('target')
  })

  it('a folder on request', () => {
    expect(callsOf(() => disk.sync(folder))).toEqual([`sync ${inodeOf(folder)}`])
  })
})

describe('writes', () => {
  it.each([
    ['create', () => disk.create(at('file'), bytes, 0o600)],
    ['replace', () => disk.replace(at('file'), bytes, 0o600)],
    ['append', () => disk.append(at('file'), bytes)],
  ])('%s writes all bytes when the system takes only some at a time', (_, change) => {
    Object.assign(fs, {
      writeSync: (fd: number, from: Uint8Array, offset: number) => writeSync(fd, from, offset, 1),
    })
    syncBuiltinESMExports()
    change()
    expect(readFileSync(at('file'), 'utf8')).toBe('content')
  })

  it('a new file never over an existing one', () => {
    writeFileSync(at('file'), 'before')
    expect(() => disk.create(at('file'), bytes, 0o600)).toThrow('EEXIST')
    expect(readFileSync(at('file'), 'utf8')).toBe('before')
  })

  it.runIf(process.platform !== 'win32')('nothing through a link', () => {
    writeFileSync(at('elsewhere'), 'before')
    symlinkSync(at('elsewhere'), at('link'))
    expect(() => disk.append(at('link'), bytes)).toThrow('ELOOP')
    expect(() => disk.create(at('link'), bytes, 0o600)).toThrow('EEXIST')
    disk.replace(at('link'), bytes, 0o600)
    expect(readFileSync(at('elsewhere'), 'utf8')).toBe('before')
    expect(lstatSync(at('link')).isFile()).toBe(true)
  })

  it('no temporary file when a replacement fails', () => {
    const failing = openDisk({
      platform: process.platform,
      random: randomUUID,
      onStep: step => {
        if (step.startsWith('move')) throw new Error('no space left')
      },
    })
    expect(() => failing.replace(at('file'), bytes, 0o600)).toThrow('no space left')
    expect(readdirSync(folder)).toEqual([])
  })

  it('a file in the place of a folder', () => {
    mkdirSync(at('taken'))
    writeFileSync(at('taken/file'), '')
    disk.replace(at('taken'), bytes, 0o600)
    expect(readFileSync(at('taken'))).toEqual(Buffer.from(bytes))
    expect(readdirSync(folder)).toEqual(['taken'])
  })

  it('a folder in the place of a link aside, under a name that is cleaned up', () => {
    mkdirSync(at('link'))
    disk.link(at('link'), 'target')
    expect(readlinkSync(at('link'))).toBe('target')
    const names = readdirSync(folder).filter(name => name !== 'link')
    expect(names).toEqual([expect.stringMatching(`^${UNFINISHED.replace('.', '\\.')}`)])
  })
})

describe.runIf(process.platform !== 'win32')('modes', () => {
  it('hold whatever the umask is', () => {
    disk.create(at('script'), bytes, 0o777)
    disk.replace(at('open'), bytes, 0o666)
    disk.append(at('log'), bytes)
    expect([at('script'), at('open'), at('log')].map(modeOf)).toEqual(['777', '666', '600'])
  })

  it('of an existing folder are narrowed to its owner', () => {
    mkdirSync(at('open'))
    fs.chmodSync(at('open'), 0o755)
    disk.folder(at('open'))
    disk.folder(at('new'))
    expect([at('open'), at('new')].map(modeOf)).toEqual(['700', '700'])
  })

  it('and replaces a file or a link by a folder, without touching what the link leads to', () => {
    writeFileSync(at('file'), '')
    mkdirSync(at('target'))
    writeFileSync(at('target/kept'), '')
    symlinkSync(at('target'), at('link'))
    for (const name of ['file', 'link']) {
      disk.folder(at(name))
      expect(lstatSync(at(name)).isDirectory()).toBe(true)
      expect(readdirSync(at(name))).toEqual([])
    }
    expect(readdirSync(at('target'))).toEqual(['kept'])
  })
})
