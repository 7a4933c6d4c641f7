// The team's devices: lists, counts, changes.

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import {
  DEVICE_STATES,
  type DeviceState,
  ENROLLED,
  judgedDevices,
  type StateRules,
  shownRing,
} from './device-states.js'
import { contains } from './like.js'
import type { Db, Store, Tx } from './open.js'
import type { DeviceRow } from './schema.js'

export interface DeviceFilter {
  readonly query: string
  readonly group: string
  readonly release: number
  /** Empty: all that are enrolled. */
  readonly state: DeviceState | ''
  readonly ring: string
  readonly owner: string
  readonly hook: HookFilter | null
}

/** By the releases that bring a hook to the devices of each operating system that it is for. */
export interface HookFilter {
  readonly bringing: readonly { readonly system: string; readonly releases: readonly number[] }[]
  readonly lacks: boolean
}

export type FoundDevices = DeviceRow & {
  readonly wanted: number
  readonly ring: string
  readonly shown_state: DeviceState
  readonly token_expires_at: number | null
}

type Place = readonly [string, string]

/** Sorted by name; one more than the size when there are more, and how many there are in all. */
export async function listDevices(
  db: Db,
  rules: StateRules,
  filter: DeviceFilter,
  { size, after }: { size: number; after: Place | null },
): Promise<{ found: FoundDevices[]; total: number }> {
  const matched = judgedDevices(db, rules)
    .select(['devices.id', 'devices.name'])
    .where(matching(filter, rules))
  // The filter is evaluated once for the page and the total.
  const page = await db
    .with('matched', () => matched)
    .selectFrom('matched')
    .select(['id', ({ selectFrom }) => selectFrom('matched').select(COUNT).as('total')])
    .$if(after !== null, query => query.where(sql<boolean>`(name, id) > (${after![0]}, ${after![1]})`))
    .orderBy('name')
    .orderBy('id')
    .limit(size + 1)
    .execute()
  if (page.length === 0) {
    const { count } = await db.selectFrom(matched.as('matched')).select(COUNT).executeTakeFirstOrThrow()
    return { found: [], total: Number(count) }
  }
  const rows = await found(db, rules)
    .where(
      'devices.id',
      'in',
      page.map(({ id }) => id),
    )
    .orderBy('devices.name')
    .orderBy('devices.id')
    .execute()
  return { found: rows, total: Number(page[0]!.total) }
}

const COUNT = sql<number>`count(*)`.as('count')

export const judgedDevice = (db: Db, rules: StateRules, id: string): Promise<FoundDevices | undefined> =>
  found(db, rules).where('devices.id', '=', id).executeTakeFirst()

const found = (db: Db, rules: StateRules) =>
  judgedDevices(db, rules)
    .leftJoin('tokens', 'tokens.id', 'devices.token_id')
    .selectAll('devices')
    .select(['tokens.expires_at as token_expires_at', shownRing(rules).as('ring')])

export const findDevice = (db: Db | Tx, id: string): Promise<DeviceRow | undefined> =>
  db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirst()

/** What a device reports of itself. */
export type ReportedFields = Pick<DeviceRow, (typeof REPORTED)[number]>

/** After a release all devices report within seconds, so reports that come together are one statement. */
export async function saveReports(
  { kind, db, write }: Pick<Store, 'kind' | 'db' | 'write'>,
  reports: ReadonlyMap<string, Partial<ReportedFields>>,
): Promise<void> {
  if (kind === 'sqlite') {
    return write(async tx => {
      for (const [id, fields] of reports) await updateDevice(tx, id, fields)
    })
  }
  const rows = JSON.stringify([...reports].map(([id, fields]) => ({ id, ...fields })))
  const columns = REPORTED.map(
    name => sql`${sql.ref(name)} = coalesce(new.${sql.ref(name)}, devices.${sql.ref(name)})`,
  )
  // Locked in one order: two servers that store reports of the same devices never wait for each other.
  await sql`with new as materialized (select * from json_populate_recordset(null::devices, ${rows}::json)),
    locked as materialized (select id from devices where id in (select id from new) order by id for update)
    update devices set ${sql.join(columns)} from new, locked where devices.id = new.id and devices.id = locked.id`.execute(
    db,
  )
}

