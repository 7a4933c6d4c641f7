// Writes a list of changes: all of them, or none. Each file is replaced in one step, so nobody ever reads half of it.

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Change } from './change.js'

/** The folders that have to be made, outermost first. */
export function missingFolders(changes: readonly Pick<Change, 'path'>[]): string[] {
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
    for (const folder of folders) if (isMade(folder)) made.push(folder)
    for (const change of changes) {
      if (change.before) mustBeAsRead(change)
      replace(change.path, change.after, change.mode, change.before !== null)
      done.push(change)
    }
  } catch (error) {
    for (const { path, before } of done.toReversed()) {
      if (before) replace(path, before.bytes, before.mode)
      else rmSync(path, { force: true })
    }
    for (const folder of made.toReversed()) removeEmpty(folder)
    throw error
  }
}

/** False when somebody was faster. One by one: in places such as /proc a recursive mkdir of Node never ends. */
export function isMade(folder: string, mode = 0o777): boolean {
  try {
    mkdirSync(folder, { mode })
    return true
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    if (isThere && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false
    throw error
  }
}

/** A person may have thought about the plan for minutes, and saved the file in an editor. */
function mustBeAsRead({ path, before }: Change): void {
  if (!readFileSync(path).equals(before!.bytes)) {
    throw new Error(`${path} was changed meanwhile; try again`)
  }
}

/** Somebody else may have put something into it by now. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error
  }
}

const temporaryName = () => `.holdfast-${randomBytes(6).toString('hex')}.tmp`

/** What a job that was killed left of its last write. */
export function dropTemporary(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (/^\.holdfast-[0-9a-f]{12}\.tmp$/.test(name)) rmSync(join(folder, name), { force: true })
  }
}

/** With `over` false, what is there already stays, even if it came a moment ago. */
export function replace(path: string, bytes: Buffer, mode: number, over = true): void {
  const temporary = join(dirname(path), temporaryName())
  const before = statSync(path, { throwIfNoEntry: false })
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', mode })
    // What the umask took away from the mode of an existing file comes back.
    if (before) {
      chmodSync(temporary, mode)
      keepOwner(temporary, before)
    }
    if (!over && lstatSync(path, { throwIfNoEntry: false })) {
      throw new Error(`${path} was made meanwhile; try again`)
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
