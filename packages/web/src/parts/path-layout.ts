// The waterfall of one event on its own axis: on the axis of a session, hooks of a few milliseconds are invisible.

import { type AxisTick, axisTicks } from './timeline-axis.js'

export interface Timed {
  readonly startMs: number
  readonly durationMs: number
}

export interface Waterfall {
  /** Shares of the total, 0 to 1. */
  readonly bars: readonly { readonly left: number; readonly width: number }[]
  readonly ticks: readonly (AxisTick & { readonly left: number })[]
  readonly totalMs: number
}

const sane = (value: number) => (Number.isFinite(value) && value > 0 ? value : 0)

export function waterfall(steps: readonly Timed[], most = 5): Waterfall {
  const spans = steps.map(({ startMs, durationMs }) => ({ start: sane(startMs), length: sane(durationMs) }))
  const totalMs = Math.max(0, ...spans.map(({ start, length }) => start + length))
  const share = (ms: number) => (totalMs > 0 ? ms / totalMs : 0)
  return {
    totalMs,
    bars: spans.map(({ start, length }) => ({ left: share(start), width: share(length) })),
    ticks: axisTicks(0, totalMs, most).map(tick => ({ ...tick, left: share(tick.at) })),
  }
}

/** Whether they ran beside each other. */
export const together = (steps: readonly Timed[]): boolean =>
  steps.some((step, index) =>
    steps.some(
      (other, at) =>
        at > index &&
        step.startMs < other.startMs + other.durationMs &&
        other.startMs < step.startMs + step.durationMs,
    ),
  )
