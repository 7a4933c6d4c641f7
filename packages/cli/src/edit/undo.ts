// Undoes the last job: changed files get their old bytes, created files are removed. Files that were changed since
// stay.

import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../usage-error.js'
import { hashOf, type StoredJob, type WrittenFile } from './journal.js'
import { dropTemporary, replace } from './write.js'

export type Fate = 'removed' | 'restored' | 'gone' | 'changed'

export interface Undone {
  readonly file: WrittenFile
  readonly fate: Fate
}

/** The effect on each file. `gone`: the file is as it was before already. */
export const fatesOf = ({ entry }: StoredJob): Undone[] =>
  entry.files.map(file => ({ file, fate: fateOf(file) }))

function fateOf({ path, before, after }: WrittenFile): Fate {
  const now = hashAt(path)
  if (now === after) return before ? 'restored' : 'removed'
  const old = before ? hashOf(Buffer.from(before.base64, 'base64')) : undefined
  return now === old ? 'gone' : 'changed'
}

/** Returns the folders that stay because they hold something else. */
export function takeBack({ entry }: StoredJob, fates: readonly Undone[]): string[] {
  try {
    // The file that names the others comes first: a hook must not be named when its script is gone.
    for (const { file, fate } of [...fates].sort((a, b) => Number(b.file.holds) - Number(a.file.holds))) {
      if (fate === 'removed') rmSync(file.path)
      if (fate === 'restored') {
        replace(file.path, Buffer.from(file.before!.base64, 'base64'), file.before!.mode)
      }
    }
    for (const folder of new Set(fates.map(({ file }) => dirname(file.path)))) dropTemporary(folder)
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message}. Not everything could be undone. Correct that, then try again.`,
    )
  }
  return entry.folders.toReversed().filter(folder => !isRemoved(folder))
}

/** False if the folder holds something else. */
export function isRemoved(folder: string): boolean {
  dropCompiled(folder)
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Compiled files that Python wrote beside our modules. */
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
