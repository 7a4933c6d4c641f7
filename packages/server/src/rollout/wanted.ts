// The release that a device should have now. Pure: a pin first, then the newest release that has reached its ring.

import type { RingSetting } from '../store/team.js'
import { ringAt } from './rings.js'

export interface RolledRelease {
  readonly number: number
  readonly hash: string
  readonly state: 'unsigned' | 'rolling' | 'done' | 'halted'
  /** The progress of its rollout. */
  readonly ring: number
  /** Whether devices were assigned one by one when it began; otherwise the shares decide. */
  readonly hasMembers: boolean
  ringOf(deviceId: string): number | undefined
}

export interface Wanting {
  readonly id: string
  readonly place: number
  /** The release that a pin names, while the pin lasts. */
  readonly pinned: number | null
}

export interface WantedRelease {
  /** Null: none yet. */
  readonly release: { readonly number: number; readonly hash: string } | null
  readonly ring: string
  /** Older than some that the device may have taken: it returns to it if that release allows it. */
  readonly isBack: boolean
}

export function wanted(
  device: Wanting,
  newestFirst: readonly RolledRelease[],
  rings: readonly RingSetting[],
): WantedRelease {
  const ringIn = (release: RolledRelease) =>
    Math.min(release.ringOf(device.id) ?? ringAt(device.place, rings), rings.length - 1)
  const has = (release: RolledRelease) => release.state === 'done' || ringIn(release) <= release.ring
  const chosen =
    (device.pinned === null ? undefined : newestFirst.find(({ number }) => number === device.pinned)) ??
    newestFirst.find(release => release.state !== 'halted' && has(release))
  // As the newest release shows it, for every page and for the device.
  const [newest] = newestFirst
  const ring = rings[newest ? ringIn(newest) : ringAt(device.place, rings)]?.name ?? ''
  if (!chosen) return { release: null, ring, isBack: false }
  return {
    release: { number: chosen.number, hash: chosen.hash },
    ring,
    isBack: newestFirst.some(release => release.number > chosen.number && has(release)),
  }
}
