// The time range of a page: relative to now, or between two moments.

import { clock, clockMinutes, day } from '../words/time.js'

export interface RangeWords {
  readonly range?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Range {
  /** Undefined: without a start. */
  readonly from: number | undefined
  /** Undefined: open-ended. */
  readonly to: number | undefined
  readonly kind: 'last' | 'all' | 'between'
  /** The last 24 hours */
  readonly label: string
}

export const RANGES = [
  { name: '1h', label: 'Last hour' },
  { name: '24h', label: 'Last 24 hours' },
  { name: '7d', label: 'Last 7 days' },
  { name: '30d', label: 'Last 30 days' },
  { name: '90d', label: 'Last 90 days' },
  { name: 'all', label: 'All time' },
] as const

export const USUAL_RANGE = '24h'

const UNITS: Readonly<Record<string, readonly [number, string]>> = {
  m: [60_000, 'minute'],
  h: [3_600_000, 'hour'],
  d: [86_400_000, 'day'],
}
/** Ten years: more than any log holds, and still a valid date. */
const LONGEST_MS = 3660 * 86_400_000

const lastOf = (name: string): { readonly ms: number; readonly label: string } | null => {
  const [, digits, letter] = /^(\d{1,5})([mhd])$/.exec(name) ?? []
  const [size, word] = UNITS[letter ?? ''] ?? []
  const number = Number(digits)
  if (!size || !number || number * size > LONGEST_MS) return null
  return { ms: number * size, label: number === 1 ? `Last ${word}` : `Last ${number} ${word}s` }
}

export const rangeLabel = (name: string | undefined): string =>
  name === 'all' ? 'All time' : (lastOf(name ?? USUAL_RANGE) ?? lastOf(USUAL_RANGE)!).label

/** Anything in the address that is not a range means the default range. */
export function readRange({ range, from, to }: RangeWords, now: number): Range {
  const [start, end] = [momentOf(from), momentOf(to)]
  if (start !== undefined || end !== undefined) {
    const [first, last] =
      start !== undefined && end !== undefined && start > end ? [end, start] : [start, end]
    return { from: first, to: last, kind: 'between', label: betweenLabel(first, last) }
  }
  if (range === 'all') return { from: undefined, to: undefined, kind: 'all', label: 'All time' }
  const { ms, label } = lastOf(range ?? USUAL_RANGE) ?? lastOf(USUAL_RANGE)!
  return { from: now - ms, to: undefined, kind: 'last', label }
}

function momentOf(text: string | undefined): number | undefined {
  if (!text) return undefined
  const at = /^\d{10,14}$/.test(text) ? Number(text) : Date.parse(text)
  return Number.isFinite(at) ? at : undefined
}

export const asMoment = (at: number): string => new Date(at).toISOString()

/** 16 Nov 14:00 – 15:30, 16 Nov 23:00 – 17 Nov 01:00 */
function betweenLabel(from: number | undefined, to: number | undefined): string {
  const isShort = from !== undefined && to !== undefined && to - from < 600_000
  const timeOf = isShort ? clock : clockMinutes
  const say = (at: number) => `${day(at)} ${timeOf(at)}`
  if (from === undefined) return `Until ${say(to!)}`
  if (to === undefined) return `Since ${say(from)}`
  return `${say(from)} – ${day(from) === day(to) ? timeOf(to) : say(to)}`
}

/** In the format of input fields for local dates. */
export function localField(at: number | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}
