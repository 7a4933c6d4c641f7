// Reads files that any program may have put there: a path may lead to a folder, to a pipe without a writer, or nowhere.
// The stamp of a file shows without reading whether it is still the one that was read.

import { isUtf8 } from 'node:buffer'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'

export type ReadResult =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly stats: BigIntStats }
  | { readonly kind: 'absent' }
  | { readonly kind: 'not-a-file'; readonly reason: string }
  | { readonly kind: 'too-large'; readonly stats: BigIntStats }
  /** The file may be valid. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Never throws, and never waits: the kind of file is checked before it is opened, and again afterwards. */
export function readFile(path: string, limit: number, follow: 'links' | 'no-links' = 'links'): ReadResult {
  try {
    const stat = follow === 'links' ? statSync : lstatSync
    const before = stat(path, { bigint: true, throwIfNoEntry: false })
    storeReading(path, before)
    if (!before) return { kind: 'absent' }
    if (!before.isFile()) return { kind: 'not-a-file', reason: kindOf(before) }
    if (before.size > limit) return { kind: 'too-large', stats: before }
    const links = follow === 'links' ? 0 : (constants.O_NOFOLLOW ?? 0)
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | links)
    try {
      const stats = fstatSync(fd, { bigint: true })
      storeReading(path, stats)
      if (!stats.isFile()) return { kind: 'not-a-file', reason: kindOf(stats) }
      const bytes = readUpTo(fd, Number(stats.size), limit)
      return bytes ? { kind: 'read', bytes, stats } : { kind: 'too-large', stats }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    // What open() returns for a link, a socket, and a device without a driver.
    const isFile = !['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(code)
    return { kind: isFile ? 'unreadable' : 'not-a-file', reason: reasonOf(error) }
  }
}

/** Asks for one byte more than expected, to notice a file that grows meanwhile. */
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

/** The error of a system call in words. */
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

function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'it is a folder'
  if (stats.isSymbolicLink()) return 'it is a link'
  if (stats.isFIFO()) return 'it is a pipe'
  return stats.isSocket() ? 'it is a socket' : 'it is a device'
}

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

/** The first bytes of a file, as text; empty if they cannot be read. */
export function readStart(path: string, bytes = 512): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const start = Buffer.alloc(bytes)
      return start.toString('utf8', 0, readSync(fd, start))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

/** The stamp of a path without a file. */
export const NO_FILE = 'absent'

export const stampOf = (stats: BigIntStats): string =>
  `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`

/**
 * The stamp of a file that is about to be read. A file that changed a moment ago could change again without a new stamp,
 * because file systems count time in steps. Its stamp then equals no current one, so that it is read again until it is
 * old enough.
 */
export const readStamp = (stats: BigIntStats | undefined): string => {
  if (!stats) return NO_FILE
  const now = BigInt(Date.now()) * 1_000_000n
  const isYoung = [stats.ctimeNs, stats.mtimeNs].some(time => {
    const step = time % 1_000_000_000n === 0n ? COARSE_STEP_NS : STEP_NS
    const age = now - time
    // A time far in the future was set by a program, and would make the file young for years.
    return age < step && age > -step
  })
  return isYoung ? `${YOUNG}${stampOf(stats)}` : stampOf(stats)
}

const YOUNG = 'young '

/** Without the mark of a young file, for the end of the process, when nothing can be read again. */
export const ageless = (stamp: string): string =>
  stamp.startsWith(YOUNG) ? stamp.slice(YOUNG.length) : stamp

/** Twice the clock tick of common kernels; some file systems count in seconds, or in pairs of them. */
const STEP_NS = 20_000_000n
const COARSE_STEP_NS = 3_000_000_000n

const statWith =
  (stat: typeof statSync | typeof lstatSync) =>
  (path: string): BigIntStats | undefined => {
    try {
      return stat(path, { bigint: true, throwIfNoEntry: false })
    } catch {
      return undefined
    }
  }

/** Undefined if nothing is there, or nothing that can be examined. */
export const statOf = statWith(statSync)
/** The same without following a link. */
export const lstatOf = statWith(lstatSync)

/** A link to a folder is not one. */
export const isFolder = (path: string): boolean => lstatOf(path)?.isDirectory() ?? false

export const currentStamp = (path: string): string => {
  const stats = statOf(path)
  return stats ? stampOf(stats) : NO_FILE
}

// A file can change between being read and being watched. Every reading stores its stamp here, and a watcher compares
// with that stamp instead of the one at its own start.
const whenRead = new Map<string, string>()
const MOST_READINGS = 20_000

export const storeStamp = (path: string, stamp: string): void => {
  whenRead.delete(path)
  whenRead.set(path, stamp)
  if (whenRead.size > MOST_READINGS) whenRead.delete(whenRead.keys().next().value!)
}

export const storeReading = (path: string, stats: BigIntStats | undefined): void =>
  storeStamp(path, stats ? stampOf(stats) : NO_FILE)

/** The same reading under another path: a link that may lead elsewhere by now. */
export const storeReadingAs = (path: string, read: string): void =>
  storeStamp(path, whenRead.get(read) ?? NO_FILE)

export const stampWhenRead = (path: string): string => whenRead.get(path) ?? currentStamp(path)

/** Empty if it cannot be listed. */
export function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Whether the path is below the folder, by its text alone. */
export const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The path with all links followed; as it is if that fails. */
export const realPath = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
