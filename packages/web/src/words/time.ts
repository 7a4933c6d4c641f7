// Times and durations as people read them.

import { dateFormat } from './locale.js'
import { decimal, fixed } from './number.js'

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const
const clockFormat = dateFormat(CLOCK)
const exactFormat = dateFormat({ ...CLOCK, fractionalSecondDigits: 3 })
const shortFormat = dateFormat({ hour: '2-digit', minute: '2-digit' })
const dayFormat = dateFormat(DAY)
const momentFormat = dateFormat({ ...DAY, year: 'numeric', hour: '2-digit', minute: '2-digit' })
const completeFormat = dateFormat({
  ...DAY,
  ...CLOCK,
  weekday: 'short',
  year: 'numeric',
  timeZoneName: 'short',
})

type When = string | number | Date

const toDate = (when: When) => new Date(when)

/** 14:02:31 */
export const clock = (when: When): string => clockFormat().format(toDate(when))

/** 14:02 */
export const clockMinutes = (when: When): string => shortFormat().format(toDate(when))

/** 3 Nov */
export const day = (when: When): string => dayFormat().format(toDate(when))

/** 14:02:31.904 */
const clockMs = (when: When): string => exactFormat().format(toDate(when))

/** 14:02 today, 3 Nov otherwise. */
export function brief(when: When, now = Date.now()): string {
  const date = toDate(when)
  return date.toDateString() === new Date(now).toDateString() ? clockMinutes(date) : day(date)
}

/** 14:02:31.904 today, 3 Nov 14:02:31 before. */
export function stamp(when: When, now = Date.now()): string {
  const date = toDate(when)
  if (Number.isNaN(date.getTime())) return 'no time'
  return date.toDateString() === new Date(now).toDateString() ? clockMs(date) : `${day(date)} ${clock(date)}`
}

/** 16 Nov 2026, 11:09 */
export const moment = (when: When): string => momentFormat().format(toDate(when))

/** With the date and the zone: for tooltips and screen readers. */
export const whole = (when: When): string => completeFormat().format(toDate(when))

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** 4 ms, 1.2 s, 18.4 s, 3 min, 2 h */
export function span(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–'
  if (ms < 10) return `${decimal(ms, ms < 1 ? 2 : 1)} ms`
  if (ms < 999.5) return `${decimal(ms, 0)} ms`
  if (ms < 60_000) return `${fixed(ms / 1000, ms < 10_000 ? 2 : 1)} s`
  const [unit, size] = UNITS.find(([, each]) => ms >= each)!
  return `${Math.round(ms / size)} ${unit}`
}

/** just now, 5 min ago, 3 d ago */
export function ago(when: When, now = Date.now()): string {
  const ms = now - toDate(when).getTime()
  if (!Number.isFinite(ms)) return 'never'
  if (ms < 10_000) return 'just now'
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3]
  return `${Math.floor(ms / size)} ${unit} ago`
}
