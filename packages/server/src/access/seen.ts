// When devices, members and tokens were last seen. A poll must not touch the database, so the times are collected and
// written together; a crash loses those that were not written yet.

import type { Team } from '../team.js'
import { DelayedWork } from './later.js'

const EVERY_MS = 30_000
/** Devices poll every minute, and a list that is some minutes old shows the same. */
const DEVICES_EVERY_MS = 240_000
/** Within what both databases take in one statement. */
const AT_ONCE = 10_000

export interface Seen {
  device(id: string): void
  member(userId: string): void
  token(id: string): void
  /** Writes the collected times. */
  flush(): Promise<void>
}

export function openSeen({ store: { db }, now, log }: Team): Seen {
  const waiting = { device: new Set<string>(), member: new Set<string>(), token: new Set<string>() }
  const take = (set: Set<string>): string[] => {
    const ids = [...set]
    set.clear()
    return ids
  }
  const write = (work: () => Promise<void>) => async () => {
    try {
      await work()
    } catch (error) {
      log.warn('Times of the last call could not be written', { error: (error as Error).message })
    }
  }
  const devices = new DelayedWork(
    DEVICES_EVERY_MS,
    write(async () => {
      for (const ids of parts(take(waiting.device))) {
        await db.updateTable('devices').set({ last_seen_at: now() }).where('id', 'in', ids).execute()
      }
    }),
  )
  const people = new DelayedWork(
    EVERY_MS,
    write(async () => {
      for (const ids of parts(take(waiting.member))) {
        await db.updateTable('members').set({ last_seen_at: now() }).where('user_id', 'in', ids).execute()
      }
      for (const ids of parts(take(waiting.token))) {
        await db.updateTable('tokens').set({ last_used_at: now() }).where('id', 'in', ids).execute()
      }
    }),
  )
  const note = (set: Set<string>, later: DelayedWork) => (id: string) => {
    set.add(id)
    later.soon()
  }
  return {
    device: note(waiting.device, devices),
    member: note(waiting.member, people),
    token: note(waiting.token, people),
    flush: async () => {
      await devices.now()
      await people.now()
    },
  }
}

function* parts(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += AT_ONCE) yield ids.slice(from, from + AT_ONCE)
}
