// Writes a list of changes: all of them, or none. Each file is replaced in one step, so readers never see half of it.

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

/** The folders that are missing, outermost first. */
export function missingFolders(changes: readonly Pick<Change, 'path'>[]): string[] {
  const missing = new Set<string>()
  for (const { path } of changes) {
    const above: string[] = []
    for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) above.unshift(folder)
    for (const folder of above) missing.add(folder)
  }
  return [...missing]
}

/** Restores everything before it throws. */
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

/**
 * False if the folder exists by now. One by one, because a recursive mkdir of Node never ends in places such as /proc.
 */
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

/** The file may have been saved in an editor since the plan was shown. */
function mustBeAsRead({ path, before }: Change): void {
  if (!readFileSync(path).equals(before!.bytes)) {
    throw new Error(`${path} was changed meanwhile; try again`)
  }
}

/** Another program may have put something into it by now. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error
  }
}

const temporaryName = () => `.holdfast-${randomBytes(6).toString('hex')}.tmp`

/** Temporary files of a job that was killed. */
export function dropTemporary(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (/^\.holdfast-[0-9a-f]{12}\.tmp$/.test(name)) rmSync(join(folder, name), { force: true })
  }
}

/** With `over` false, an existing file stays, even if it was created a moment ago. */
export function replace(path: string, bytes: Buffer, mode: number, over = true): void {
  const temporary = join(dirname(path), temporaryName())
  const before = statSync(path, { throwIfNoEntry: false })
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', mode })
    // Restores the mode bits that the umask removed.
    if (before) {
      chmodSync(temporary, mode)
      keepOwner(temporary, before)
    }
    if (!over && lstatSync(path, { throwIfNoEntry: false })) {
      throw new Error(`${path} was created meanwhile; try again`)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A file that an administrator edits keeps its owner. */
function keepOwner(file: string, { uid, gid }: { uid: number; gid: number }): void {
  try {
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) chownSync(file, uid, gid)
  } catch {
    // only an administrator can change the owner
  }
}
