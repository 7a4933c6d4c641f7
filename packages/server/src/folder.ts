// A folder for private, durable files, with its parents.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** One by one: a recursive mkdir of Node never ends in places such as /proc. */
export function makeFolder(folder: string): void {
  const there = statSync(folder, { throwIfNoEntry: false })
  if (there?.isDirectory()) return
  if (there) throw new Error(`${folder} is not a folder`)
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
