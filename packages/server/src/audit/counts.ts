// Counts over time: from the sums if they are detailed enough, otherwise from the rows.

import type { Filter } from '@holdfast/team'
import { DAY_MS, HOUR_MS } from '../durations.js'
import { inTime } from '../store/reader.js'
import { sumRecords } from '../store/record-sums.js'
import { countByTime, type RecordFilter } from '../store/records.js'
import type { Team } from '../team.js'
import { type Bar, barsOf, widthFor } from './bars.js'
import { dividedByHours, haveSums, sourceOf, wantedOf } from './filter.js'

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
  const [sums, ...rest] = await Promise.all([
    sumRecords(team.records.reader, whole, ['hour', 'verdict'], { byDay: width % DAY_MS === 0 }),
    ...edges.map(edge => countRows(team, edge, width)),
  ])
  return [...sums.map(({ hour, ...row }) => ({ at: hour * HOUR_MS, ...row })), ...rest.flat()]
}

async function countRows(team: Team, wanted: RecordFilter, width: number): Promise<Counts> {
  const rows = await countByTime(sourceOf(team), wanted, width)
  return rows.map(({ bar, ...row }) => ({ at: bar * width, ...row }))
}
