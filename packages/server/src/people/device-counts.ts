// How many devices there are of each kind.

import type { DeviceRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { DEVICE_STATES, type DeviceState, type IntendedFor, stateOf } from './device-state.js'

export interface Counted {
  readonly name: string
  readonly count: number
}

export interface DeviceCounts {
  readonly total: number
  readonly states: readonly Counted[]
  readonly groups: readonly Counted[]
  readonly releases: readonly Counted[]
  readonly operatingSystems: readonly Counted[]
  readonly clientVersions: readonly Counted[]
}

/** More of a kind than anybody chooses from. */
const MOST = 200

/** Of those that are enrolled. What a device shall have only the server knows, so each is looked at. */
export async function countDevices(team: Team, intendedFor: IntendedFor): Promise<DeviceCounts> {
  const devices = await team.records.reader
    .selectFrom('devices')
    .select(['id', 'place', 'group', 'release', 'state', 'problems', 'last_seen_at', 'revoked_at'])
    .select(['operating_system', 'client_version'])
    .where('revoked_at', 'is', null)
    .execute()
  const now = team.now()
  const states = new Map<DeviceState, number>()
  for (const device of devices) {
    const state = stateOf(device, (await intendedFor(device)).release, now)
    states.set(state, (states.get(state) ?? 0) + 1)
  }
  type Column = 'group' | 'release' | 'operating_system' | 'client_version'
  const by = (column: Column): Counted[] => {
    const counts = new Map<string, number>()
    for (const device of devices as Pick<DeviceRow, Column>[]) {
      const name = String(device[column])
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return [...counts]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MOST)
  }
  return {
    total: devices.length,
    states: DEVICE_STATES.filter(state => state !== 'revoked' && state !== 'left').map(name => ({
      name,
      count: states.get(name) ?? 0,
    })),
    groups: by('group'),
    releases: by('release'),
    operatingSystems: by('operating_system'),
    clientVersions: by('client_version'),
  }
}
