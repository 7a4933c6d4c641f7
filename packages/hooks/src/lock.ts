// One writer at a time, among processes: a file that only one of them can create.

import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'

const PATIENCE_MS = 10_000
/** Who holds the lock touches it each second; who has not for this long has died. */
const STALE_MS = 3000

/** Gives back the function that opens it again. */
export async function lock(file: string): Promise<() => void> {
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
export const temporaryName = (file: string) =>
  `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`
