// Keeps temporary files of the tests in memory if the machine has enough. Servers, devices and logs sync every
// change, so tests would mostly wait for the disk.

import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHARED = '/dev/shm'
const LEAST_FREE = 2 * 1024 ** 3

/** In containers it is often small, or mounted noexec. */
function isUsable(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < LEAST_FREE) return false
    const own = mkdtempSync(join(folder, 'holdfast-try-'))
    try {
      const script = join(own, 'script')
      writeFileSync(script, '#!/bin/sh\n')
      chmodSync(script, 0o700)
      accessSync(script, constants.X_OK)
      return true
    } finally {
      rmSync(own, { recursive: true })
    }
  } catch {
    return false
  }
}

const IN_MEMORY: string = process.platform === 'linux' && isUsable(SHARED) ? SHARED : tmpdir()

const PREFIX = 'holdfast-tests-'

/** A folder for all temporary files of a run, which is removed when this process ends. */
export function folderOfRun(): string {
  removeAbandoned()
  const folder = mkdtempSync(join(IN_MEMORY, `${PREFIX}${process.pid}-`))
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Killed runs could not remove their folders. */
function removeAbandoned(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (pid > 0 && !isRunning(pid)) rmSync(join(IN_MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
