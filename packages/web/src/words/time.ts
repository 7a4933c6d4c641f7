// Times and spans as people read them.

const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const momentFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
const wholeFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

type When = string | number | Date

const toDate = (when: When) => new Date(when)

/** 14:02:31 */
export const clock = (when: When): string => clockFormat.format(toDate(when))

/** 14:02:31.904 */
export const clockMs = (when: When): string =>
  `${clock(when)}.${String(toDate(when).getMilliseconds()).padStart(3, '0')}`

/** 14:02 today, 3 Nov otherwise. */
export function brief(when: When, now = Date.now()): string {
  const date = toDate(when)
  return date.toDateString() === new Date(now).toDateString()
    ? clock(date).slice(0, 5)
    : dayFormat.format(date)
}

/** 14:02:31.904 today, 3 Nov 14:02:31 before. */
export function stamp(when: When, now = Date.now()): string {
  const date = toDate(when)
  if (Number.isNaN(date.getTime())) return 'no time'
  return date.toDateString() === new Date(now).toDateString()
    ? clockMs(date)
    : `${dayFormat.format(date)} ${clock(date)}`
}

/** 16 Nov 2026, 11:09 */
export const moment = (when: When): string => momentFormat.format(toDate(when))

/** Everything, with the zone: for hovering and for screen readers. */
export const whole = (when: When): string => wholeFormat.format(toDate(when))

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** 4 ms, 1.2 s, 18.4 s, 3 min, 2 h */
export function span(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–'
  if (ms < 10) return `${Number(ms.toFixed(ms < 1 ? 2 : 1))} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
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
