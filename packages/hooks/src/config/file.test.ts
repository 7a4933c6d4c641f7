import { execFileSync } from 'node:child_process'
import fs, { appendFileSync, closeSync, constants, openSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readFile, readStamp, stampOf } from '../config/file.js'
import { cleanUp, sandbox } from '../discover/testing/sandbox.js'

cleanUp()

describe('a file that changes between the look at it and its opening', () => {
  const open = openSync
  const beforeOpen = vi.fn<(path: fs.PathLike, flags: fs.OpenMode) => void>()
  beforeEach(() => {
    fs.openSync = (path, flags, mode) => {
      beforeOpen(path, flags)
      return open(path, flags, mode)
    }
    syncBuiltinESMExports()
  })
  afterEach(() => {
    beforeOpen.mockReset()
    fs.openSync = open
    syncBuiltinESMExports()
  })

  test('is not read once it is a pipe, and its opening does not wait', () => {
    const file = sandbox().write('a.json', '{}')
    let writer: number | undefined
    beforeOpen.mockImplementationOnce((_, flags) => {
      expect(Number(flags) & constants.O_NONBLOCK).not.toBe(0)
      rmSync(file)
      execFileSync('mkfifo', [file])
      writer = open(file, constants.O_RDWR)
    })
    try {
      expect(readFile(file, 100)).toEqual({ kind: 'not-a-file', reason: 'it is a pipe' })
    } finally {
      closeSync(writer!)
    }
  })

  test('is too large once it has grown beyond the limit', () => {
    const file = sandbox().write('a.json', 'x'.repeat(100))
    expect(readFile(file, 100)).toMatchObject({ kind: 'read', bytes: Buffer.from('x'.repeat(100)) })
    beforeOpen.mockImplementationOnce(() => appendFileSync(file, 'x'))
    expect(readFile(file, 100)).toMatchObject({ kind: 'too-large' })
  })

  test('is not even opened when it was too large before', () => {
    const file = sandbox().write('a.json', 'x'.repeat(101))
    beforeOpen.mockClear()
    expect(readFile(file, 100)).toMatchObject({ kind: 'too-large' })
    expect(beforeOpen).not.toHaveBeenCalled()
  })
})

test('a file with a time in the future is not read again at each event', () => {
  const old = BigInt(Date.now() - 60_000) * 1_000_000n + 1n
  const stats = { size: 1n, ino: 1n, ctimeNs: old, mtimeNs: old + 10n ** 18n } as never
  expect(readStamp(stats)).toBe(stampOf(stats))
})
