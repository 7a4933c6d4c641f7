// A lock between processes. The lock of a process that ended is taken over by the next.

import { linkSync, lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { listFolder, readText } from './config/file.js'
import { clockMs } from './protocol/clock.js'

/** The holder touches the lock each second. A holder that ended is noticed at once on its machine, elsewhere after this time. */
const STALE_MS = 20_000
const TOUCH_MS = 1000
const LONGEST_WAIT_MS = 10_000
/** In the names of temporary files. The next holder of the lock removes those that were left behind. */
const UNFINISHED = '.new-'

export interface Held {
  /** False if another process took the lock over, because this one seemed to have ended. */
  isMine(): boolean
  release(): void
}

interface Around {
  readonly sleep: (ms: number) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  readonly unique: () => string
}

const AROUND: Around = {
  sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
  random: Math.random,
  unique: () => `${process.pid}-${process.hrtime.bigint().toString(36)}`,
}

/** Replaces a file in one step, readable for its owner only, while other writers wait. */
export async function rewrite(file: string, make: () => string | Promise<string>): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const lockFile = `${file}.lock`
  const held = await lock(lockFile)
  if (!held) throw new Error(`${lockFile} is held by another process. Try again, or remove it.`)
  const half = `${lockFile}${UNFINISHED}${AROUND.unique()}`
  try {
    writeFileSync(half, await make(), { mode: 0o600, flag: 'wx' })
    // What this process read may be out of date by now.
    if (!held.isMine()) throw new Error(`${lockFile} was taken over by another process. Try again.`)
    renameSync(half, file)
  } finally {
    rmSync(half, { force: true })
    held.release()
  }
}

/** Undefined if another process holds the lock for longer than `patienceMs`. */
export async function lock(
  file: string,
  { sleep, random, unique } = AROUND,
  patienceMs = LONGEST_WAIT_MS,
): Promise<Held | undefined> {
  const until = clockMs() + patienceMs
  for (;;) {
    const held = tryLock(file, unique)
    if (held || clockMs() > until) return held
    await sleep(10 + random() * 40)
  }
}

/** Without waiting. */
export function tryLock(file: string, unique = AROUND.unique): Held | undefined {
  const held = take(file, unique())
  if (held || !isDead(file)) return held
  takeAway(file, unique())
  return take(file, unique())
}

function take(file: string, token: string): Held | undefined {
  if (!place(file, JSON.stringify({ pid: process.pid, host: hostname(), token }), token)) return undefined
  removeTemporary(file)
  const alive = setInterval(() => touch(file), TOUCH_MS).unref()
  const isMine = () => holderOf(file).token === token
  return {
    isMine,
    release() {
      clearInterval(alive)
      if (isMine()) rmSync(file, { force: true })
    },
  }
}

interface Holder {
  readonly pid?: unknown
  readonly host?: unknown
  readonly token?: unknown
}

function holderOf(file: string): Holder {
  try {
    return (JSON.parse(readText(file, 4096) ?? '') ?? {}) as Holder
  } catch {
    return {}
  }
}

/** The content is written before the lock gets its name, so that no process finds a lock without a holder. */
function place(file: string, content: string, token: string): boolean {
  const half = `${file}${UNFINISHED}${token}`
  writeFileSync(half, content, { flag: 'wx', mode: 0o600 })
  try {
    linkSync(half, file)
    return true
  } catch (error) {
    // The content is written before the lock gets its name, so that no process finds a lock without a holder.
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false
    // A file system without hard links. The lock has no holder until it is written.
    if (!NO_LINKS.has(codeOf(error))) throw error
    return placePlainly(file, content)
  } finally {
    rmSync(half, { force: true })
  }
}

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

function placePlainly(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // another process took the lock over
  }
}

function isDead(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return false
  if (Date.now() - stats.mtimeMs > STALE_MS) return true
  const { pid, host } = holderOf(file)
  if (host !== hostname() || typeof pid !== 'number') return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Of two processes that find a dead lock, the later may move the new lock of the other; it puts it back. */
function takeAway(file: string, token: string): void {
  const away = `${file}.${token}`
  try {
    renameSync(file, away)
    if (!isDead(away)) linkSync(away, file)
  } catch {
    // another process was faster
  }
  // Another program may have put a folder in its place.
  rmSync(away, { force: true, recursive: true })
}

/**
 * Removes the temporary files of processes that were killed. A process that still waits for the lock tries again. A lock
 * that another process moved away by mistake is put back by that process, unless its holder is dead.
 */
function removeTemporary(file: string): void {
  for (const name of listFolder(dirname(file))) {
    const path = join(dirname(file), name)
    const isOurs = path.startsWith(`${file}.`)
    if (isOurs && (path.startsWith(`${file}${UNFINISHED}`) || isDead(path)))
      rmSync(path, { force: true, recursive: true })
  }
}
