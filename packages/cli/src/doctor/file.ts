// Creates the file that a canary names while the hook runs: a hook that formats edited files must find one, and must
// not change a file of the user.

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
      // the hook replaced it with something else, which stays
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

/** False when it exists already or cannot be created: then the canary runs without it. */
function create(path: string): boolean {
  try {
    writeFileSync(path, FILE_TEXT, { flag: 'wx' })
    return true
  } catch {
    return isLeftBehind(path)
  }
}

/** By an earlier run that was killed. */
function isLeftBehind(path: string): boolean {
  try {
    return readFileSync(path, 'utf8') === FILE_TEXT
  } catch {
    return false
  }
}
