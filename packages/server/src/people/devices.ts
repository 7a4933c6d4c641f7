// The team's devices, as lists of them are asked for.

import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { Refusal } from '../refusal.js'
import { withSecondPerson } from '../rollout/four-eyes.js'
import { contains } from '../store/like.js'
import type { Db, Tx } from '../store/open.js'
import type { DeviceRow, Schema } from '../store/schema.js'
import type { Team } from '../team.js'
import { type DeviceState, type IntendedFor, SILENT_MS, stateOf } from './device-state.js'
import { revokeTokens } from './device-tokens.js'
import { toLine } from './words.js'

/** How many are read at once where a state has to be worked out. */
const CHUNK = 1_000

export interface DeviceFilter {
  readonly query: string
  readonly group: string
  readonly release: number
  /** Empty: all that are enrolled. */
  readonly state: DeviceState | ''
}

export interface Found {
  readonly row: DeviceRow & { token_expires_at: number | null }
  readonly wanted: number
  readonly ring: string
  readonly state: DeviceState
}

type Place = readonly [string, string]

/** Sorted by name; one more than the size when there are more, and how many there are in all. */
export async function listDevices(
  team: Team,
  intendedFor: IntendedFor,
  filter: DeviceFilter,
  { size, after }: { size: number; after: Place | null },
): Promise<{ found: Found[]; total: number }> {
  const found: Found[] = []
  for await (const one of walk(team, intendedFor, filter, after, size + 1)) {
    found.push(one)
    if (found.length > size) break
  }
  if (filter.state === '') return { found, total: await count(team, filter) }
  let total = 0
  for await (const _ of walk(team, intendedFor, filter, null, CHUNK)) total++
  return { found, total }
}

/** What the database cannot tell is worked out here, some at a time. */
async function* walk(
  team: Team,
  intendedFor: IntendedFor,
  filter: DeviceFilter,
  after: Place | null,
  atFirst: number,
): AsyncGenerator<Found> {
  let limit = atFirst
  for (let place = after; ; limit = CHUNK) {
    const rows = await page(team, filter, place, limit)
    for (const row of rows) {
      const one = await look(team, intendedFor, row)
      if (filter.state === '' || one.state === filter.state) yield one
    }
    const last = rows.at(-1)
    if (rows.length < limit || !last) return
    place = [last.name, last.id]
  }
}

export async function findDevice(team: Team, intendedFor: IntendedFor, id: string): Promise<Found> {
  const row = await all(team).where('devices.id', '=', id).executeTakeFirst()
  if (row) return look(team, intendedFor, row)
  throw new Refusal('missing', 'There is no device with this id.')
}

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
  team.hub.changed('releases')
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
  team.hub.changed('tokens')
  team.hub.changed('devices')
}

const look = async (team: Team, intendedFor: IntendedFor, row: Found['row']): Promise<Found> => {
  const { release, ring } = await intendedFor(row)
  const wanted = row.revoked_at === null ? release : 0
  return { row, wanted, ring, state: stateOf(row, wanted, team.now()) }
}

const all = ({ store: { db } }: Team) =>
  db
    .selectFrom('devices')
    .leftJoin('tokens', 'tokens.id', 'devices.token_id')
    .selectAll('devices')
    .select('tokens.expires_at as token_expires_at')

const page = (team: Team, filter: DeviceFilter, place: Place | null, limit: number) => {
  let query = all(team)
    .where(matching(team, filter))
    .orderBy('devices.name')
    .orderBy('devices.id')
    .limit(limit)
  if (place) {
    const [name, id] = place
    query = query.where(({ or, and, eb }) =>
      or([eb('devices.name', '>', name), and([eb('devices.name', '=', name), eb('devices.id', '>', id)])]),
    )
  }
  return query.execute()
}

async function count(team: Team, filter: DeviceFilter): Promise<number> {
  const { count } = await team.store.db
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(matching(team, filter))
    .executeTakeFirstOrThrow()
  return Number(count)
}

type Where = ExpressionBuilder<Schema, 'devices'>

const matching =
  ({ now }: Team, { query, group, release, state }: DeviceFilter) =>
  ({ eb, and, or }: Where): Expression<SqlBool> => {
    const isGone = state === 'revoked' || state === 'left'
    const has = (column: 'name' | 'id' | 'enrolled_by') => contains(`devices.${column}`, query)
    return and([
      eb('devices.revoked_at', isGone ? 'is not' : 'is', null),
      ...(query === '' ? [] : [or([has('name'), has('id'), has('enrolled_by')])]),
      ...(group === '' ? [] : [eb('devices.group', '=', group)]),
      ...(release === 0 ? [] : [eb('devices.release', '=', release)]),
      ...(state === 'silent' ? [eb('devices.last_seen_at', '<', now() - SILENT_MS)] : []),
    ])
  }
