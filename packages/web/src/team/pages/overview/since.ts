// Time spans of the overview. They begin at a complete hour, as the sums of the server do.

import { figure } from '../../../words/number.js'

export const SPANS = [
  { name: '24h', label: '24 hours', hours: 24 },
  { name: '7d', label: '7 days', hours: 168 },
  { name: '30d', label: '30 days', hours: 720 },
  { name: '90d', label: '90 days', hours: 2160 },
] as const

export type Span = (typeof SPANS)[number]

const HOUR_MS = 3_600_000

export const spanOf = (range: string | undefined): Span =>
  SPANS.find(({ name }) => name === range) ?? SPANS[1]

export const since = ({ hours }: Span, now: number): number =>
  Math.floor((now - hours * HOUR_MS) / HOUR_MS) * HOUR_MS

/** +12 %, previously none: the change against the previous period. */
export function change(now: number, before: number): string {
  if (now === before) return 'unchanged'
  if (before === 0) return 'previously none'
  if (now === 0) return `previously ${before}`
  const ratio = now / before
  if (ratio >= 10) return `${figure(Math.round(ratio))} times as many`
  const percent = Math.round((ratio - 1) * 100)
  if (percent === 0) return 'unchanged'
  return percent > 0 ? `+${percent} %` : `−${-percent} %`
}