const REPORTED = [
  'name',
  'os_version',
  'client_version',
  'release',
  'release_hash',
  'trust_version',
  'state',
  'queued',
  'problems',
  'last_seen_at',
] as const satisfies readonly (keyof DeviceRow)[]

export const updateDevice = (db: Db | Tx, id: string, fields: Partial<DeviceRow>) =>
  db.updateTable('devices').set(fields).where('id', '=', id).execute()

/**
 * Undefined when it is revoked already. A device that left by itself may enrol again with its key, so it can still be
 * revoked, but a revoked one cannot leave.
 */
export const markRevoked = (tx: Tx, id: string, at: number, state?: 'left') =>
  tx
    .updateTable('devices')
    .set(state ? { revoked_at: at, state } : { revoked_at: at, state: 'no_bundle' })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('revoked_at', 'is', null), ...(state ? [] : [eb('state', '=', 'left')])]))
    .returning('name')
    .executeTakeFirst()

export interface DeviceName {
  readonly name: string
  readonly owner: string
}

export async function deviceNames(db: Db | Tx, ids: readonly string[]): Promise<Map<string, DeviceName>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('devices').select(['id', 'name', 'owner']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, ...device }) => [id, device]))
}

export const insertDevice = async (tx: Tx, row: DeviceRow): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('devices')
    .values(row)
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows) === 1
}

/** Enrolled by this key. Returns how many. */
export async function revokeByKey(tx: Tx, key: string, at: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('devices')
    .set({ revoked_at: at })
    .where('enrolment_key', '=', key)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export const countEnrolled = (db: Db): Promise<number> => countReached(db, ENROLLED)

export async function countReached(db: Db, where: Expression<SqlBool>): Promise<number> {
  const { count } = await db.selectFrom('devices').select(COUNT).where(where).executeTakeFirstOrThrow()
  return count
}

type DeviceWithState = ExpressionBuilder<{ devices: DeviceRow & { shown_state: DeviceState } }, 'devices'>

const matching =
  ({ query, group, release, state, ring, owner, hook }: DeviceFilter, rules: StateRules) =>
  ({ eb, and, or }: DeviceWithState): Expression<SqlBool> => {
    const has = (column: 'name' | 'id' | 'owner' | 'enrolled_by') => contains(`devices.${column}`, query)
    return and([
      state === '' ? eb('devices.revoked_at', 'is', null) : eb('devices.shown_state', '=', state),
      ...(state === 'revoked' || state === 'left' ? [] : [eb('devices.revoked_at', 'is', null)]),
      ...(query === '' ? [] : [or([has('name'), has('id'), has('owner'), has('enrolled_by')])]),
      ...(group === '' ? [] : [eb('devices.group', '=', group)]),
      ...(owner === '' ? [] : [eb('devices.owner', '=', owner)]),
      ...(release === 0 ? [] : [eb('devices.release', '=', release)]),
      ...(ring === '' ? [] : [sql<SqlBool>`${shownRing(rules)} = ${ring}`]),
      ...(hook === null ? [] : [hasHook(hook)]),
    ])
  }

function hasHook({ bringing, lacks }: HookFilter): Expression<SqlBool> {
  const cases = bringing.map(({ system, releases }) => {
    const has =
      releases.length === 0
        ? sql`1 = 0`
        : sql`devices.state <> 'killed' and devices.release in (${sql.join(releases.map(release => sql.lit(release)))})`
    return sql`(devices.operating_system = ${system} and ${lacks ? sql`not (${has})` : sql`${has}`})`
  })
  return cases.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(cases, sql` or `)})`
}

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
export async function countDevices(db: Db, rules: StateRules): Promise<DeviceCounts> {
  const rows = await judgedDevices(db, rules)
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

/** Of those that are enrolled; a query of its own, as there may be as many owners as devices. */
export async function countOwners(db: Db): Promise<Counted[]> {
  const rows = await db
    .selectFrom('devices')
    .select('owner as name')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .groupBy('owner')
    .orderBy('count', 'desc')
    .orderBy('owner')
    .limit(MOST)
    .execute()
  return rows.map(({ name, count }) => ({ name, count: Number(count) }))
}
