// Who was here last. A poll must not touch the database, so signs are collected and written together, at most every
// half minute; a crash forgets that half minute and nothing else.

import type { Team } from '../team.js'
import { Later } from './later.js'

const EVERY_MS = 30_000
/** Within what both databases take in one statement. */
const AT_ONCE = 10_000

export interface Seen {
  device(id: string): void
  member(userId: string): void
  token(id: string): void
  /** Writes what is waiting. */
  flush(): Promise<void>
}

export function openSeen({ store: { db }, now, log }: Team): Seen {
  const waiting = { device: new Set<string>(), member: new Set<string>(), token: new Set<string>() }
  const take = (set: Set<string>): string[] => {
    const ids = [...set]
    set.clear()
    return ids
  }
  const later = new Later(EVERY_MS, async () => {
    const at = now()
    try {
      for (const ids of parts(take(waiting.device))) {
        await db.updateTable('devices').set({ last_seen_at: at }).where('id', 'in', ids).execute()
      }
      for (const ids of parts(take(waiting.member))) {
        await db.updateTable('members').set({ last_seen_at: at }).where('user_id', 'in', ids).execute()
      }
      for (const ids of parts(take(waiting.token))) {
        await db.updateTable('tokens').set({ last_used_at: at }).where('id', 'in', ids).execute()
      }
    } catch (error) {
      log.warn('who was seen could not be written', { error: (error as Error).message })
    }
  })
  const note = (set: Set<string>) => (id: string) => {
    set.add(id)
    later.soon()
  }
  return {
    device: note(waiting.device),
    member: note(waiting.member),
    token: note(waiting.token),
    flush: () => later.now(),
  }
}

function* parts(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += AT_ONCE) yield ids.slice(from, from + AT_ONCE)
}
