// One file as it is and as it shall be. Nothing here writes.

import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Complaint } from '../complaint.js'

export interface Before {
  readonly bytes: Buffer
  readonly mode: number
}

export interface Change {
  /** Where it is written: links are followed. */
  readonly path: string
  /** Null when there is no such file. */
  readonly before: Before | null
  readonly after: Buffer
  readonly mode: number
}

/** Scripts say with their first two letters that they can be started. */
export const modeFor = (bytes: Buffer): number => (bytes.subarray(0, 2).toString() === '#!' ? 0o755 : 0o644)

export const creation = (path: string, text: string | Buffer): Change => {
  const after = Buffer.from(text)
  return { path, before: null, after, mode: modeFor(after) }
}

/** Undefined when there is nothing at this path. */
export function fileAt(path: string): Before | undefined {
  const stats = lookedAt(path, statSync)
  if (!stats) return undefined
  if (!stats.isFile()) throw new Complaint(`${path} is not a file. Move it away, then try again.`)
  try {
    return { bytes: readFileSync(path), mode: stats.mode & 0o7777 }
  } catch (error) {
    throw new Complaint(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** Where a write to this path ends up. A link to a file that is not there yet leads to that file, too. */
export function targetOf(path: string): string {
  let at = path
  for (let step = 0; step < 40; step++) {
    const stats = lookedAt(at, lstatSync)
    if (!stats?.isSymbolicLink()) return stats ? realpathSync(at) : at
    at = resolve(dirname(at), readlinkSync(at))
  }
  throw new Complaint(`${path} is a link that leads in a circle. Remove it, then try again.`)
}

/** Above it there may be a file, or a link in a circle, where a folder should be. */
function lookedAt(path: string, look: typeof statSync | typeof lstatSync) {
  try {
    return look(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new Complaint(
      `${path} cannot be reached: ${(error as Error).message}. Mend that, then try again. Nothing was written.`,
    )
  }
}

/** The text, if writing it again would give the same bytes. */
export function textOf({ bytes }: Before, path: string): string {
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw new Complaint(`${path} is not UTF-8. Save it as UTF-8, then try again. Nothing was written.`)
}
