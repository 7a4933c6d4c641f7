// A file's bytes, carefully: what stands at a path may be a folder, a pipe that never ends, or nothing.

import { isUtf8 } from 'node:buffer'
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { rememberReading } from './stamps.js'

export type ReadProblem =
  | { readonly kind: 'absent' }
  | { readonly kind: 'not-a-file'; readonly reason: string }
  | { readonly kind: 'too-large'; readonly stats: BigIntStats }
  | { readonly kind: 'unreadable'; readonly reason: string }

export type ReadResult =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly stats: BigIntStats }
  | ReadProblem

/** Never waits: the kind of file is looked at before it is opened, and again once it is. */
export function readFile(path: string, limit: number): ReadResult {
  try {
    const before = statSync(path, { bigint: true, throwIfNoEntry: false })
    rememberReading(path, before)
    if (!before) return { kind: 'absent' }
    if (!before.isFile()) return { kind: 'not-a-file', reason: whatItIs(before) }
    if (before.size > limit) return { kind: 'too-large', stats: before }
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(fd, { bigint: true })
      rememberReading(path, stats)
      if (!stats.isFile()) return { kind: 'not-a-file', reason: whatItIs(stats) }
      const bytes = readUpTo(fd, Number(stats.size), limit)
      return bytes ? { kind: 'read', bytes, stats } : { kind: 'too-large', stats }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'unreadable', reason: reasonOf(error) }
  }
}

/** One byte more than expected is asked for, so that a file that grows meanwhile is noticed. */
function readUpTo(fd: number, expected: number, limit: number): Buffer | undefined {
  let buffer = Buffer.allocUnsafe(Math.min(expected, limit) + 1)
  let length = 0
  for (;;) {
    const count = readSync(fd, buffer, length, buffer.length - length, null)
    if (count === 0) return buffer.subarray(0, length)
    length += count
    if (length > limit) return undefined
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length + 1024)])
  }
}

/** What the system says, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? message : (REASONS[code] ?? code)
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
}

const whatItIs = (stats: BigIntStats) =>
  stats.isDirectory()
    ? 'it is a folder'
    : stats.isFIFO()
      ? 'it is a pipe'
      : stats.isSocket()
        ? 'it is a socket'
        : 'it is a device'

export type Decoded =
  | { readonly ok: true; readonly text: string; readonly bom: boolean }
  | { readonly ok: false; readonly reason: string }

export function decode(bytes: Buffer): Decoded {
  if (!isUtf8(bytes)) {
    const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    return { ok: false, reason: wide ? 'The file is UTF-16, not UTF-8.' : 'The file is not UTF-8 text.' }
  }
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return { ok: true, text: bytes.toString('utf8', bom ? 3 : 0), bom }
}

/** The text of a file; undefined if it is absent, too large, no file or not UTF-8. */
export function readText(path: string, limit: number): string | undefined {
  const result = readFile(path, limit)
  const decoded = result.kind === 'read' ? decode(result.bytes) : undefined
  return decoded?.ok ? decoded.text : undefined
}
