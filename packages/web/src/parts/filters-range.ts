// Which time a page looks at: the last so much, which moves with the clock, or from one moment to another.

export interface RangeWords {
  readonly range?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Range {
  /** Undefined: since the beginning. */
  readonly from: number | undefined
  /** Undefined: until now, and on. */
  readonly to: number | undefined
  readonly kind: 'last' | 'all' | 'between'
  /** The last 24 hours */
  readonly label: string
}

export const RANGES = [
  { name: '1h', label: 'Last hour' },
  { name: '24h', label: 'Last 24 hours' },
  { name: '7d', label: 'Last 7 days' },
  { name: 'all', label: 'All time' },
] as const

export const USUAL_RANGE = '24h'

const UNITS: Readonly<Record<string, readonly [number, string]>> = {
  m: [60_000, 'minute'],
  h: [3_600_000, 'hour'],
  d: [86_400_000, 'day'],
}
/** Ten years: more than any log holds, and still a date. */
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

/** An address may hold anything; what is no range is the usual one. */
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

const dayOf = (date: Date) => date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
const clockOf = (date: Date, exact: boolean) =>
  date.toLocaleTimeString('en-GB', exact ? {} : { hour: '2-digit', minute: '2-digit' })

/** 16 Nov 14:00 – 15:30, 16 Nov 23:00 – 17 Nov 01:00 */
function betweenLabel(from: number | undefined, to: number | undefined): string {
  const short = from !== undefined && to !== undefined && to - from < 600_000
  const say = (at: number) => `${dayOf(new Date(at))} ${clockOf(new Date(at), short)}`
  if (from === undefined) return `Until ${say(to!)}`
  if (to === undefined) return `Since ${say(from)}`
  const sameDay = dayOf(new Date(from)) === dayOf(new Date(to))
  return `${say(from)} – ${sameDay ? clockOf(new Date(to), short) : say(to)}`
}

/** As the browser's own field for local dates wants it. */
export function localField(at: number | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}
