import { closeSync, fstatSync, readFileSync, readSync, writeSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openInput } from './input.js'

const small = { command: 'ls' }
const large = { command: 'x'.repeat(300_000) }
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

let opened: number[] = []
beforeEach(() => {
  opened = []
})
afterEach(() => {
  for (const fd of opened) closeSync(fd)
})

function open(input: ReturnType<typeof openInput>, rank = 1): number {
  const fd = input.open(rank)
  expect(fd).toBeDefined()
  opened.push(fd!)
  return fd!
}
const contentOf = (fd: number) => {
  const bytes = Buffer.alloc(fstatSync(fd).size)
  // From the position of the descriptor, as a hook reads it.
  for (let at = 0; at < bytes.length; ) at += readSync(fd, bytes, at, bytes.length - at, null)
  return bytes
}

describe('the payload as a file', () => {
  it.each(['linux', 'darwin'] as const)('has no name and is private on %s', platform => {
    for (const payload of [small, large]) {
      const input = openInput(payload, platform)
      // The first call may take a file that was opened before; the second one opens its own.
      for (const fd of [open(input, 1), open(input, 2)]) {
        expect(fstatSync(fd)).toMatchObject({ nlink: 0 })
        expect(fstatSync(fd).mode & 0o777).toBe(0o600)
        expect(contentOf(fd).equals(json(payload))).toBe(true)
      }
      input.close()
    }
  })

  it.skipIf(process.platform !== 'linux')('is shared by hooks of one source only, and then read-only', () => {
    const input = openInput(large, 'linux')
    const [one, two, other] = [open(input, 1), open(input, 1), open(input, 2)]
    expect(fstatSync(two).ino).toBe(fstatSync(one).ino)
    expect(fstatSync(other).ino).not.toBe(fstatSync(one).ino)
    for (const fd of [one, two, other]) {
      expect(() => writeSync(fd, 'x', 0)).toThrow('EBADF')
      expect(readFileSync(fd).equals(json(large))).toBe(true)
    }
    input.close()
  })

  it('is a pipe on Windows', () => {
    const input = openInput(small, 'win32')
    expect(input.open(1)).toBeUndefined()
    expect(input.text).toBe(JSON.stringify(small))
  })
})
