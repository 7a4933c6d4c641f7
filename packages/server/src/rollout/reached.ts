// What the devices that a release is for have shown of it. Whoever else speaks of it is not asked.

import type { Store } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import type { Shown } from './evidence.js'
import { dealtFor, type Placed, RECENT_MS, ringIn } from './rings.js'
import { settingsIn } from './settings.js'

export interface Reached {
  /** Those heard of lately, whether they have taken it or not: the first to take it are not all of them. */
  readonly devices: number
  readonly shown: readonly Shown[]
}

export async function reachedBy({ db }: Store, release: ReleaseRow, now: number): Promise<Reached> {
  const { rings } = await settingsIn(db)
  const dealt = await dealtFor(db, release.number)
  const pins = await db
    .selectFrom('pins')
    .select(['kind', 'whom', 'release'])
    .where('until', '>', now)
    .execute()
  const pinned = new Map(pins.map(({ kind, whom, release }) => [`${kind} ${whom}`, release]))
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'place', 'group'])
    .where('revoked_at', 'is', null)
    .where('last_seen_at', '>', now - RECENT_MS)
    .execute()
  const isFor = (device: Placed & { readonly group: string }): boolean => {
    const pin = pinned.get(`device ${device.id}`) ?? pinned.get(`group ${device.group}`)
    if (pin !== undefined) return pin === release.number
    return release.state === 'done' || ringIn(dealt, device, rings) <= release.ring
  }
  const reached = new Set(devices.filter(isFor).map(({ id }) => id))
  const shown = await shownFor({ db }, release.number)
  return { devices: reached.size, shown: shown.filter(({ deviceId }) => reached.has(deviceId)) }
}

/** By anybody. */
export async function shownFor({ db }: Pick<Store, 'db'>, release: number): Promise<Shown[]> {
  const rows = await db
    .selectFrom('evidence')
    .selectAll()
    .where('release', '=', release)
    .where('runs', '>', 0)
    .execute()
  return rows.map(({ device_id, runs, failures, denials, first_failures }) => ({
    deviceId: device_id,
    runs,
    failures,
    denials,
    firstFailures: first_failures,
  }))
}
