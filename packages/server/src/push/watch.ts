// A stream for each device that wants to hear at once. It carries no content, so it may be dropped at any time.

import type { Team } from '../team.js'
import type { Hub } from './hub.js'

const HEARTBEAT_MS = 15_000
/** Streams end by themselves, so that devices spread over the servers again. */
const LIFE_MS = 30 * 60_000
/** How many may come back in a second. */
const PER_SECOND = 200
const LONGEST_SPREAD_MS = 60_000

export interface Said {
  readonly epoch: number
  readonly spreadMs: number
}

export interface Watching {
  readonly connected: () => number
  watch(signal: AbortSignal): AsyncGenerator<Said>
}

export function openWatching({ hub }: { hub: Hub }): Watching {
  const wakers = new Set<() => void>()
  hub.subscribe(topic => {
    if (topic !== 'releases') return
    for (const wake of wakers) wake()
  })
  const around = (ms: number) => ms * (0.8 + Math.random() * 0.4)
  const said = (): Said => ({
    epoch: hub.epoch('releases'),
    spreadMs: Math.min(LONGEST_SPREAD_MS, Math.round((wakers.size / PER_SECOND) * 1000)),
  })
  return {
    connected: () => wakers.size,
    async *watch(signal) {
      const until = Date.now() + around(LIFE_MS)
      let wake = () => {}
      // One waker for the whole stream; several changes before it is read are one.
      let isWoken = false
      const waker = () => {
        isWoken = true
        wake()
      }
      wakers.add(waker)
      signal.addEventListener('abort', waker)
      try {
        while (!signal.aborted && Date.now() < until) {
          yield said()
          if (!isWoken) {
            await new Promise<void>(resolve => {
              const timer = setTimeout(resolve, around(HEARTBEAT_MS))
              wake = () => {
                clearTimeout(timer)
                resolve()
              }
            })
          }
          isWoken = false
          wake = () => {}
        }
      } finally {
        wakers.delete(waker)
        signal.removeEventListener('abort', waker)
      }
    },
  }
}

export const watchingOf = (team: Team): Watching => openWatching(team)
