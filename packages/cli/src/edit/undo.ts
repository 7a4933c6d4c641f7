// Takes the last job back: what was changed gets its old bytes, what was created goes. What somebody has changed
// since is theirs and stays.

import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Complaint } from '../complaint.js'
import { hashOf, type Stored, type WrittenFile } from './journal.js'
import { dropTemporary, replace } from './write.js'

export type Fate = 'removed' | 'restored' | 'gone' | 'changed'

export interface Undone {
  readonly file: WrittenFile
  readonly fate: Fate
}

/** What would happen to each file. `gone` is as it was already. */
export const fatesOf = ({ entry }: Stored): Undone[] =>
  entry.files.map(file => ({ file, fate: fateOf(file) }))

function fateOf({ path, before, after }: WrittenFile): Fate {
  const now = hashAt(path)
  if (now === after) return before ? 'restored' : 'removed'
  const old = before ? hashOf(Buffer.from(before.base64, 'base64')) : undefined
  return now === old ? 'gone' : 'changed'
}

/** The folders that could not go, because something else lies in them. */
export function takeBack({ entry }: Stored, fates: readonly Undone[]): string[] {
  try {
    // What names the others goes first: a hook must not be named when its script is gone.
    for (const { file, fate } of [...fates].sort((a, b) => Number(b.file.holds) - Number(a.file.holds))) {
      if (fate === 'removed') rmSync(file.path)
      if (fate === 'restored') {
        replace(file.path, Buffer.from(file.before!.base64, 'base64'), file.before!.mode)
      }
    }
    for (const folder of new Set(fates.map(({ file }) => dirname(file.path)))) dropTemporary(folder)
  } catch (error) {
    throw new Complaint(
      `${(error as Error).message}. Not everything could be undone; mend that, then try again.`,
    )
  }
  return entry.folders.toReversed().filter(folder => !isRemoved(folder))
}

/** False when something else lies in it. */
export function isRemoved(folder: string): boolean {
  dropCompiled(folder)
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** What Python keeps beside modules that were ours. */
function dropCompiled(folder: string): void {
  const cache = join(folder, '__pycache__')
  try {
    if (!lstatSync(cache).isDirectory() || !readdirSync(cache).every(name => name.endsWith('.pyc'))) return
    rmSync(cache, { recursive: true })
  } catch {
    // there is none
  }
}

function hashAt(path: string): string | undefined {
  try {
    return hashOf(readFileSync(path))
  } catch {
    return undefined
  }
}
