// Reading what may have been put there by anybody: never through a link, never more than is wanted, never a throw.

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** A plain file of at most so many bytes, not through a link; undefined if there is none. */
export function readPlain(path: string, most: number): Buffer | undefined {
  let fd: number
  try {
    // A pipe in the place of the file must not hold us up until somebody writes to it.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
  try {
    const stats = fstatSync(fd)
    return stats.isFile() && stats.size <= most ? readFileSync(fd) : undefined
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
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

/** None if it cannot be listed. */
export function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
