// How many queries of records one user may run at once: there is one reader for all users, and a hundred queries of one
// would delay everybody else.

import { RequestError } from '../request-error.js'
import type { Actor } from './actor.js'

const SERVICE = 'AuditService/'
/** Every open page has one stream and a handful of queries. */
const MOST = 64

export interface ConcurrencyLimit {
  /** Counted until the signal ends the call. */
  enter(method: string, actor: Actor, signal: AbortSignal): void
}

export function openConcurrencyLimit(): ConcurrencyLimit {
  const inside = new Map<string, number>()
  return {
    enter(method, actor, signal) {
      if (actor.kind !== 'person' || !method.startsWith(SERVICE) || signal.aborted) return
      const { userId } = actor
      const count = inside.get(userId) ?? 0
      if (count >= MOST) {
        throw new RequestError(
          'too-much',
          `You have ${MOST} queries open. Close a page, or wait for a response.`,
        )
      }
      inside.set(userId, count + 1)
      signal.addEventListener('abort', () => {
        const left = inside.get(userId)! - 1
        if (left === 0) inside.delete(userId)
        else inside.set(userId, left)
      })
    },
  }
}
