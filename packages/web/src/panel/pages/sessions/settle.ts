// A list that is reloaded must not move under the reader.

import type { SessionSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'

export interface Settled {
  readonly shown: readonly SessionSummary[]
  /** How many are newer. */
  readonly waiting: number
}

/** While held, rows keep their places and get new figures. */
export function settle(
  before: readonly SessionSummary[],
  fresh: readonly SessionSummary[],
  isHeld: boolean,
): Settled {
  if (!isHeld || before.length === 0) return { shown: fresh, waiting: 0 }
  const news = new Map(fresh.map(session => [session.id, session]))
  const known = new Set(before.map(({ id }) => id))
  const kept = before.map(session => news.get(session.id) ?? session)
  // Sessions below the last known one move nothing.
  const last = fresh.findLastIndex(({ id }) => known.has(id))
  const below = fresh.slice(last + 1)
  return {
    shown: [...kept, ...below],
    waiting: fresh.slice(0, last + 1).filter(({ id }) => !known.has(id)).length,
  }
}
