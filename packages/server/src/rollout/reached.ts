// The evidence of the devices that a release is for.

import { isReached } from '../store/device-states.js'
import { countReached } from '../store/devices.js'
import { type DeviceEvidence, findEvidence } from '../store/evidence.js'
import type { Db } from '../store/open.js'
import { allPins } from '../store/pins.js'
import { hasMembers } from '../store/rings.js'
import type { ReleaseRow } from '../store/schema.js'
import { settingsIn } from '../store/team.js'
import { ENOUGH_RUNS } from './evidence.js'
import { RECENT_MS } from './rings.js'

export interface Reached {
  /** Recently seen devices, with or without the release: the first ones that have it are not all of them. */
  readonly devices: number
  readonly shown: readonly DeviceEvidence[]
}

export async function reachedBy(db: Db, release: ReleaseRow, now: number): Promise<Reached> {
  const { rings } = await settingsIn(db)
  const pins = (await allPins(db)).filter(({ until }) => until > now)
  const shares = rings.map(({ share }) => share)
  const ruled = { ...release, hasMembers: await hasMembers(db, release.number) }
  const where = isReached(ruled, pins, shares, now - RECENT_MS)
  const [devices, shown] = await Promise.all([
    countReached(db, where),
    findEvidence(db, { release: release.number, mostRuns: ENOUGH_RUNS, where }),
  ])
  return { devices, shown }
}

/** Of any device. */
export const shownFor = (db: Db, release: number): Promise<readonly DeviceEvidence[]> =>
  findEvidence(db, { release, mostRuns: ENOUGH_RUNS })
