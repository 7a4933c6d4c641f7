// Who listens for changes, each by a stream. A stream carries no content, so it may be dropped at any time. There are
// thousands: one clock for all of them, and no more kept of each than when it shall hear something again.

import type { Hub } from './hub.js'

const TICK_MS = 1000
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

export interface Listener {
  /** The same object to everybody who hears it at once. */
  say(said: Said): void
  end(): void
}

export interface Watching {
  connected(): number
  /** It hears the first word at once. */
  join(listener: Listener): void
  leave(listener: Listener): void
  /** Ends every stream. */
  close(): void
}

export function openWatching({ hub }: { hub: Hub }): Watching {
  const listeners = new Map<Listener, { due: number; readonly until: number }>()
  const around = (ms: number) => Date.now() + ms * (0.8 + Math.random() * 0.4)
  const now = (): Said => ({
    epoch: hub.epoch('releases'),
    spreadMs: Math.min(LONGEST_SPREAD_MS, Math.round((listeners.size / PER_SECOND) * 1000)),
  })
  const tell = (isTold: (due: number) => boolean) => {
    const said = now()
    for (const [listener, times] of listeners) {
      if (!isTold(times.due)) continue
      times.due = around(HEARTBEAT_MS)
      listener.say(said)
    }
  }
  const end = (isOver: (until: number) => boolean) => {
    for (const [listener, { until }] of listeners) {
      if (isOver(until) && listeners.delete(listener)) listener.end()
    }
  }
  const forget = hub.subscribe(topic => {
    if (topic === 'releases') tell(() => true)
  })
  const timer = setInterval(() => {
    const at = Date.now()
    end(until => until <= at)
    tell(due => due <= at)
  }, TICK_MS).unref()
  return {
    connected: () => listeners.size,
    join(listener) {
      listeners.set(listener, { due: around(HEARTBEAT_MS), until: around(LIFE_MS) })
      listener.say(now())
    },
    leave: listener => void listeners.delete(listener),
    close() {
      clearInterval(timer)
      forget()
      end(() => true)
    },
  }
}

/** For who needs all that Connect can do, such as deadlines and compression; push/streams.ts serves everybody else. */
export async function* watch(watching: Watching, signal: AbortSignal): AsyncGenerator<Said> {
  let unread: Said | null = null
  let isOver = false
  let wake = () => {}
  const listener: Listener = {
    say(said) {
      unread = said
      wake()
    },
    end() {
      isOver = true
      wake()
    },
  }
  signal.addEventListener('abort', listener.end)
  watching.join(listener)
  try {
    while (!isOver && !signal.aborted) {
      const said = unread
      unread = null
      if (said) yield said
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  } finally {
    watching.leave(listener)
    signal.removeEventListener('abort', listener.end)
  }
}
