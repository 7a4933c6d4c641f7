// One writer at a time, among processes: a file that only one of them can create, and what is written while it is there.

import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const PATIENCE_MS = 10_000
/** Who holds the lock touches it each second; who has not for this long has died. */
const STALE_MS = 3000

/** Writes a file anew in one step, for this person only, while every other writer waits. Nothing is left half-made. */
export async function rewrite(file: string, make: () => string | Promise<string>): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unlock = await lock(`${file}.lock`)
  const half = temporaryName(file)
  try {
    writeFileSync(half, await make(), { mode: 0o600, flag: 'wx' })
    renameSync(half, file)
  } finally {
    rmSync(half, { force: true })
    unlock()
  }
}

/** Gives back the function that opens it again. */
async function lock(file: string): Promise<() => void> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      const ours = temporaryName('')
      writeFileSync(file, ours, { flag: 'wx', mode: 0o600 })
      const alive = setInterval(() => touch(file), 1000).unref()
      return () => {
        clearInterval(alive)
        if (holder(file) === ours) rmSync(file, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || Date.now() > until) throw error
    }
    if (isStale(file)) takeAway(file)
    await new Promise(resolve => setTimeout(resolve, 5 + Math.random() * 10))
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // taken away: whoever comes next finds its own
  }
}

/** Who took it away from us has put its own there, which is not ours to remove. */
function holder(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const isStale = (file: string): boolean => {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS
}

/** Of two who find a stale lock one may come late and catch the other's new one; it is then put back. */
function takeAway(file: string) {
  const away = temporaryName(file)
  try {
    renameSync(file, away)
    if (!isStale(away)) linkSync(away, file)
  } catch {
    // somebody else was faster
  }
  rmSync(away, { force: true })
}

/** A name beside the file that nobody else uses. */
const temporaryName = (file: string) => `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`
