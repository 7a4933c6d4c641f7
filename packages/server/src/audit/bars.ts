// Counts over time, in bars of a readable width.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.js'

const WIDTHS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
  365 * DAY_MS,
]

export interface Bar {
  readonly from: number
  readonly to: number
  readonly verdicts: Map<string, number>
}

export function widthFor(from: number, to: number, most: number, least: number): number {
  const fits = (width: number) => width >= least && Math.ceil(to / width) - Math.floor(from / width) <= most
  return WIDTHS.find(fits) ?? Math.ceil((to - from) / DAY_MS / Math.max(1, most - 1)) * DAY_MS
}

/** From counts at times; the last bar includes times after the end, because some clocks are ahead. */
export function barsOf(
  from: number,
  to: number,
  width: number,
  counts: readonly { readonly at: number; readonly verdict: string; readonly count: number }[],
): Bar[] {
  const first = Math.floor(from / width)
  const end = Math.max(first + 1, Math.ceil(to / width))
  const bars: Bar[] = Array.from({ length: end - first }, (_, index) => ({
    from: (first + index) * width,
    to: (first + index + 1) * width,
    verdicts: new Map(),
  }))
  for (const { at, verdict, count } of counts) {
    const index = Math.min(bars.length - 1, Math.max(0, Math.floor(at / width) - first))
    const { verdicts } = bars[index]!
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + count)
  }
  return bars
}
