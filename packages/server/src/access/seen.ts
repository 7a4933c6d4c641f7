// When devices, members and tokens were last seen. A poll must not touch the database, so the times are collected and
// written together; a crash loses those that were not written yet.

import { touchDevices, touchMembers, touchTokens } from '../store/seen.js'
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
  const write = (set: Set<string>, touch: typeof touchDevices) => async () => {
    try {
      for (const ids of parts(take(set))) await touch(db, ids, now())
    } catch (error) {
      log.warn('The times of the last calls could not be written', { error: (error as Error).message })
    }
  }
  const devices = new DelayedWork(DEVICES_EVERY_MS, write(waiting.device, touchDevices))
  const members = new DelayedWork(EVERY_MS, write(waiting.member, touchMembers))
  const tokens = new DelayedWork(EVERY_MS, write(waiting.token, touchTokens))
  const note = (set: Set<string>, later: DelayedWork) => (id: string) => {
    set.add(id)
    later.soon()
  }
  return {
    device: note(waiting.device, devices),
    member: note(waiting.member, members),
    token: note(waiting.token, tokens),
    flush: async () => {
      for (const later of [devices, members, tokens]) await later.now()
    },
  }
}

function* parts(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += AT_ONCE) yield ids.slice(from, from + AT_ONCE)
}
