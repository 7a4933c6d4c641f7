// For tests: time that passes only on command. Short waits, for files and sockets, are real.

import { NOW } from '../../signing/testing/team.js'

interface Sleeper {
  readonly ms: number
  readonly until: number
  wake(): void
}

export interface ManualTime {
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** All waits that are going on, in milliseconds. */
  readonly waits: () => number[]
  /** Waits until somebody sleeps for about so long, lets that time pass, and says how long it was. */
  pass(least: number, most: number): Promise<number>
}

export function manualTime(): ManualTime {
  let now = NOW
  const sleepers = new Set<Sleeper>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { ms, until: now + ms, wake }
        signal?.addEventListener('abort', wake)
        if (ms < 100) setTimeout(wake, ms)
        else sleepers.add(sleeper)
      }),
    waits: () => [...sleepers].map(({ ms }) => ms),
    async pass(least, most) {
      const found = await until(() => [...sleepers].find(({ ms }) => ms >= least && ms <= most))
      now = Math.max(now, found.until)
      found.wake()
      return found.ms
    },
  }
}

/** Looks again and again, in real time. */
export async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + 15_000; Date.now() < end; ) {
    const found = look()
    if (found !== undefined && found !== false) return found
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  throw new Error('It did not happen in 15 seconds.')
}
