// Which devices get a release first. Everybody has a place from 0 to 1 that stays; a ring is all places up to its share.
// When a rollout begins, the devices that are about are dealt out and stay where they are for this rollout: with few
// devices a share alone would often leave the first ring empty.

import { DAY_MS } from '../durations.js'
import type { Db, Tx } from '../store/open.js'
import { type RingSetting, settingsIn } from './settings.js'

/** Devices that were not heard of for longer are not dealt out. */
export const RECENT_MS = 7 * DAY_MS
const AT_ONCE = 500

export interface Placed {
  readonly id: string
  readonly place: number
}

/** The ring of each device, by its index. Never is a ring empty while there are devices for it, nor the first one all. */
export function dealOut(devices: readonly Placed[], rings: readonly RingSetting[]): Map<string, number> {
  const sorted = [...devices].sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1))
  const dealt = new Map<string, number>()
  const ends = rings.map(({ share }, index) => {
    const wanted = Math.max(index + 1, Math.ceil(share * sorted.length - 1e-9))
    const last = index === rings.length - 1
    return last ? sorted.length : Math.min(wanted, Math.max(1, sorted.length - 1))
  })
  sorted.forEach(({ id }, index) => {
    dealt.set(
      id,
      ends.findIndex(end => index < end),
    )
  })
  return dealt
}

/** Of a device that came after the dealing. */
export const ringAt = (place: number, rings: readonly RingSetting[]): number => {
  const index = rings.findIndex(({ share }) => place < share)
  return index === -1 ? rings.length - 1 : index
}

/** As devices were dealt out when the rollout of this release began. */
export async function dealtFor(db: Db | Tx, release: number): Promise<Map<string, number>> {
  const members = await db
    .selectFrom('ring_members')
    .select(['device_id', 'ring'])
    .where('release', '=', release)
    .execute()
  return new Map(members.map(({ device_id, ring }) => [device_id, ring]))
}

/** Of any device. Rings may have become fewer since. */
export const ringIn = (
  dealt: ReadonlyMap<string, number>,
  { id, place }: Placed,
  rings: readonly RingSetting[],
): number => Math.min(dealt.get(id) ?? ringAt(place, rings), rings.length - 1)

/** The ring of every device that was heard of lately. */
export async function dealt(db: Db | Tx, now: number): Promise<Map<string, number>> {
  const { rings } = await settingsIn(db)
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'place'])
    .where('revoked_at', 'is', null)
    .where('last_seen_at', '>', now - RECENT_MS)
    .execute()
  return dealOut(devices, rings)
}

/** Written down for this release. */
export async function deal(tx: Tx, release: number, now: number): Promise<void> {
  const rows = [...(await dealt(tx, now))].map(([device_id, ring]) => ({ release, ring, device_id }))
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    await tx
      .insertInto('ring_members')
      .values(rows.slice(at, at + AT_ONCE))
      .execute()
  }
}
