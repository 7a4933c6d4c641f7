// A folder for what must not be lost or read by others, with those above it.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** One by one: asked for all at once, Node never comes back from a place where none can be made, such as /proc. */
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
