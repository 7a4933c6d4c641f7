// How a release fares, ring by ring, for the people who watch it.

import { SILENT_MS } from '../people/device-state.js'
import type { Store } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import { ratesOf } from './evidence.js'
import { shownFor } from './reached.js'
import { dealtFor, ringIn } from './rings.js'
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
  const dealt = await dealtFor(db, release.number)
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'place', 'release', 'last_seen_at'])
    .where('revoked_at', 'is', null)
    .execute()
  const evidence = await shownFor({ db }, release.number)
  const shown = new Map(evidence.map(each => [each.deviceId, each]))
  return rings.map(({ name }, index) => {
    const own = devices.filter(device => ringIn(dealt, device, rings) === index)
    const seen = own.flatMap(({ id }) => shown.get(id) ?? [])
    const sum = (key: 'runs' | 'failures' | 'denials') => seen.reduce((total, row) => total + row[key], 0)
    const { failingDevices, failureRate, denialRate } = ratesOf(seen, own.length)
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
