// Notifies open pages of changes.

import type { Team } from '../team.js'
import type { Topic } from './hub.js'

/** Pages count as stale after three missing heartbeats. */
const HEARTBEAT_MS = 5_000

export async function* watchPages(
  { hub }: Team,
  signal: AbortSignal,
): AsyncGenerator<{ what: string; epoch: number }> {
  const changed = new Map<Topic, number>()
  let wake = () => {}
  const leave = hub.subscribe((topic, epoch) => {
    // Pages show no permissions, but the caller's own may have changed: it is authenticated again.
    if (topic !== 'tokens') changed.set(topic, epoch)
    wake()
  })
  signal.addEventListener('abort', () => wake())
  try {
    yield { what: '', epoch: 0 }
    while (!signal.aborted) {
      if (changed.size === 0) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, HEARTBEAT_MS)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      if (signal.aborted) return
      const now = [...changed]
      changed.clear()
      if (now.length === 0) yield { what: '', epoch: 0 }
      for (const [what, epoch] of now) yield { what, epoch }
    }
  } finally {
    leave()
  }
}
