// Totals, bars over time and facets of the runs that a filter leaves.

import type { CountRunsRequest } from '@holdfast/web/panel'
import type { Book } from './book.js'
import { type RunsOf, wantedBy } from './filter.js'
import { type Row, RUN_VERDICTS } from './row.js'

const USUAL_BARS = 60
const MOST_BARS = 240
/** Of each facet, the most frequent. */
const MOST_FACETS = 100

export function countRuns(
  book: Book,
  { filter, buckets }: Pick<CountRunsRequest, 'filter' | 'buckets'>,
  runsOf: RunsOf,
) {
  book.refresh()
  const found = book.rows().filter(wantedBy(filter, runsOf))
  return {
    total: found.length,
    verdicts: inOrder(tally(found, ({ verdict }) => verdict)),
    bars: bars(found, filter, Math.min(buckets > 0 ? buckets : USUAL_BARS, MOST_BARS)),
    events: facet(found, ({ event }) => event),
    hooks: facet(found, ({ hook }) => hook),
    sources: facet(found, ({ source }) => source),
  }
}

interface Count {
  readonly name: string
  readonly count: number
}

function tally(rows: readonly Row[], nameOf: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const name = nameOf(row)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

const facet = (rows: readonly Row[], nameOf: (row: Row) => string): Count[] =>
  [...tally(rows, nameOf)]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name))
    .slice(0, MOST_FACETS)

/** Always the same, so that bars are stacked alike. */
const inOrder = (counts: ReadonlyMap<string, number>): Count[] =>
  RUN_VERDICTS.flatMap(name => (counts.has(name) ? [{ name, count: counts.get(name)! }] : []))

/** Over the asked time, or over what there is. */
function bars(rows: readonly Row[], filter: CountRunsRequest['filter'], wanted: number) {
  const timed = rows.filter(({ timeMs }) => Number.isFinite(timeMs))
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { timeMs } of timed) {
    first = Math.min(first, timeMs)
    last = Math.max(last, timeMs)
  }
  const from = filter?.from ? Date.parse(filter.from) : first
  const to = filter?.to ? Date.parse(filter.to) : filter?.from ? Math.max(Date.now(), last + 1) : last + 1
  if (!Number.isFinite(from) || !(to > from)) return []
  const width = Math.max(1, Math.ceil((to - from) / wanted))
  const number = Math.ceil((to - from) / width)
  const boxes: Map<string, number>[] = Array.from({ length: number }, () => new Map())
  for (const { timeMs, verdict } of timed) {
    const box = boxes[Math.floor((timeMs - from) / width)]
    box?.set(verdict, (box.get(verdict) ?? 0) + 1)
  }
  return boxes.map((box, index) => ({
    from: iso(from + index * width),
    to: iso(Math.min(to, from + (index + 1) * width)),
    verdicts: inOrder(box),
  }))
}

const FURTHEST = 8.64e15
const iso = (ms: number): string => new Date(Math.max(-FURTHEST, Math.min(FURTHEST, ms))).toISOString()
