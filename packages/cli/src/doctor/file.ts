// The file that a canary names is there while the hook runs, and gone afterwards: a hook that formats what was edited
// must find something, and must not find a file of the person's.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { CANARY, FILE_TEXT } from './canary.js'

export async function withFile<T>(path: string | undefined, work: () => Promise<T>): Promise<T> {
  if (path === undefined || !basename(path).startsWith(CANARY)) return work()
  const isOurs = create(path)
  const remove = () => {
    try {
      rmSync(path, { force: true })
    } catch {
      // the hook made something else of it, and that is not ours
    }
  }
  if (isOurs) process.once('exit', remove)
  try {
    return await work()
  } finally {
    if (isOurs) {
      process.off('exit', remove)
      remove()
    }
  }
}

/** False when it is there already, or cannot be: then the canary goes without. */
function create(path: string): boolean {
  try {
    writeFileSync(path, FILE_TEXT, { flag: 'wx' })
    return true
  } catch {
    return isLeftBehind(path)
  }
}

/** By a doctor that was killed. */
function isLeftBehind(path: string): boolean {
  try {
    return readFileSync(path, 'utf8') === FILE_TEXT
  } catch {
    return false
  }
}
