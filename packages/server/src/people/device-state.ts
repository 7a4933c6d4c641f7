// How a device is, in one word for people who look after many.

import type { DeviceRow } from '../store/schema.js'

export const DEVICE_STATES = [
  'in_sync',
  'attention',
  'behind',
  'silent',
  'stale',
  'killed',
  'no_bundle',
  'revoked',
  'left',
] as const
export type DeviceState = (typeof DEVICE_STATES)[number]

export const SILENT_MS = 3 * 86_400_000

export interface Intended {
  /** The release that the device should have now; 0 for none. */
  readonly release: number
  readonly ring: string
}
export type IntendedFor = (device: Pick<DeviceRow, 'id' | 'place' | 'group'>) => Promise<Intended>

/** The first that applies. The last report of a device counts only while the device is not silent. */
export function stateOf(
  device: Pick<DeviceRow, 'revoked_at' | 'state' | 'last_seen_at' | 'release' | 'problems'>,
  wanted: number,
  now: number,
): DeviceState {
  if (device.revoked_at !== null) return device.state === 'left' ? 'left' : 'revoked'
  if (now - device.last_seen_at > SILENT_MS) return 'silent'
  // What it rejected, or restored in the last day.
  if (device.problems !== '[]') return 'attention'
  if (device.state === 'killed' || device.state === 'stale') return device.state
  if (wanted === 0) return 'in_sync'
  if (device.release === 0) return 'no_bundle'
  return device.release === wanted ? 'in_sync' : 'behind'
}
