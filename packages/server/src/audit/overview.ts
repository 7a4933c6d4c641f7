// The figures of the first page. They come from the sums; only the most frequent denials are read from rows, the newest
// of them.

import { DAY_MS, HOUR_MS } from '../durations.js'
import { GAP } from '../records/gap.js'
import { quantile } from '../records/histogram.js'
import { BUCKETS } from '../records/record.js'
import type { Rules } from '../store/device-states.js'
import { type Counted, countDevices } from '../store/devices.js'
import { inTime } from '../store/reader.js'
import { sumRecords } from '../store/record-sums.js'
import { countNewest } from '../store/records.js'
import type { Team } from '../team.js'
import { type Bar, barsOf, widthFor } from './bars.js'
import { EVERYTHING, rangeOf, sourceOf } from './filter.js'
import { hookNames } from './names.js'

export interface Figures {
  readonly runs: number
  readonly denials: number
  readonly asks: number
  readonly failedOpen: number
  readonly failures: number
}

export interface HookFigures {
  readonly hook: string
  readonly runs: number
  readonly failures: number
  readonly denials: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly label: string
}

export interface Overview {
  readonly now: Figures
  readonly before: Figures
  readonly bars: readonly Bar[]
  readonly slowest: readonly HookFigures[]
  readonly failing: readonly HookFigures[]
  readonly topDenied: readonly { readonly name: string; readonly count: number }[]
  readonly devices: number
  readonly inSync: number
  readonly behind: number
  readonly silent: number
  readonly deviceStates: readonly Counted[]
}

const BARS = 60
const LISTED = 10
const NEWEST_DENIALS = 5000
/** Of hooks and verdicts together: the name of a hook on a device is free to choose. */
const MOST_SUMS = 10_000

export async function overviewOf(
  team: Team,
  rules: Rules,
  request: { from: string; to: string },
): Promise<Overview> {
  const now = team.now()
  const { from, to } = rangeOf(request.from, request.to, now)
  const shownTo = Math.max(from + 1, Math.min(to, now))
  const span = shownTo - from
  const [hooks, figuresNow, before, bars, topDenied, devices] = await inTime(
    Promise.all([
      hookSums(team, from, to),
      verdictSums(team, from, to),
      verdictSums(team, from - span, from),
      barSums(team, from, to, shownTo),
      mostDenied(team, from, to),
      deviceStates(team, rules),
    ]),
  )
  const names = await hookNames(
    team.records.reader,
    hooks.map(({ hook }) => hook),
  )
  const figures = hooks.map(({ hook, verdicts, counts }) => ({
    hook,
    label: names.get(hook) ?? '',
    ...pick(figuresIn(verdicts)),
    p50Ms: quantile(counts, 0.5),
    p95Ms: quantile(counts, 0.95),
  }))
  const named = figures.filter(({ hook }) => hook !== '')
  return {
    now: figuresIn(figuresNow),
    before: figuresIn(before),
    bars,
    topDenied,
    slowest: named.toSorted((a, b) => b.p95Ms - a.p95Ms).slice(0, LISTED),
    failing: named
      .filter(({ failures }) => failures > 0)
      .toSorted((a, b) => b.failures / b.runs - a.failures / a.runs)
      .slice(0, LISTED),
    ...devices,
  }
}

type Verdicts = ReadonlyMap<string, number>

const figuresIn = (verdicts: Verdicts): Figures => {
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (verdicts.get(name) ?? 0), 0)
  return {
    runs: count(...verdicts.keys()),
    denials: count('deny'),
    asks: count('ask'),
    failedOpen: count('failed_open'),
    failures: count('failed', 'failed_open'),
  }
}
const pick = ({ runs, failures, denials }: Figures) => ({ runs, failures, denials })

interface HookSums {
  readonly hook: string
  readonly verdicts: Map<string, number>
  readonly counts: number[]
}

async function hookSums({ records }: Team, from: number, to: number): Promise<readonly HookSums[]> {
  const rows = await sumRecords(records.reader, { from, to }, ['hook', 'verdict'], {
    ...RUNS,
    byDay: true,
    limit: MOST_SUMS,
    withBuckets: true,
  })
  const hooks = new Map<string, HookSums>()
  for (const row of rows) {
    const known = hooks.get(row.hook) ?? { hook: row.hook, verdicts: new Map(), counts: BUCKETS.map(() => 0) }
    known.verdicts.set(row.verdict, row.count)
    for (const [index, name] of BUCKETS.entries()) known.counts[index]! += row[name]
    hooks.set(row.hook, known)
  }
  return [...hooks.values()]
}

/** A gap is not a run. */
const RUNS = { withoutEvent: GAP }

async function verdictSums({ records }: Team, from: number, to: number): Promise<Verdicts> {
  const rows = await sumRecords(records.reader, { from, to }, ['verdict'], { ...RUNS, byDay: true })
  return new Map(rows.map(({ verdict, count }) => [verdict, count]))
}

async function barSums({ records }: Team, from: number, to: number, shownTo: number): Promise<Bar[]> {
  const width = widthFor(from, shownTo, BARS, HOUR_MS)
  const byDay = width % DAY_MS === 0
  const rows = await sumRecords(records.reader, { from, to }, ['hour', 'verdict'], { ...RUNS, byDay })
  return barsOf(
    from,
    shownTo,
    width,
    rows.map(({ hour, ...row }) => ({ at: hour * HOUR_MS, ...row })),
  )
}

async function mostDenied(team: Team, from: number, to: number) {
  const wanted = { ...EVERYTHING, from, to, verdicts: ['deny'] }
  const rows = await countNewest(sourceOf(team), wanted, ['summary'], {
    newest: NEWEST_DENIALS,
    limit: LISTED,
  })
  return rows.map(({ summary: name, count }) => ({ name, count }))
}

async function deviceStates(team: Team, rules: Rules) {
  const { total, states } = await countDevices(team.records.reader, await rules())
  const count = (name: string) => states.find(state => state.name === name)?.count ?? 0
  const [inSync, silent] = [count('in_sync'), count('silent')]
  return { devices: total, inSync, silent, behind: total - inSync - silent, deviceStates: states }
}
