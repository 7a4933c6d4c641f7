// The team's devices: lists, groups, revocation.

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { Refusal } from '../refusal.js'
import { withSecondPerson } from '../rollout/four-eyes.js'
import { type DeviceState, judgedDevices, type StateRules, shownRing } from '../store/device-states.js'
import { contains } from '../store/like.js'
import type { Db, Tx } from '../store/open.js'
import type { DeviceRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { revokeTokens } from './device-tokens.js'
import { toLine } from './words.js'

export interface DeviceFilter {
  readonly query: string
  readonly group: string
  readonly release: number
  /** Empty: all that are enrolled. */
  readonly state: DeviceState | ''
}

/** How devices are judged at this moment. */
export type Rules = () => Promise<StateRules>

export type Found = DeviceRow & {
  readonly wanted: number
  readonly ring: string
  readonly shown_state: DeviceState
  readonly token_expires_at: number | null
}

type Place = readonly [string, string]

/** Sorted by name; one more than the size when there are more, and how many there are in all. */
export async function listDevices(
  { store }: Team,
  rules: Rules,
  filter: DeviceFilter,
  { size, after }: { size: number; after: Place | null },
): Promise<{ found: Found[]; total: number }> {
  const now = await rules()
  let query = found(store.db, now).where(matching(filter))
  if (after) {
    const [name, id] = after
    query = query.where(sql<boolean>`(devices.name, devices.id) > (${name}, ${id})`)
  }
  const rows = await query
    .orderBy('devices.name')
    .orderBy('devices.id')
    .limit(size + 1)
    .execute()
  const { count } = await judgedDevices(store.db, now)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(matching(filter))
    .executeTakeFirstOrThrow()
  return { found: rows, total: Number(count) }
}

export async function findDevice({ store }: Team, rules: Rules, id: string): Promise<Found> {
  const row = await found(store.db, await rules())
    .where('devices.id', '=', id)
    .executeTakeFirst()
  if (row) return row
  throw new Refusal('missing', 'There is no device with this id.')
}

const found = (db: Db, rules: StateRules) =>
  judgedDevices(db, rules)
    .leftJoin('tokens', 'tokens.id', 'devices.token_id')
    .selectAll('devices')
    .select(['tokens.expires_at as token_expires_at', shownRing(rules).as('ring')])

export async function setGroup(team: Team, actor: Person, id: string, text: string): Promise<void> {
  const group = toLine('The group', text, { longest: 60, empty: true })
  const deviceIn = (db: Db | Tx) =>
    db.selectFrom('devices').select(['name', 'group']).where('id', '=', id).executeTakeFirst()
  const move = async (tx: Tx, by: object = {}) => {
    const device = await deviceIn(tx)
    if (!device) throw new Refusal('missing', 'There is no device with this id.')
    await tx.updateTable('devices').set({ group }).where('id', '=', id).execute()
    const detail = { name: device.name, from: device.group, to: group, ...by }
    await append(tx, actor, team.now(), { action: 'device.group', subject: id, detail })
  }
  // Into or out of a group with a pin, the device changes to another release.
  const groups = [group, (await deviceIn(team.store.db))?.group ?? '']
  const pin = await team.store.db
    .selectFrom('pins')
    .select('whom')
    .where('kind', '=', 'group')
    .where('whom', 'in', groups)
    .executeTakeFirst()
  const change = { method: 'DevicesService/SetDeviceGroup', subject: `device ${id}`, wish: { group } }
  if (pin) await withSecondPerson(team, actor, change, move)
  else await team.store.write(tx => move(tx))
  team.hub.changed('devices')
  // A pin of its group may change the release that it should have.
  team.hub.changed('tokens', id)
}

export async function revokeDevice(team: Team, actor: Person, id: string, text: string): Promise<void> {
  const reason = toLine('The reason', text, { longest: 500, empty: true })
  await team.store.write(async tx => {
    const device = await tx
      .updateTable('devices')
      .set({ revoked_at: team.now() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirst()
    if (!device) throw new Refusal('missing', 'There is no device with this id, or it was revoked already.')
    await revokeTokens(team, tx, id)
    const detail = { name: device.name, reason }
    await append(tx, actor, team.now(), { action: 'device.revoke', subject: id, detail })
  })
  team.hub.changed('tokens', id)
  team.hub.changed('devices')
}

type Judged = ExpressionBuilder<{ devices: DeviceRow & { shown_state: DeviceState } }, 'devices'>

const matching =
  ({ query, group, release, state }: DeviceFilter) =>
  ({ eb, and, or }: Judged): Expression<SqlBool> => {
    const has = (column: 'name' | 'id' | 'enrolled_by') => contains(`devices.${column}`, query)
    return and([
      state === '' ? eb('devices.revoked_at', 'is', null) : eb('devices.shown_state', '=', state),
      ...(state === 'revoked' || state === 'left' ? [] : [eb('devices.revoked_at', 'is', null)]),
      ...(query === '' ? [] : [or([has('name'), has('id'), has('enrolled_by')])]),
      ...(group === '' ? [] : [eb('devices.group', '=', group)]),
      ...(release === 0 ? [] : [eb('devices.release', '=', release)]),
    ])
  }
