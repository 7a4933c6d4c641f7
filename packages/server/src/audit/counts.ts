// Counts over time: from the sums if they are detailed enough, otherwise from the rows.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import type { Team } from '../team.js'
import { type Bar, barsOf, widthFor } from './bars.js'
import { matching, type RecordFilter, wantedOf } from './filter.js'
import { inTime } from './reader/reader.js'
import { dividedByHours, haveSums, hoursOf, sumsFilter, sumsIn } from './sums.js'
import { HOUR_MS } from './tally.js'
import { SHOWN_SQL } from './verdict.js'

const BARS = 60
const MOST_BARS = 500

export async function countRecords(
  team: Team,
  request: { filter?: Filter | undefined; buckets: number },
): Promise<{ bars: readonly Bar[]; total: number }> {
  const wanted = wantedOf(request.filter, team.now())
  const most = request.buckets > 0 ? Math.min(request.buckets, MOST_BARS) : BARS
  // No bars for the future.
  const shownTo = Math.max(wanted.from + 1, Math.min(wanted.to, team.now()))
  const isSummed = haveSums(wanted)
  const width = widthFor(wanted.from, shownTo, most, isSummed ? HOUR_MS : 0)
  const counts = await inTime(isSummed ? countSums(team, wanted, width) : countRows(team, wanted, width))
  return {
    bars: barsOf(wanted.from, shownTo, width, counts),
    total: counts.reduce((sum, { count }) => sum + count, 0),
  }
}

type Counts = readonly { readonly at: number; readonly verdict: string; readonly count: number }[]

async function countSums(team: Team, wanted: RecordFilter, width: number): Promise<Counts> {
  const { whole, edges } = dividedByHours(wanted)
  const sums = sumsIn(hoursOf(whole), width % DAY_MS === 0 ? 'day' : 'hour')
  const [{ rows }, ...rest] = await Promise.all([
    sql<{ hour: number; verdict: string; count: number }>`
      select hour, verdict, sum(count) as count from ${sums} where ${sumsFilter(wanted)} group by hour, verdict`.execute(
      team.records.reader,
    ),
    ...edges.map(edge => countRows(team, edge, width)),
  ])
  const inHours = rows.map(({ hour, verdict, count }) => ({ at: hour * HOUR_MS, verdict, count }))
  return [...inHours, ...rest.flat()]
}

async function countRows({ records, store }: Team, wanted: RecordFilter, width: number): Promise<Counts> {
  const bar = sql<number>`at / ${sql.lit(width)}`
  const rows = await matching(records.reader, store.kind, wanted)
    .select([bar.as('bar'), sql.raw<string>(SHOWN_SQL).as('verdict'), sql<number>`count(*)`.as('count')])
    .groupBy([sql`1`, sql`2`])
    .execute()
  return rows.map(({ bar: index, verdict, count }) => ({ at: index * width, verdict, count }))
}
