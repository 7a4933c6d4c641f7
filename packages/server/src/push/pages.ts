// Tells pages that are open what they show is no longer all there is.

import type { Team } from '../team.js'
import type { Topic } from './hub.js'

/** Pages call themselves stale after three that they did not hear. */
const HEARTBEAT_MS = 5_000

export async function* watchPages(
  { hub }: Team,
  signal: AbortSignal,
): AsyncGenerator<{ what: string; epoch: number }> {
  const changed = new Map<Topic, number>()
  let wake = () => {}
  const leave = hub.subscribe((topic, epoch) => {
    // Who may do what is nobody's business on a page; but whose page it is may have changed.
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
