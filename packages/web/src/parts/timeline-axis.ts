// Round figures for an axis of milliseconds.

import { span } from '../words/time.js'

export interface AxisTick {
  readonly at: number
  readonly label: string
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LARGE = [2, 5, 10, 15, 30]
  .map(each => each * SECOND)
  .concat(
    [1, 2, 5, 10, 15, 30].map(each => each * MINUTE),
    [1, 2, 3, 6, 12].map(each => each * HOUR),
    [1, 2, 7, 14, 28, 91, 364].map(each => each * DAY),
  )

/** Milliseconds in steps of 1, 2, 5, 10 …; longer times in the units of a clock. */
export function roundStep(least: number): number {
  if (!(least > 0)) return 1
  if (least <= SECOND) {
    const power = 10 ** Math.floor(Math.log10(least))
    return [1, 2, 5, 10].map(each => each * power).find(each => each >= least * 0.999)!
  }
  return LARGE.find(each => each >= least) ?? Math.ceil(least / (364 * DAY)) * 364 * DAY
}

/** At most this many, within from and to. */
export function axisTicks(from: number, to: number, most: number): AxisTick[] {
  if (!(to > from) || most < 1) return []
  const step = roundStep((to - from) / most)
  const found: AxisTick[] = []
  for (let number = Math.ceil(from / step); number * step <= to && found.length <= most; number++) {
    found.push({ at: number * step, label: axisLabel(number * step, step) })
  }
  return found
}

/** 0 s, 3 s, 1:30, 40 ms, 2.5 ms: with as many digits as the step needs. */
export function axisLabel(ms: number, step: number): string {
  if (ms < 0) return `−${axisLabel(-ms, step)}`
  if (step >= DAY) return `${Math.round(ms / DAY)} d`
  if (step >= HOUR) return `${Math.round(ms / HOUR)} h`
  if (ms >= MINUTE) {
    const minutes = Math.floor(ms / MINUTE)
    const rest = (ms - minutes * MINUTE) / SECOND
    const places = placesOf(step)
    return `${minutes}:${rest.toFixed(places).padStart(places ? 3 + places : 2, '0')}`
  }
  if (step >= SECOND) return `${Math.round(ms / SECOND)} s`
  if (ms >= SECOND) return `${(ms / SECOND).toFixed(placesOf(step))} s`
  return ms === 0 ? '0' : span(ms)
}

const placesOf = (step: number): number =>
  step >= SECOND ? 0 : Math.min(3, Math.ceil(-Math.log10(step / SECOND) - 1e-9))
