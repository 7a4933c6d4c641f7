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

const bytes = Buffer.from('text')

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
  it.skipIf(!hasMemory)('is never one that was there before', () => {
    const name = `holdfast-${process.pid}-taken`
    const victim = join(tmpdir(), `${name}-victim`)
    symlinkSync(victim, join('/dev/shm', name))
    try {
      const open = () => openNameless(bytes, 'darwin', () => 'taken')
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
      const open = () => openNameless(bytes, 'darwin', () => 'present')
      expect([contentOf(open()), contentOf(open())]).toEqual(['text', 'text'])
      expect(readFileSync(path, 'utf8')).toBe('of somebody else')
    } finally {
      rmSync(path, { force: true })
    }
  })
})
