// The progress and the failures of a release, ring by ring.

import { sql } from 'kysely'
import { ringIn, SILENT_MS } from '../store/device-states.js'
import type { Store } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import { ratesOf } from './evidence.js'
import type { RingSetting } from './settings.js'

export interface RingState {
  readonly ring: string
  readonly devices: number
  readonly inSync: number
  readonly silent: number
  readonly runs: number
  readonly failures: number
  readonly denials: number
  readonly failingDevices: number
  readonly failureRate: number
  readonly denialRate: number
  readonly seenInSync: number
}

export async function healthOf(
  { db }: Store,
  release: ReleaseRow,
  rings: readonly RingSetting[],
  now: number,
): Promise<RingState[]> {
  const ring = ringIn(
    release.number,
    rings.map(({ share }) => share),
  )
  const isSilent = sql<number>`case when last_seen_at < ${sql.lit(now - SILENT_MS)} then 1 else 0 end`
  const isInSync = sql<number>`case when devices.release = ${sql.lit(release.number)} then 1 else 0 end`
  const counts = await db
    .selectFrom(({ selectFrom }) =>
      selectFrom('devices')
        .select([ring.as('ring'), isSilent.as('is_silent'), isInSync.as('in_sync')])
        .where('revoked_at', 'is', null)
        .as('devices'),
    )
    .select(({ fn }) => ['ring', 'is_silent', 'in_sync', fn.countAll<number>().as('count')])
    .groupBy(['ring', 'is_silent', 'in_sync'])
    .execute()
  const evidence = await db
    .selectFrom('evidence')
    .innerJoin('devices', 'devices.id', 'evidence.device_id')
    .select([ring.as('ring'), 'device_id as deviceId', 'runs', 'failures', 'denials'])
    .select('first_failures as firstFailures')
    .where('evidence.release', '=', release.number)
    .where('evidence.runs', '>', 0)
    .where('devices.revoked_at', 'is', null)
    .execute()
  return rings.map(({ name }, index) => {
    const count = (is: (row: (typeof counts)[number]) => boolean) =>
      counts
        .filter(row => Number(row.ring) === index && is(row))
        .reduce((sum, row) => sum + Number(row.count), 0)
    const seen = evidence.filter(row => Number(row.ring) === index)
    const sum = (key: 'runs' | 'failures' | 'denials') => seen.reduce((total, row) => total + row[key], 0)
    const devices = count(() => true)
    const { failingDevices, failureRate, denialRate } = ratesOf(seen, devices)
    return {
      ring: name,
      devices,
      inSync: count(row => Number(row.in_sync) === 1),
      seenInSync: count(row => Number(row.in_sync) === 1 && Number(row.is_silent) === 0),
      silent: count(row => Number(row.is_silent) === 1),
      runs: sum('runs'),
      failures: sum('failures'),
      denials: sum('denials'),
      failingDevices,
      failureRate,
      denialRate,
    }
  })
}
