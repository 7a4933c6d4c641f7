// Reads files that any program of the user may have written: never through a link, never more than expected, without
// throwing.

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs'

export type PlainFile =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly stats: BigIntStats }
  | { readonly kind: 'absent' }
  /** A link, a folder, a pipe, or more bytes than expected. */
  | { readonly kind: 'unexpected' }
  /** It may be in order, and the system did not let us see. */
  | { readonly kind: 'unreadable'; readonly code: string }

/** A plain file of at most `most` bytes, not through a link. */
export function openPlain(path: string, most: number): PlainFile {
  let fd: number
  try {
    // Without O_NONBLOCK, opening a pipe waits until some program writes to it.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return problemOf(error)
  }
  try {
    const stats = fstatSync(fd, { bigint: true })
    if (!stats.isFile() || stats.size > most) return { kind: 'unexpected' }
    return { kind: 'read', bytes: readFileSync(fd), stats }
  } catch (error) {
    return problemOf(error)
  } finally {
    closeSync(fd)
  }
}

function problemOf(error: unknown): PlainFile {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
  // What open() answers for a link, for a socket, and for a device without a driver.
  return ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(code)
    ? { kind: 'unexpected' }
    : { kind: 'unreadable', code }
}

/** The bytes of such a file; undefined if there is none, for whatever reason. */
export function readPlain(path: string, most: number): Buffer | undefined {
  const file = openPlain(path, most)
  return file.kind === 'read' ? file.bytes : undefined
}

export function readJson(path: string, most = 4 * 1024 * 1024): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readPlain(path, most)?.toString('utf8') ?? 'null')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

export const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Empty if it cannot be listed. */
export function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
