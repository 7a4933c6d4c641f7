// The sums that are computed while records arrive, as one table: whole days where days are enough, hours at the edges,
// and what is not in either yet. One query reads them, so that nothing is counted twice or missed.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { BUCKETS } from '../store/schema.js'
import { conditionsOf, isOpen, type RecordFilter } from './filter.js'
import { HOUR_MS, hourAfter, hourBefore } from './tally.js'

/** For a shorter range, hours would be too coarse. */
const SHORTEST_MS = 6 * HOUR_MS
const DAY = 24

/** Whether the sums know enough to answer. */
export const haveSums = (wanted: RecordFilter): boolean =>
  wanted.to - wanted.from > SHORTEST_MS &&
  isOpen(wanted, 'deviceIds', 'owners') &&
  wanted.text === '' &&
  wanted.conversationId === ''

/** The whole hours of it, for the sums; and both ends, for the rows. */
export function dividedByHours(wanted: RecordFilter): {
  readonly whole: RecordFilter
  readonly edges: readonly RecordFilter[]
} {
  const [from, to] = [hourAfter(wanted.from), hourBefore(wanted.to)]
  const edges = [
    { ...wanted, to: from },
    { ...wanted, from: to },
  ]
  return { whole: { ...wanted, from, to }, edges: edges.filter(edge => edge.from < edge.to) }
}

export interface Hours {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

export const hoursOf = ({ from, to }: { from: number; to: number }): Hours => ({
  first: Math.floor(from / HOUR_MS),
  end: Math.ceil(to / HOUR_MS),
})

const COLUMNS = sql.raw(['hour', 'hook', 'event', 'release', 'verdict', 'count', ...BUCKETS].join(', '))

/** `by` is the smallest set of columns that the hours are grouped by. */
export function sumsIn({ first, end }: Hours, by: 'hour' | 'day'): RawBuilder<unknown> {
  const firstDay = Math.ceil(first / DAY) * DAY
  const endDay = Math.floor(end / DAY) * DAY
  const part = (span: number, from: number, to: number) =>
    sql`select ${COLUMNS} from rollup where span = ${sql.lit(span)} and hour >= ${from} and hour < ${to}`
  const kept =
    by === 'day' && firstDay < endDay
      ? sql`${part(DAY, firstDay, endDay)} union all ${part(1, first, firstDay)} union all ${part(1, endDay, end)}`
      : part(1, first, end)
  return sql`(${kept} union all select ${COLUMNS} from rollup_deltas where hour >= ${first} and hour < ${end}) as sums`
}

export function sumsFilter(wanted: RecordFilter): RawBuilder<unknown> {
  const release = wanted.release === 0 ? [] : [sql`release = ${wanted.release}`]
  return sql.join([sql`true`, ...conditionsOf(wanted, CONDITION), ...release], sql` and `)
}

const CONDITION = {
  events: (values: readonly string[]) => sql<SqlBool>`event in (${sql.join(values)})`,
  hooks: (values: readonly string[]) => sql<SqlBool>`hook in (${sql.join(values)})`,
  verdicts: (values: readonly string[]) => sql<SqlBool>`verdict in (${sql.join(values)})`,
}
