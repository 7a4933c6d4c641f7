import { clock, clockMs } from '../../../words/time.js'

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** 14:02:31.904 today, 3 Nov 14:02:31 before. */
export function stamp(at: string, now = Date.now()): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return 'no time'
  return date.toDateString() === new Date(now).toDateString()
    ? clockMs(date)
    : `${day.format(date)} ${clock(date)}`
}
