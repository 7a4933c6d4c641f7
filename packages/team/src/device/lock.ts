// A lock between processes. The lock of a process that ended is taken over by the next.

import { linkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { listFolder, readJson } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { UNFINISHED } from './disk.js'

/** The holder touches the lock each second. A holder that ended is noticed at once on its machine, elsewhere after this time. */
const STALE_MS = 20_000
const EACH_MS = 1000

export interface Held {
  /** False if another process took the lock over, because this one seemed to have ended. */
  isMine(): boolean
  release(): void
}

export async function lock(
  file: string,
  { sleep, random, unique }: Pick<Around, 'sleep' | 'random' | 'unique'>,
  patienceMs: number,
): Promise<Held | undefined> {
  const until = performance.now() + patienceMs
  for (;;) {
    const held = take(file, unique())
    if (held) return held
    if (isDead(file)) takeAway(file, unique())
    else if (performance.now() > until) return undefined
    else await sleep(20 + random() * 60)
  }
}

function take(file: string, token: string): Held | undefined {
  if (!place(file, JSON.stringify({ pid: process.pid, host: hostname(), token }), token)) return undefined
  removeTemporary(file)
  const alive = setInterval(() => touch(file), EACH_MS).unref()
  const isMine = () => readJson(file)?.token === token
  return {
    isMine,
    release() {
      clearInterval(alive)
      if (isMine()) rmSync(file, { force: true })
    },
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
    // The holder of the lock removes the temporary files of others.
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
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return false
  if (Date.now() - stats.mtimeMs > STALE_MS) return true
  const { pid, host } = readJson(file) ?? {}
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
