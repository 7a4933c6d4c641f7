// The positions of the bars of a histogram and the labels of its axes. Pure, so that odd days can be tested.

import { dateFormat } from '../words/locale.js'

export interface Counted {
  readonly name: string
  readonly count: number
}

export interface TimeBar {
  readonly from: string | number
  readonly to: string | number
  readonly counts: readonly Counted[]
}

export interface TimeRange {
  readonly from: number
  readonly to: number
}

export interface Column {
  readonly x: number
  readonly width: number
  readonly from: number
  readonly to: number
  readonly total: number
  readonly counts: readonly Counted[]
  /** From the bottom up; y is the upper edge. */
  readonly parts: readonly { readonly name: string; readonly y: number; readonly height: number }[]
}

export interface Tick {
  readonly x: number
  readonly at: number
  readonly label: string
}

export interface Chart {
  readonly range: TimeRange
  readonly columns: readonly Column[]
  readonly ticks: readonly Tick[]
  /** The largest sum of a bar. */
  readonly highest: number
  /** The upper end of the axis: a round figure that is no less. */
  readonly ceiling: number
}

/** From the bottom up: what needs attention is on top. */
const ORDER = ['silent', 'none', 'answered', 'allow', 'ask', 'observed_deny', 'deny', 'failed', 'failed_open']
const rank = (name: string) => ORDER.indexOf(name)

export const inOrder = <Item extends Counted>(counts: readonly Item[]): Item[] =>
  [...counts].sort((a, b) => rank(a.name) - rank(b.name))

/** One denial among ten thousand runs stays visible. */
const LEAST_PX = 2
const GAP_PX = 1

export function layout(
  bars: readonly TimeBar[],
  box: { readonly width: number; readonly height: number },
  given?: TimeRange,
): Chart {
  const known = bars
    .map(({ from, to, counts }) => ({ from: +new Date(from), to: +new Date(to), counts }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from)
  const range = given ?? { from: known[0]?.from ?? 0, to: known.at(-1)?.to ?? 0 }
  const length = range.to - range.from
  if (!(length > 0) || !(box.width > 0)) return { range, columns: [], ticks: [], highest: 0, ceiling: 0 }
  const toX = (at: number) => (Math.min(Math.max(at - range.from, 0), length) / length) * box.width
  const seen = known.filter(({ from, to }) => to > range.from && from < range.to)
  const highest = Math.max(0, ...seen.map(({ counts }) => sum(counts)))
  const ceiling = roundUp(highest)
  const columns = seen.map(({ from, to, counts }) => {
    const x = toX(from)
    const whole = toX(to) - x
    return {
      x,
      width: Math.max(1, whole > 3 ? whole - GAP_PX : whole),
      from,
      to,
      total: sum(counts),
      counts,
      parts: stack(counts, box.height, ceiling),
    }
  })
  return { range, columns, ticks: ticks(range, box.width), highest, ceiling }
}

/** To a figure whose half is round, too, for the middle label. */
const roundUp = (value: number): number => {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 4, 6, 8, 10].map(each => each * size).find(each => each >= value)!
}

const sum = (counts: readonly Counted[]) => counts.reduce((total, { count }) => total + count, 0)

function stack(counts: readonly Counted[], height: number, ceiling: number): Column['parts'] {
  const shown = inOrder(counts).filter(({ count }) => count > 0)
  const heights = shown.map(({ count }) => Math.max(LEAST_PX, (count / ceiling) * height))
  const over = heights.reduce((total, each) => total + each, 0) - height
  // The largest part shrinks by what the small ones gained.
  if (over > 0) heights[heights.indexOf(Math.max(...heights))]! -= over
  let y = height
  return shown.map(({ name }, index) => {
    y -= heights[index]!
    return { name, y, height: heights[index]! }
  })
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map(each => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(each => each * MINUTE),
  ...[1, 2, 3, 6, 12].map(each => each * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 1820].map(each => each * DAY),
]
const LABEL_PX = 84

/** At whole hours and days of the local clock, also on the two days of the year that are not 24 hours long. */
export function ticks({ from, to }: TimeRange, width: number): Tick[] {
  const least = (to - from) / Math.max(1, Math.floor(width / LABEL_PX))
  const step = STEPS.find(each => each >= least) ?? STEPS.at(-1)!
  const found: Tick[] = []
  const labelOf = createLabeller(step)
  for (let at = firstTick(from, step); at <= to && found.length < 200; at = nextTick(at, step)) {
    if (at < from) continue
    found.push({ at, x: ((at - from) / (to - from)) * width, label: labelOf(at) })
  }
  return found
}

function firstTick(from: number, step: number): number {
  const date = new Date(from)
  if (step < HOUR) return Math.ceil(from / step) * step
  date.setMinutes(0, 0, 0)
  if (step >= DAY) date.setHours(0)
  else date.setHours(Math.floor(date.getHours() / (step / HOUR)) * (step / HOUR))
  return date.getTime()
}

function nextTick(at: number, step: number): number {
  if (step < HOUR) return at + step
  const date = new Date(at)
  if (step >= DAY) date.setDate(date.getDate() + step / DAY)
  else date.setHours(date.getHours() + step / HOUR)
  // An hour that the clock skips must not stop the loop.
  return date.getTime() > at ? date.getTime() : at + step
}

/** Months and clocks of the reader's language; made for each axis, as the local zone may change. */
function createLabeller(step: number): (at: number) => string {
  const seconds = step < MINUTE ? ({ second: '2-digit' } as const) : {}
  const clock = dateFormat({ hour: '2-digit', minute: '2-digit', ...seconds })()
  const day = dateFormat({ day: 'numeric', month: 'short' })()
  const month = dateFormat({ month: 'short', year: 'numeric' })()
  return at => {
    const date = new Date(at)
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0
    if (step >= 91 * DAY) return month.format(date)
    return step >= DAY || isMidnight ? day.format(date) : clock.format(date)
  }
}

/** CET, GMT+2: the zone of the local clock at that time. */
export const zoneAt = (at: number): string =>
  dateFormat({ timeZoneName: 'short' })()
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** The whole bars that a drag from one x to another touches; null for a click. */
export function dragged(chart: Chart, a: number, b: number, width: number): TimeRange | null {
  if (Math.abs(a - b) < 4) return null
  const { from, to } = chart.range
  const toTime = (x: number) => from + (Math.min(Math.max(x, 0), width) / width) * (to - from)
  const [first, last] = [toTime(Math.min(a, b)), toTime(Math.max(a, b))]
  const touched = chart.columns.filter(column => column.to > first && column.from < last)
  return {
    from: Math.max(from, Math.min(first, touched[0]?.from ?? first)),
    to: Math.min(to, Math.max(last, touched.at(-1)?.to ?? last)),
  }
}
