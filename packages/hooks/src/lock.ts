// A lock between processes: a file that only one of them can create. Files are replaced while it exists.

import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const LONGEST_WAIT_MS = 10_000
/** The owner touches the lock every second. A lock that is older belongs to a process that ended. */
const STALE_MS = 3000

/** Replaces a file in one step, readable for its owner only, while other writers wait. */
export async function rewrite(file: string, make: () => string | Promise<string>): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unlock = await lock(`${file}.lock`)
  const half = temporaryName(file)
  try {
    removeTemporary(file)
    writeFileSync(half, await make(), { mode: 0o600, flag: 'wx' })
    renameSync(half, file)
  } finally {
    rmSync(half, { force: true })
    unlock()
  }
}

/** Returns the function that releases the lock. */
async function lock(file: string): Promise<() => void> {
  const until = Date.now() + LONGEST_WAIT_MS
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
    if (isStale(file)) removeStale(file)
    await new Promise(resolve => setTimeout(resolve, 5 + Math.random() * 10))
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // another process removed the lock as stale
  }
}

/** Another process may have replaced the lock by its own. */
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

/** Of two processes that find a stale lock, the later may move the new lock of the other; it puts it back. */
function removeStale(file: string) {
  const away = temporaryName(file)
  try {
    renameSync(file, away)
    if (!isStale(away)) linkSync(away, file)
  } catch {
    // another process was faster
  }
  rmSync(away, { force: true })
}

/**
 * Removes what processes left that were killed. While the lock is held, no other process writes the file. A lock that was
 * moved away by mistake may be put back until it is stale.
 */
function removeTemporary(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name)
    const [, moved] = (path.startsWith(file) && TEMPORARY.exec(path.slice(file.length))) || []
    if (moved === '' || (moved && isStale(path))) rmSync(path, { force: true })
  }
}

const TEMPORARY = /^((?:\.lock)?)\.\d+-[0-9a-z]+$/

/** A unique name beside the file. */
const temporaryName = (file: string) => `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`
