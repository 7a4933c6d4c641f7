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
/** Tokens end by the clock, too, and a word from another server may get lost. */
const CHECK_MS = 60_000
/** A machine needs one, and one more for each window in which somebody looks on. */
const MOST_OF_ONE = 16

export interface Said {
  readonly epoch: number
  readonly spreadMs: number
}

export interface Listener {
  /** The same object to everybody who hears it at once. */
  say(said: Said): void
  end(): void
}

/** Who listens: by which token of a device, and as of which change of tokens it was found good. */
export interface Bearer {
  readonly tokenId: string
  readonly asOf: number
}

/** Of these tokens, those that still open the door. */
export type StillGood = (tokenIds: readonly string[]) => Promise<ReadonlySet<string>>

export interface Watching {
  connected(): number
  /** It hears the first word at once, and the last when its token is no longer good. */
  join(listener: Listener, bearer: Bearer): void
  leave(listener: Listener): void
  /** Ends every stream. */
  close(): void
}

export function openWatching({ hub }: { hub: Hub }, stillGood: StillGood): Watching {
  const listeners = new Map<Listener, { due: number; readonly until: number; readonly tokenId: string }>()
  const byToken = new Map<string, Set<Listener>>()
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
  const leave = (listener: Listener): boolean => {
    const known = listeners.get(listener)
    if (!known) return false
    const { tokenId } = known
    byToken.get(tokenId)?.delete(listener)
    if (byToken.get(tokenId)?.size === 0) byToken.delete(tokenId)
    return listeners.delete(listener)
  }
  const dismiss = (listener: Listener) => {
    if (leave(listener)) listener.end()
  }
  const end = (isOver: (until: number) => boolean) => {
    for (const [listener, { until }] of listeners) if (isOver(until)) dismiss(listener)
  }

  let checkAt = Date.now() + CHECK_MS
  let isChecking = false
  /** Who comes back hears at the door why. */
  const check = async () => {
    // What changes while it looks is looked at once more.
    checkAt = 0
    if (isChecking) return
    isChecking = true
    try {
      while (checkAt === 0) {
        checkAt = Date.now() + CHECK_MS
        const asked = [...byToken.keys()]
        const good = await stillGood(asked)
        for (const id of asked)
          if (!good.has(id)) for (const one of [...(byToken.get(id) ?? [])]) dismiss(one)
      }
    } catch {
      // The database is away: at the next tick again.
      checkAt = 0
    } finally {
      isChecking = false
    }
  }
  const forget = hub.subscribe(topic => {
    if (topic === 'releases') tell(() => true)
    if (topic === 'tokens') void check()
  })
  const timer = setInterval(() => {
    const at = Date.now()
    end(until => until <= at)
    tell(due => due <= at)
    if (checkAt <= at) void check()
  }, TICK_MS).unref()
  return {
    connected: () => listeners.size,
    join(listener, { tokenId, asOf }) {
      const same = byToken.get(tokenId) ?? new Set()
      if (same.size >= MOST_OF_ONE) dismiss(same.values().next().value!)
      byToken.set(tokenId, same.add(listener))
      listeners.set(listener, { due: around(HEARTBEAT_MS), until: around(LIFE_MS), tokenId })
      listener.say(now())
      // A token was changed while this one was on its way in.
      if (asOf !== hub.epoch('tokens')) void check()
    },
    leave: listener => void leave(listener),
    close() {
      clearInterval(timer)
      forget()
      end(() => true)
    },
  }
}

/** For who needs all that Connect can do, such as deadlines and compression; push/streams.ts serves everybody else. */
export async function* watch(watching: Watching, bearer: Bearer, signal: AbortSignal): AsyncGenerator<Said> {
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
  watching.join(listener, bearer)
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
