// One stream of news for each tab, and the state of its connection.

import { useSyncExternalStore } from 'react'

export type LiveState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Not even a heartbeat arrived for a while. */
  | { readonly kind: 'stale'; readonly since: number }
  | { readonly kind: 'offline'; readonly retryAt: number }

export interface Live {
  state(): LiveState
  subscribe(listener: () => void): () => void
  /** Reconnects now. */
  retry(): void
  stop(): void
}

const STALE_MS = 15_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** A hidden page closes its connection: a browser opens six to one server, and streams occupy them. */
const HIDDEN_MS = 10_000

/** The server sends a heartbeat at least every five seconds. */
export function openLive<Message>(
  open: (signal: AbortSignal) => AsyncIterable<Message>,
  hear: (message: Message) => void,
  /** Called after an interruption: messages may be missing. */
  missed: () => void = () => {},
  /** Whether the page needs news while it is hidden. */
  isNeeded: () => boolean = () => false,
): Live {
  const listeners = new Set<() => void>()
  let state: LiveState = { kind: 'connecting' }
  let heardAt = Date.now()
  let stopped = false
  let attempt = new AbortController()
  let wake = () => {}
  let isResting = false
  let wasLost = false
  let hiding: ReturnType<typeof setTimeout> | undefined

  const say = (next: LiveState) => {
    if (next.kind === state.kind && next.kind !== 'offline') return
    state = next
    for (const listener of listeners) listener()
  }
  const silence = setInterval(() => {
    if (state.kind === 'live' && Date.now() - heardAt > STALE_MS) {
      say({ kind: 'stale', since: heardAt })
      attempt.abort()
    }
  }, 1000)

  const look = () => {
    clearTimeout(hiding)
    if (document.hidden) {
      hiding = setTimeout(() => {
        if (isNeeded()) return
        isResting = true
        attempt.abort()
      }, HIDDEN_MS)
    } else if (isResting) {
      isResting = false
      wake()
    }
  }
  document.addEventListener('visibilitychange', look)

  async function run() {
    let wait = FIRST_WAIT_MS
    while (!stopped) {
      attempt = new AbortController()
      try {
        for await (const message of open(attempt.signal)) {
          heardAt = Date.now()
          wait = FIRST_WAIT_MS
          say({ kind: 'live' })
          if (wasLost) missed()
          wasLost = false
          hear(message)
        }
      } catch {
        // The state shows it.
      }
      wasLost = true
      if (stopped) return
      if (isResting) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
        say({ kind: 'connecting' })
        continue
      }
      say({ kind: 'offline', retryAt: Date.now() + wait })
      await new Promise<void>(resolve => {
        wake = resolve
        setTimeout(resolve, wait)
      })
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
  }
  void run()

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    retry: () => wake(),
    stop() {
      stopped = true
      clearInterval(silence)
      clearTimeout(hiding)
      document.removeEventListener('visibilitychange', look)
      attempt.abort()
      wake()
    },
  }
}

export const useLiveState = (live: Live): LiveState => useSyncExternalStore(live.subscribe, live.state)
