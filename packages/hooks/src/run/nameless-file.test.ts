import {
  closeSync,
  existsSync,
  fstatSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNameless } from './nameless-file.js'

/** Reads from the position of the descriptor, as another process does, and closes it. */
function contentOf(fd: number | undefined): string {
  const read = Buffer.alloc(100)
  const length = readSync(fd!, read, 0, read.length, null)
  expect(fstatSync(fd!)).toMatchObject({ nlink: 0 })
  closeSync(fd!)
  return read.toString('utf8', 0, length)
}

const hasMemory = existsSync('/dev/shm')

describe('a file without a name', () => {
  it('holds any text, however it is split into pieces', () => {
    for (const character of ['x', 'é', '\u4e2d', '\u{1f600}', '\ud83d', '\ude00']) {
      for (const shift of ['', 'x', 'xx']) {
        const text = shift + character.repeat(100_000)
        const fd = openNameless(text, process.platform)!
        expect(readFileSync(fd).equals(Buffer.from(text))).toBe(true)
        closeSync(fd)
      }
    }
  })

  it.skipIf(!hasMemory)('is never one that was there before', () => {
    const name = `holdfast-${process.pid}-taken`
    const victim = join(tmpdir(), `${name}-victim`)
    symlinkSync(victim, join('/dev/shm', name))
    try {
      const open = () => openNameless('text', 'darwin', () => 'taken')
      expect([contentOf(open()), contentOf(open())]).toEqual(['text', 'text'])
      expect(existsSync(victim)).toBe(false)
    } finally {
      rmSync(join('/dev/shm', name))
      rmSync(victim, { force: true })
    }
  })

  it.skipIf(!hasMemory)('leaves a file alone that was there before', () => {
    const path = join('/dev/shm', `holdfast-${process.pid}-present`)
    writeFileSync(path, 'of somebody else')
    try {
      const open = () => openNameless('text', 'darwin', () => 'present')
      expect([contentOf(open()), contentOf(open())]).toEqual(['text', 'text'])
      expect(readFileSync(path, 'utf8')).toBe('of somebody else')
    } finally {
      rmSync(path, { force: true })
    }
  })
})
