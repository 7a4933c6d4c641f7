// The rings of devices, for the rollouts that assigned them device by device.

import { ringOfPlace } from './device-states.js'
import type { Db, Tx } from './open.js'
import type { Schema } from './schema.js'

const AT_ONCE = 500

type Member = Schema['ring_members']

/** By the ids of the devices. */
export async function membersOf(db: Db | Tx, release: number): Promise<Map<string, number>> {
  const members = await db
    .selectFrom('ring_members')
    .select(['device_id', 'ring'])
    .where('release', '=', release)
    .execute()
  return new Map(members.map(({ device_id, ring }) => [device_id, ring]))
}

export async function hasMembers(db: Db | Tx, release: number): Promise<boolean> {
  const row = await db
    .selectFrom('ring_members')
    .select('ring')
    .where('release', '=', release)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertMembers(tx: Tx, members: readonly Member[]): Promise<void> {
  for (let from = 0; from < members.length; from += AT_ONCE) {
    await tx
      .insertInto('ring_members')
      .values(members.slice(from, from + AT_ONCE))
      .execute()
  }
}

const recent = (db: Db | Tx, seenAfter: number) =>
  db.selectFrom('devices').where('revoked_at', 'is', null).where('last_seen_at', '>', seenAfter)

/** Of enrolled devices that were seen after a time. */
export const recentPlaces = (db: Db | Tx, seenAfter: number, limit: number) =>
  recent(db, seenAfter).select(['id', 'place']).limit(limit).execute()

/** How many of these devices each ring holds by its share. */
export async function countPlaces(
  db: Db | Tx,
  seenAfter: number,
  shares: readonly number[],
): Promise<number[]> {
  const rows = await recent(db, seenAfter)
    .select(({ fn }) => [ringOfPlace(shares).as('ring'), fn.countAll<number>().as('count')])
    .groupBy('ring')
    .execute()
  return shares.map((_, index) => Number(rows.find(({ ring }) => Number(ring) === index)?.count ?? 0))
}
