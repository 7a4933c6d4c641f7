// One file, before and after a change. Nothing here writes.

import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../usage-error.js'

export interface Before {
  readonly bytes: Buffer
  readonly mode: number
}

export interface Change {
  /** Where it is written, behind all links. */
  readonly path: string
  /** Null if there is no such file. */
  readonly before: Before | null
  readonly after: Buffer
  readonly mode: number
}

/** A file that starts with #! is executable. */
export const modeFor = (bytes: Buffer): number => (bytes.subarray(0, 2).toString() === '#!' ? 0o755 : 0o644)

export const creation = (path: string, text: string | Buffer): Change => {
  const after = Buffer.from(text)
  return { path, before: null, after, mode: modeFor(after) }
}

/** Undefined if there is nothing at this path. */
export function fileAt(path: string): Before | undefined {
  const stats = lookedAt(path, statSync)
  if (!stats) return undefined
  if (!stats.isFile()) throw new UsageError(`${path} is not a file. Move it away, then try again.`)
  try {
    return { bytes: readFileSync(path), mode: stats.mode & 0o7777 }
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** Where a write to this path ends up. A link to a missing file leads to that file. */
export function targetOf(path: string): string {
  let at = path
  for (let step = 0; step < 40; step++) {
    const stats = lookedAt(at, lstatSync)
    if (!stats?.isSymbolicLink()) return stats ? realpathSync(at) : at
    at = resolve(dirname(at), readlinkSync(at))
  }
  throw new UsageError(`${path} is a circular link. Remove it, then try again.`)
}

/** A parent may be a file or a circular link. */
function lookedAt(path: string, look: typeof statSync | typeof lstatSync) {
  try {
    return look(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new UsageError(
      `${path} cannot be reached: ${(error as Error).message}. Correct that, then try again. Nothing was written.`,
    )
  }
}

/** The text, if encoding it again gives the same bytes. */
export function textOf({ bytes }: Before, path: string): string {
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw new UsageError(`${path} is not UTF-8. Save it as UTF-8, then try again. Nothing was written.`)
}
