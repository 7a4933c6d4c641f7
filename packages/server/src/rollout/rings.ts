// Assigns devices to rings. Each device has a fixed place from 0 to 1, and a ring holds all places up to its share. With few
// devices a share alone would often leave the first ring empty, so a small fleet is assigned device by device when a rollout
// begins, and keeps these rings for the rollout.

import { DAY_MS } from '../durations.js'
import type { Db, Tx } from '../store/open.js'
import { countPlaces, insertMembers, recentPlaces } from '../store/rings.js'
import type { RingSetting } from '../store/team.js'
import { settingsIn } from '../store/team.js'

/** Devices that were not seen for longer are not assigned. */
export const RECENT_MS = 7 * DAY_MS
/** In a larger fleet a share of 1 % holds 20 devices or so, and the shares alone are exact enough. */
export const MOST_ASSIGNED = 2000

export interface Placed {
  readonly id: string
  readonly place: number
}

/** The ring of each device, by its index. No ring is empty while there are devices for it, and the first is never all. */
export function assignRings(devices: readonly Placed[], rings: readonly RingSetting[]): Map<string, number> {
  const sorted = [...devices].sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1))
  const assigned = new Map<string, number>()
  const ends = rings.map(({ share }, index) => {
    const wanted = Math.max(index + 1, Math.ceil(share * sorted.length - 1e-9))
    const last = index === rings.length - 1
    return last ? sorted.length : Math.min(wanted, Math.max(1, sorted.length - 1))
  })
  sorted.forEach(({ id }, index) => {
    assigned.set(
      id,
      ends.findIndex(end => index < end),
    )
  })
  return assigned
}

/** Of a device that was not assigned. */
export const ringAt = (place: number, rings: readonly RingSetting[]): number => {
  const index = rings.findIndex(({ share }) => place < share)
  return index === -1 ? rings.length - 1 : index
}

/** Null in a large fleet, where the shares decide. */
async function assignment(db: Db | Tx, now: number): Promise<Map<string, number> | null> {
  const devices = await recentPlaces(db, now - RECENT_MS, MOST_ASSIGNED + 1)
  if (devices.length > MOST_ASSIGNED) return null
  const { rings } = await settingsIn(db)
  return assignRings(devices, rings)
}

/** Stores the rings of this release. */
export async function assignMembers(tx: Tx, release: number, now: number): Promise<void> {
  const assigned = (await assignment(tx, now)) ?? new Map<string, number>()
  await insertMembers(
    tx,
    [...assigned].map(([device_id, ring]) => ({ release, ring, device_id })),
  )
}

/** How many devices each ring would have if a rollout began now. */
export async function nextRings(db: Db | Tx, now: number): Promise<number[]> {
  const { rings } = await settingsIn(db)
  const assigned = await assignment(db, now)
  const shares = rings.map(({ share }) => share)
  if (!assigned) return countPlaces(db, now - RECENT_MS, shares)
  const all = [...assigned.values()]
  return rings.map((_, index) => all.filter(ring => ring === index).length)
}
