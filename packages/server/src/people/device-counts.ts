// How many devices are in which state, by the same rule that names the state of each.

import { Refusal } from '../refusal.js'
import type { Team } from '../team.js'
import { DEVICE_STATES, type DeviceState, stateOf, type WantedRelease } from './device-state.js'
import { type DeviceFilter, matching } from './devices.js'

/** More than any team has; then the figures would cost more than they say. */
const MOST = 200_000

export type StateCounts = Readonly<Record<DeviceState, number>>

export async function countStates(
  team: Team,
  wantedRelease: WantedRelease,
  filter: Omit<DeviceFilter, 'state'>,
): Promise<StateCounts> {
  const counts = Object.fromEntries(DEVICE_STATES.map(state => [state, 0])) as Record<DeviceState, number>
  const now = team.now()
  for (const state of ['', 'revoked'] as const) {
    const rows = await team.store.db
      .selectFrom('devices')
      .select(['id', 'place', 'group', 'release', 'state', 'last_seen_at', 'revoked_at'])
      .where(matching(team, { ...filter, state }))
      .limit(MOST + 1)
      .execute()
    if (rows.length > MOST) throw new Refusal('too-much', `There are more than ${MOST} devices.`)
    for (const row of rows)
      counts[stateOf(row, row.revoked_at === null ? await wantedRelease(row) : 0, now)]++
  }
  return counts
}

/** Of those that are enrolled, in order. */
export async function groupsOf({ store }: Team): Promise<string[]> {
  const rows = await store.db
    .selectFrom('devices')
    .select('group')
    .distinct()
    .where('revoked_at', 'is', null)
    .where('group', '<>', '')
    .orderBy('group')
    .limit(200)
    .execute()
  return rows.map(({ group }) => group)
}
