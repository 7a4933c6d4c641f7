// The sums that are computed while records arrive, as one table: whole days where days are enough, hours at the edges,
// and what is not in either yet. One query reads them, so that nothing is counted twice or missed.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { HOUR_MS } from '../durations.js'
import { BUCKETS, type Bucket } from '../records/record.js'
import type { Db } from './open.js'
import { conditionsOf, NO_VALUES, type RecordFilter } from './records.js'

const DAY = 24
const COLUMNS = sql.raw(['hour', 'hook', 'event', 'release', 'verdict', 'count', ...BUCKETS].join(', '))
const ALL_BUCKETS = sql.raw(BUCKETS.map(name => `, sum(${name}) as ${name}`).join(''))

const CONDITION = {
  events: (values: readonly string[]) => sql<SqlBool>`event in (${sql.join(values)})`,
  hooks: (values: readonly string[]) => sql<SqlBool>`hook in (${sql.join(values)})`,
  verdicts: (values: readonly string[]) => sql<SqlBool>`verdict in (${sql.join(values)})`,
}

type Column = 'hour' | 'hook' | 'event' | 'verdict'
type Sum<C extends Column> = { readonly [column in C]: column extends 'hour' ? number : string } & {
  readonly count: number
}

export interface SumOptions {
  /** Days in place of hours where the range holds complete days. */
  readonly byDay: boolean
  /** The most rows, the largest sums first. */
  readonly limit?: number
  readonly withoutEvent?: string
}

/** Of the hours that the range touches, by these columns. */
export async function sumRecords<C extends Column>(
  db: Db,
  range: Pick<RecordFilter, 'from' | 'to'> & Partial<RecordFilter>,
  columns: readonly C[],
  options: SumOptions & { readonly withBuckets: true },
): Promise<readonly (Sum<C> & Readonly<Record<Bucket, number>>)[]>
export async function sumRecords<C extends Column>(
  db: Db,
  range: Pick<RecordFilter, 'from' | 'to'> & Partial<RecordFilter>,
  columns: readonly C[],
  options: SumOptions,
): Promise<readonly Sum<C>[]>
export async function sumRecords<C extends Column>(
  db: Db,
  range: Pick<RecordFilter, 'from' | 'to'> & Partial<RecordFilter>,
  columns: readonly C[],
  { byDay, limit, withoutEvent, withBuckets }: SumOptions & { readonly withBuckets?: true },
): Promise<readonly Sum<C>[]> {
  const wanted = { ...NO_VALUES, excluded: NO_VALUES, text: '', release: 0, conversationId: '', ...range }
  const names = sql.join(columns.map(name => sql.ref(name)))
  const conditions = [
    sql`true`,
    ...conditionsOf(wanted, CONDITION),
    ...(wanted.release === 0 ? [] : [sql`release = ${wanted.release}`]),
    ...(withoutEvent === undefined ? [] : [sql`event <> ${withoutEvent}`]),
  ]
  const { rows } = await sql<Sum<C>>`
    select ${names}, sum(count) as count${withBuckets ? ALL_BUCKETS : sql``} from ${sumsIn(range, byDay)}
    where ${sql.join(conditions, sql` and `)} group by ${names}
    ${limit === undefined ? sql`` : sql`order by sum(count) desc limit ${limit}`}`.execute(db)
  return rows
}

function sumsIn({ from, to }: Pick<RecordFilter, 'from' | 'to'>, byDay: boolean): RawBuilder<unknown> {
  const [first, end] = [Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS)]
  const [firstDay, endDay] = [Math.ceil(first / DAY) * DAY, Math.floor(end / DAY) * DAY]
  const part = (span: number, from: number, to: number) =>
    sql`select ${COLUMNS} from rollup where span = ${sql.lit(span)} and hour >= ${from} and hour < ${to}`
  const kept =
    byDay && firstDay < endDay
      ? sql`${part(DAY, firstDay, endDay)} union all ${part(1, first, firstDay)} union all ${part(1, endDay, end)}`
      : part(1, first, end)
  return sql`(${kept} union all select ${COLUMNS} from rollup_deltas where hour >= ${first} and hour < ${end}) as sums`
}
