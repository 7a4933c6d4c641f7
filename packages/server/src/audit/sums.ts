// The sums that are kept while records come in, as one table: whole days where days will do, hours at the edges, and what
// has not been added to either yet. In one query, so that nothing is seen twice or not at all.

import { type RawBuilder, sql } from 'kysely'
import { BUCKETS } from '../store/schema.js'
import type { Wanted } from './filter.js'
import { HOUR_MS, hourAfter, hourBefore } from './tally.js'

/** For less than this the hours would be too rough. */
const SHORTEST_MS = 6 * HOUR_MS
const DAY = 24

/** Whether the sums know enough to answer. */
export const haveSums = ({ from, to, deviceIds, text, conversationId }: Wanted): boolean =>
  to - from > SHORTEST_MS && deviceIds.length === 0 && text === '' && conversationId === ''

/** The whole hours of it, for the sums; and what is left at both ends, for the rows. */
export function dividedByHours(wanted: Wanted): {
  readonly whole: Wanted
  readonly edges: readonly Wanted[]
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
  /** Not included. */
  readonly end: number
}

export const hoursOf = ({ from, to }: { from: number; to: number }): Hours => ({
  first: Math.floor(from / HOUR_MS),
  end: Math.ceil(to / HOUR_MS),
})

const COLUMNS = sql.raw(['hour', 'hook', 'event', 'release', 'verdict', 'count', ...BUCKETS].join(', '))

/** `by` is the least that the hours are told apart by. */
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

export function sumsFilter({ events, hooks, verdicts, release }: Wanted): RawBuilder<unknown> {
  const parts = [sql`true`]
  if (events.length > 0) parts.push(sql`event in (${sql.join(events)})`)
  if (hooks.length > 0) parts.push(sql`hook in (${sql.join(hooks)})`)
  if (verdicts.length > 0) parts.push(sql`verdict in (${sql.join(verdicts)})`)
  if (release !== 0) parts.push(sql`release = ${release}`)
  return sql.join(parts, sql` and `)
}
