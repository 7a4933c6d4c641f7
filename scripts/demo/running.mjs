// One demonstration at a time for each folder: a second one would build under the first and share its database.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Marks the folder as in use by this process. Returns the function that frees it. */
export function takeFolder(folder) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'running')
  const other = Number(read(file))
  if (other !== process.pid && isAlive(other))
    throw new Error(
      `The demonstration is running already, in process ${other}. Stop it there with Ctrl-C first.`,
    )
  writeFileSync(file, String(process.pid))
  return () => rmSync(file, { force: true })
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
