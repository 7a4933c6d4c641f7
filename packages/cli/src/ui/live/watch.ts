// The stream of one page: new events in batches, a note when hooks or questions changed, and heartbeats.

import type { HandlerContext } from '@connectrpc/connect'
import type { WatchRequest } from '@holdfast/web/panel'
import type { Panel } from '../panel.js'
import { toSummary } from '../runs/row.js'

export const BATCH_MS = 100
const HEARTBEAT_MS = 5000
const MOST_AT_ONCE = 1000

export interface Watching {
  readonly panel: Panel
  readonly stopping: AbortSignal
  /** Whether the session of the request is still valid. */
  isInside(headers: Headers): boolean
}

export async function* watch(
  { cursor }: Pick<WatchRequest, 'cursor'>,
  { signal, requestHeader }: Pick<HandlerContext, 'signal' | 'requestHeader'>,
  { panel, stopping, isInside }: Watching,
) {
  const { book } = panel
  let changed = false
  let asked = false
  const forget = [
    panel.onChange(() => {
      changed = true
    }),
    panel.questions.onChange(() => {
      asked = true
    }),
  ]
  try {
    book.refresh()
    const from = cursor === '' ? undefined : book.byId(cursor)
    let gap = cursor !== '' && !from
    let number = from?.number ?? book.newest()
    let spokeAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted && !stopping.aborted) {
      book.refresh()
      const fresh = book.since(number)
      number = book.newest()
      if (!fresh || fresh.length > MOST_AT_ONCE) gap = true
      const runs = gap || !fresh ? [] : [...new Set(fresh.map(book.occurrenceOf))]
      const isDue = performance.now() - spokeAt >= HEARTBEAT_MS
      // The session ended, so the stream ends.
      if (isDue && !isInside(requestHeader)) return
      if (isDue || gap || changed || asked || runs.length > 0) {
        yield { runs: runs.map(toSummary), hooksChanged: changed, gap, questionsChanged: asked }
        spokeAt = performance.now()
        changed = false
        asked = false
        gap = false
      }
      await pause(BATCH_MS, signal, stopping)
    }
  } finally {
    for (const end of forget) end()
  }
}

/** Ends at once when one of them does. */
function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    for (const signal of signals) signal.addEventListener('abort', done, { once: true })
    if (signals.some(({ aborted }) => aborted)) done()
  })
}
