// How many devices there are of each kind.

import { DEVICE_STATES, judgedDevices } from '../store/device-states.js'
import type { Team } from '../team.js'
import type { Rules } from './devices.js'

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

/** Of those that are enrolled. */
export async function countDevices({ records }: Team, rules: Rules): Promise<DeviceCounts> {
  const rows = await judgedDevices(records.reader, await rules())
    .select(['shown_state', 'group', 'release', 'operating_system', 'client_version'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .groupBy(['shown_state', 'group', 'release', 'operating_system', 'client_version'])
    .execute()
  const by = (column: keyof Omit<(typeof rows)[number], 'count'>): Counted[] => {
    const counts = new Map<string, number>()
    for (const row of rows) {
      const name = String(row[column])
      counts.set(name, (counts.get(name) ?? 0) + Number(row.count))
    }
    return [...counts]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MOST)
  }
  const states = by('shown_state')
  return {
    total: states.reduce((sum, { count }) => sum + count, 0),
    states: DEVICE_STATES.filter(state => state !== 'revoked' && state !== 'left').map(name => ({
      name,
      count: states.find(state => state.name === name)?.count ?? 0,
    })),
    groups: by('group'),
    releases: by('release'),
    operatingSystems: by('operating_system'),
    clientVersions: by('client_version'),
  }
}
