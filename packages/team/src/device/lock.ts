// One process at a time. Whoever dies while holding the lock loses it to the next.

import { linkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { listFolder, readJson } from '@holdfast/hooks/team'
import type { Around } from './around.js'

/** The holder touches it each second. On the same machine a dead one is known at once, elsewhere after this long. */
const STALE_MS = 20_000
const EACH_MS = 1000

export interface Held {
  /** False when it was taken for dead, and another has it. */
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

/** Its content is there before its name: nobody sees a lock without its holder. */
function place(file: string, content: string, token: string): boolean {
  const half = `${file}.${token}`
  writeFileSync(half, content, { flag: 'wx', mode: 0o600 })
  try {
    linkSync(half, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    // A disk without second names. Until it is written the lock has no holder, and is dead only after a while.
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
    // Taken away: the next one has its own.
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

/** Of two who find it dead, one may come late and catch the other's new one; it is then put back. */
function takeAway(file: string, token: string): void {
  const away = `${file}.${token}`
  try {
    renameSync(file, away)
    if (!isDead(away)) linkSync(away, file)
  } catch {
    // Somebody else was faster.
  }
  rmSync(away, { force: true })
}

/** What processes left that died while taking it. */
export function dropOldLocks(file: string): void {
  for (const name of listFolder(dirname(file))) {
    const path = join(dirname(file), name)
    if (!path.startsWith(`${file}.`)) continue
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (made !== undefined && Date.now() - made > STALE_MS) rmSync(path, { force: true })
  }
}
