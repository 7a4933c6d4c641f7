// How a device is, in one word for people who look after many.

import type { DeviceRow } from '../store/schema.js'

export const DEVICE_STATES = [
  'in_sync',
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

/** The release that a device should have now; 0 for none. */
export type WantedRelease = (device: Pick<DeviceRow, 'id' | 'place' | 'group'>) => number | Promise<number>

/** The first that holds: what a device said last counts only while it is heard of. */
export function stateOf(
  device: Pick<DeviceRow, 'revoked_at' | 'state' | 'last_seen_at' | 'release'>,
  wanted: number,
  now: number,
): DeviceState {
  if (device.revoked_at !== null) return device.state === 'left' ? 'left' : 'revoked'
  if (now - device.last_seen_at > SILENT_MS) return 'silent'
  if (device.state === 'killed' || device.state === 'stale') return device.state
  if (wanted === 0) return 'in_sync'
  if (device.release === 0) return 'no_bundle'
  return device.release === wanted ? 'in_sync' : 'behind'
}
