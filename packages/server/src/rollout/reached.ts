// The evidence that devices gave of a release, of those that the release is for.

import { isReached } from '../store/device-states.js'
import type { Db, Store } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import type { Shown } from './evidence.js'
import { RECENT_MS } from './rings.js'
import { settingsIn } from './settings.js'

export interface Reached {
  /** Those seen lately, whether they have taken it or not: the first to take it are not all of them. */
  readonly devices: number
  readonly shown: readonly Shown[]
}

export async function reachedBy({ db }: Store, release: ReleaseRow, now: number): Promise<Reached> {
  const { rings } = await settingsIn(db)
  const pins = await db
    .selectFrom('pins')
    .select(['kind', 'whom', 'release'])
    .where('until', '>', now)
    .execute()
  const shares = rings.map(({ share }) => share)
  const isFor = isReached(release, pins, shares)
  const { count } = await db
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where('last_seen_at', '>', now - RECENT_MS)
    .where(isFor)
    .executeTakeFirstOrThrow()
  const shown = await shownBy(db, release.number)
    .innerJoin('devices', 'devices.id', 'evidence.device_id')
    .where('devices.revoked_at', 'is', null)
    .where('devices.last_seen_at', '>', now - RECENT_MS)
    .where(isFor)
    .execute()
  return { devices: Number(count), shown }
}

/** By any device. */
export const shownFor = ({ db }: Pick<Store, 'db'>, release: number): Promise<Shown[]> =>
  shownBy(db, release).execute()

const shownBy = (db: Db, release: number) =>
  db
    .selectFrom('evidence')
    .select(['evidence.device_id as deviceId', 'evidence.runs', 'evidence.failures', 'evidence.denials'])
    .select('evidence.first_failures as firstFailures')
    .where('evidence.release', '=', release)
    .where('evidence.runs', '>', 0)
