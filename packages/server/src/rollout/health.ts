// How a release fares, ring by ring, for the people who watch it.

import { SILENT_MS } from '../people/device-state.js'
import type { Store } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import { ratesOf } from './evidence.js'
import { ringAt } from './rings.js'
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
  const members = await db
    .selectFrom('ring_members')
    .select(['device_id', 'ring'])
    .where('release', '=', release.number)
    .execute()
  const dealt = new Map(members.map(({ device_id, ring }) => [device_id, ring]))
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'place', 'release', 'last_seen_at'])
    .where('revoked_at', 'is', null)
    .execute()
  const evidence = await db.selectFrom('evidence').selectAll().where('release', '=', release.number).execute()
  const shown = new Map(evidence.map(row => [row.device_id, row]))
  return rings.map(({ name }, index) => {
    const own = devices.filter(({ id, place }) => (dealt.get(id) ?? ringAt(place, rings)) === index)
    const seen = own.flatMap(({ id }) => shown.get(id) ?? [])
    const sum = (key: 'runs' | 'failures' | 'denials') => seen.reduce((total, row) => total + row[key], 0)
    const { failingDevices, failureRate, denialRate } = ratesOf(
      seen.map(row => ({ ...row, deviceId: row.device_id, firstFailures: row.first_failures })),
      own.length,
    )
    const isSilent = ({ last_seen_at }: { last_seen_at: number }) => now - last_seen_at > SILENT_MS
    const inSync = own.filter(device => device.release === release.number)
    return {
      ring: name,
      devices: own.length,
      inSync: inSync.length,
      seenInSync: inSync.filter(device => !isSilent(device)).length,
      silent: own.filter(isSilent).length,
      runs: sum('runs'),
      failures: sum('failures'),
      denials: sum('denials'),
      failingDevices,
      failureRate,
      denialRate,
    }
  })
}
