// Writes a list of changes: all of them, or none. Each file is replaced in one step, so nobody ever reads half of it.

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Change } from './change.js'

/** The folders that have to be made, outermost first. */
export function missingFolders(changes: readonly Change[]): string[] {
  const missing = new Set<string>()
  for (const { path } of changes) {
    const above: string[] = []
    for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) above.unshift(folder)
    for (const folder of above) missing.add(folder)
  }
  return [...missing]
}

/** Throws what went wrong after everything is as it was. */
export function writeAll(changes: readonly Change[], folders: readonly string[]): void {
  const done: Change[] = []
  const made: string[] = []
  try {
    for (const folder of folders) {
      mkdirSync(folder)
      made.push(folder)
    }
    for (const change of changes) {
      replace(change.path, change.after, change.mode)
      done.push(change)
    }
  } catch (error) {
    for (const { path, before } of done.toReversed()) {
      if (before) replace(path, before.bytes, before.mode)
      else rmSync(path, { force: true })
    }
    for (const folder of made.toReversed()) rmdirSync(folder)
    throw error
  }
}

export function replace(path: string, bytes: Buffer, mode: number): void {
  const temporary = join(dirname(path), `.holdfast-${randomBytes(6).toString('hex')}.tmp`)
  const before = statSync(path, { throwIfNoEntry: false })
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', mode })
    // What the umask took away from the mode of an existing file comes back.
    if (before) {
      chmodSync(temporary, mode)
      keepOwner(temporary, before)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** An administrator who edits somebody's file leaves it theirs. */
function keepOwner(file: string, { uid, gid }: { uid: number; gid: number }): void {
  try {
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) chownSync(file, uid, gid)
  } catch {
    // only an administrator can
  }
}
