// Totals, bars over time and facets of the filtered events.

import type { CountRunsRequest } from '@holdfast/web/panel'
import type { Book } from './book.js'
import { type RunsOf, wantedBy } from './filter.js'
import { type EventRow, RUN_VERDICTS, verdictOfAll } from './row.js'

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
  const found = book.occurrences().filter(wantedBy(filter, runsOf))
  const labels = new Map<string, string>()
  for (const { rows } of found) for (const { group, hook } of rows) labels.set(group, hook)
  return {
    total: found.length,
    verdicts: inOrder(tally(found, one => [verdictOfAll(one)])),
    bars: bars(found, filter, Math.min(buckets > 0 ? buckets : USUAL_BARS, MOST_BARS)),
    events: facet(found, ({ rows }) => [rows[0]!.event]),
    hooks: withLabels(
      facet(found, ({ rows }) => rows.map(({ group }) => group)),
      labels,
    ),
    sources: facet(found, ({ rows }) => rows.map(({ source }) => source)),
  }
}

/** Short names; if two hooks share one, with a distinguishing part. */
function withLabels(counts: readonly Count[], labels: ReadonlyMap<string, string>) {
  const uses = new Map<string, number>()
  for (const { name } of counts) uses.set(labels.get(name)!, (uses.get(labels.get(name)!) ?? 0) + 1)
  return counts.map(each => {
    const label = labels.get(each.name)!
    return { ...each, label: uses.get(label) === 1 ? label : `${label} (${each.name})` }
  })
}

interface Count {
  readonly name: string
  readonly count: number
}

type NamesOf = (occurrence: EventRow) => readonly string[]

/** An event counts once for each name. */
function tally(all: readonly EventRow[], namesOf: NamesOf): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of all)
    for (const name of new Set(namesOf(one))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const facet = (all: readonly EventRow[], namesOf: NamesOf): Count[] =>
  [...tally(all, namesOf)]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name))
    .slice(0, MOST_FACETS)

/** A fixed order, so that bars are stacked alike. */
const inOrder = (counts: ReadonlyMap<string, number>): Count[] =>
  RUN_VERDICTS.flatMap(name => (counts.has(name) ? [{ name, count: counts.get(name)! }] : []))

/** A chart of one event still has an axis. */
const LEAST_MS = 60_000
/** Space for the data at the ends of the axis. */
const MARGIN = 0.02

/** The chart covers the events, and no more of the range. */
function bars(all: readonly EventRow[], filter: CountRunsRequest['filter'], wanted: number) {
  const timed = all
    .map(one => ({ one, timeMs: one.rows[0]!.timeMs }))
    .filter(({ timeMs }) => Number.isFinite(timeMs))
  if (timed.length === 0) return []
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { timeMs } of timed) {
    first = Math.min(first, timeMs)
    last = Math.max(last, timeMs)
  }
  const room = Math.max((last - first) * MARGIN, (LEAST_MS - (last - first)) / 2)
  const from = Math.max(first - room, filter?.from ? Date.parse(filter.from) : Number.NEGATIVE_INFINITY)
  const to = Math.max(
    Math.min(last + room, filter?.to ? Date.parse(filter.to) : Number.POSITIVE_INFINITY),
    last + 1,
  )
  const width = Math.max(1, Math.ceil((to - from) / wanted))
  const boxes: Map<string, number>[] = Array.from({ length: Math.ceil((to - from) / width) }, () => new Map())
  for (const { one, timeMs } of timed) {
    const box = boxes[Math.floor((timeMs - from) / width)]
    const verdict = verdictOfAll(one)
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
