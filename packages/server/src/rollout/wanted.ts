// Which release a device shall have now. Pure: a pin first, then the newest release that has reached its ring.

import { ringAt } from './rings.js'
import type { RingSetting } from './settings.js'

export interface RolledRelease {
  readonly number: number
  readonly hash: string
  readonly state: 'unsigned' | 'rolling' | 'done' | 'halted'
  /** How far it has come. */
  readonly ring: number
  /** What was dealt out when it began. */
  ringOf(deviceId: string): number | undefined
}

export interface Wanting {
  readonly id: string
  readonly place: number
  /** The release that a pin names, while the pin lasts. */
  readonly pinned: number | null
}

export interface Wanted {
  /** Null: there is none for it yet. */
  readonly release: { readonly number: number; readonly hash: string } | null
  readonly ring: string
  /** An older one than some that the device may have taken: it goes back, if that one allows it. */
  readonly isBack: boolean
}

export function wanted(
  device: Wanting,
  newestFirst: readonly RolledRelease[],
  rings: readonly RingSetting[],
): Wanted {
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
