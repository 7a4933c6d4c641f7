// Queries of records. A list never selects the body.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import { LISTED, type Listed, type ShownVerdict } from '../records/record.js'
import type { DatabaseKind } from './kind.js'
import { patternOf } from './like.js'
import type { Db } from './open.js'

/** Values of each kind: those that are wanted, or those that are left out. */
export interface Values {
  readonly events: readonly string[]
  readonly hooks: readonly string[]
  readonly deviceIds: readonly string[]
  readonly verdicts: readonly string[]
  /** Owners of devices; empty text for devices without one. */
  readonly owners: readonly string[]
}
export type Kind = keyof Values

export interface RecordFilter extends Values {
  readonly from: number
  /** Not included. */
  readonly to: number
  readonly excluded: Values
  readonly text: string
  readonly release: number
  readonly conversationId: string
}

export const NO_VALUES: Values = { events: [], hooks: [], deviceIds: [], verdicts: [], owners: [] }
const KINDS = Object.keys(NO_VALUES) as Kind[]

/** A reader, and which database it reads. */
export interface Source {
  readonly reader: Db
  readonly kind: DatabaseKind
}

function matching({ reader, kind }: Source, wanted: RecordFilter) {
  const { from, to, verdicts, text, release, conversationId } = wanted
  let query = reader.selectFrom('records').where('at', '>=', from).where('at', '<', to)
  if (kind === 'postgres') {
    // Only then the partitions of other days are not opened.
    const [first, last] = [Math.floor(from / DAY_MS), Math.floor((to - 1) / DAY_MS)]
    query = query.where(({ eb, or, between }) => or([eb('day', '=', 0), between('day', first, last)]))
  }
  for (const condition of conditionsOf(wanted, CONDITION)) query = query.where(condition)
  if (release !== 0) query = query.where('release', '=', release)
  if (conversationId !== '') query = query.where('conversation_id', '=', conversationId)
  // Repeats a condition in the terms of the partial index.
  if (verdicts.length > 0 && !verdicts.includes('allow') && !verdicts.includes('none'))
    query = query.where(sql<boolean>`verdict <> 'allow' and verdict <> 'none'`)
  if (text !== '') {
    const like = sql.raw(kind === 'postgres' ? 'ilike' : 'like')
    query = query.where(sql<boolean>`summary ${like} ${patternOf(text)} escape '\\'`)
  }
  return query
}

type Conditions = { readonly [kind in Kind]?: (values: readonly string[]) => RawBuilder<SqlBool> }

/** The condition for each verdict, in columns with known statistics. */
const VERDICT: Readonly<Record<ShownVerdict, string>> = {
  allow: "verdict = 'allow'",
  deny: "verdict = 'deny' and observed = 0",
  ask: "verdict = 'ask'",
  none: "verdict = 'none'",
  failed: "verdict = 'failed' and failed_open = 0",
  failed_open: "verdict = 'failed' and failed_open = 1",
  observed_deny: "verdict = 'deny' and observed = 1",
}

const CONDITION: Conditions = {
  events: values => sql`event in (${sql.join(values)})`,
  hooks: values => sql`hook in (${sql.join(values)})`,
  deviceIds: values => sql`device_id in (${sql.join(values)})`,
  verdicts: values => sql.raw(`(${values.map(value => `(${VERDICT[value as ShownVerdict]})`).join(' or ')})`),
  owners: values => sql`device_id in (select id from devices where owner in (${sql.join(values)}))`,
}

/** One condition for each kind with wanted values, and one for each with excluded values. */
export const conditionsOf = (wanted: RecordFilter, conditions: Conditions): RawBuilder<SqlBool>[] =>
  KINDS.flatMap(kind => {
    const condition = conditions[kind]
    if (!condition) return []
    return [
      ...(wanted[kind].length > 0 ? [condition(wanted[kind])] : []),
      ...(wanted.excluded[kind].length > 0 ? [sql<SqlBool>`not ${condition(wanted.excluded[kind])}`] : []),
    ]
  })

/** The position of a record in a list. */
export interface RecordPlace {
  readonly at: number
  readonly id: string
}

export const newestRecords = (
  source: Source,
  wanted: RecordFilter,
  { before, limit }: { before: RecordPlace | null; limit: number },
) =>
  matching(source, wanted)
    .select(LISTED)
    .$if(before !== null, query => query.where(sql<boolean>`(at, id) < (${before!.at}, ${before!.id})`))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export type FullRecord = Listed & { readonly body: string }

