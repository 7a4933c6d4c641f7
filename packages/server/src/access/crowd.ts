// How much one person may have under way at once of what is read from the records: there is one reader for all of them,
// and who asks it a hundred things keeps everybody else waiting.

import { Refusal } from '../refusal.js'
import type { Actor } from './actor.js'

const SERVICE = 'AuditService/'
/** Every open page has one stream, and asks for a handful of things. */
const MOST = 64

export interface Crowd {
  /** Counted until the signal says that the call is over. */
  enter(method: string, actor: Actor, signal: AbortSignal): void
}

export function openCrowd(): Crowd {
  const inside = new Map<string, number>()
  return {
    enter(method, actor, signal) {
      if (actor.kind !== 'person' || !method.startsWith(SERVICE) || signal.aborted) return
      const { userId } = actor
      const count = inside.get(userId) ?? 0
      if (count >= MOST) {
        throw new Refusal('too-much', `You have ${MOST} questions open. Close a page, or wait for an answer.`)
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