export const oldestRecords = (
  source: Source,
  wanted: RecordFilter,
  { after, limit }: { after: RecordPlace | null; limit: number },
) =>
  matching(source, wanted)
    .select([...LISTED, 'body'])
    .$if(after !== null, query => query.where(sql<boolean>`(at, id) > (${after!.at}, ${after!.id})`))
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** The records with these ids, in any of these days. */
export const recordsById = (db: Db, days: readonly number[], ids: readonly string[]): Promise<FullRecord[]> =>
  db
    .selectFrom('records')
    .select([...LISTED, 'body'])
    .where('day', 'in', days)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()

/** The shown verdict, as an expression. */
const SHOWN = sql<string>`case when failed_open = 1 then 'failed_open' when observed = 1 and verdict = 'deny' then 'observed_deny' else verdict end`

export const countByTime = (source: Source, wanted: RecordFilter, width: number) =>
  matching(source, wanted)
    .select([
      sql<number>`at / ${sql.lit(width)}`.as('bar'),
      SHOWN.as('verdict'),
      sql<number>`count(*)`.as('count'),
    ])
    .groupBy([sql`1`, sql`2`])
    .execute()

type Counted<K extends string> = { readonly [key in K]: string } & { readonly count: number }

/** Counts the newest records by these columns, the most frequent first. `verdict` is the shown one. */
export async function countNewest<K extends 'event' | 'hook' | 'verdict' | 'summary'>(
  source: Source,
  wanted: RecordFilter,
  columns: readonly K[],
  { newest, limit }: { newest: number; limit: number },
): Promise<readonly Counted<K>[]> {
  const found = matching(source, wanted)
    .select(columns.map(name => (name === 'verdict' ? SHOWN : sql.ref<string>(name)).as(name)))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(newest)
  const names = sql.join(columns.map(name => sql.ref(name)))
  const { rows } = await sql<Counted<K>>`
    select ${names}, count(*) as count from (${found}) as newest
    group by ${names} order by count(*) desc, ${names} limit ${limit}`.execute(source.reader)
  return rows
}

export interface DeviceCount {
  readonly name: string
  readonly label: string
  readonly count: number
}

/** By device or by owner: the newest records, or the sums of whole days if `byDay` says that they suffice. */
export async function countByDevice(
  source: Source,
  wanted: RecordFilter,
  by: 'deviceIds' | 'owners',
  { byDay, newest, limit }: { byDay: boolean; newest: number; limit: number },
): Promise<readonly DeviceCount[]> {
  const { reader } = source
  const counted = byDay
    ? reader
        .selectFrom('device_days')
        .select(['device_id', 'count'])
        .where('day', '>=', Math.floor(wanted.from / DAY_MS))
        .where('day', '<', Math.ceil(wanted.to / DAY_MS))
    : matching(source, wanted)
        .select(['device_id', sql<number>`1`.as('count')])
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(newest)
  const [name, label] =
    by === 'owners'
      ? [sql`coalesce(devices.owner, '')`, sql`''`]
      : [sql`device_id`, sql`coalesce(max(devices.name), '')`]
  const { rows } = await sql<DeviceCount>`
    select ${name} as name, ${label} as label, sum(count) as count from (${counted}) as counted
    left join devices on devices.id = counted.device_id
    group by ${name} order by sum(count) desc, 1 limit ${limit}`.execute(reader)
  return rows
}

/** A record of an event, with the present name of its device. */
export interface EventRecord extends RecordPlace {
  readonly summary: string
  readonly body: string
  readonly name: string | null
}

const ofEvent = (db: Db, event: string, from: number) =>
  db.selectFrom('records').where('records.at', '>=', from).where('records.event', '=', event)

export async function countOfEvent(db: Db, event: string, from: number): Promise<number> {
  const { count } = await ofEvent(db, event, from)
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Newest first. */
export const pageOfEvent = (
  db: Db,
  event: string,
  from: number,
  { before, limit }: { before: RecordPlace | null; limit: number },
) =>
  ofEvent(db, event, from)
    .leftJoin('devices', 'devices.id', 'records.device_id')
    .select(['records.id', 'records.at', 'records.summary', 'records.body', 'devices.name'])
    .$if(before !== null, query =>
      query.where(sql<boolean>`(records.at, records.id) < (${before!.at}, ${before!.id})`),
    )
    .orderBy('records.at', 'desc')
    .orderBy('records.id', 'desc')
    .limit(limit)
    .execute()

/** The next records for a collector, as days and ids. */
export async function nextInOutbox(
  db: Db,
): Promise<{ id: number; places: readonly (readonly [day: number, id: string])[] } | undefined> {
  const next = await db.selectFrom('outbox').select(['id', 'ids']).orderBy('id').executeTakeFirst()
  return next && { id: next.id, places: JSON.parse(next.ids) }
}

export const deleteFromOutbox = (db: Db, id: number) => db.deleteFrom('outbox').where('id', '=', id).execute()
