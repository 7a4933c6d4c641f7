// From the address to what is asked of the server. Names of hooks may hold anything, so lists in the address are escaped.

import { type Range, readRange } from '../../../parts/filters-range.js'

export interface AuditSearch {
  readonly range?: string
  readonly from?: string
  readonly to?: string
  readonly verdict?: string
  readonly event?: string
  readonly hook?: string
  readonly device?: string
  readonly release?: string
  readonly conversation?: string
  readonly q?: string
  readonly record?: string
}

export const FACETS = ['verdict', 'event', 'hook', 'device'] as const
export type FacetName = (typeof FACETS)[number]

export const toText = (values: readonly string[]): string =>
  values.map(value => value.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

export const fromText = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map(value => value.replaceAll('%2C', ',').replaceAll('%25', '%'))

/** As the server takes it. */
export interface Asked {
  readonly from: string
  readonly to: string
  readonly verdicts: string[]
  readonly events: string[]
  readonly hooks: string[]
  readonly deviceIds: string[]
  readonly text: string
  readonly release: number
  readonly conversationId: string
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LONGEST_TEXT = 200

export interface Wanted {
  readonly range: Range
  readonly asked: Asked
}

export function wantedOf(search: AuditSearch, now: number, recordDays: number): Wanted {
  const range = readRange(search, now)
  // Nothing is older than what is kept, so all of it fits into bars that say something.
  const from = range.from ?? now - recordDays * DAY_MS
  // Whole hours are counted fastest, and the same ones on every page.
  const step = range.kind !== 'between' && now - from >= 23 * HOUR_MS ? HOUR_MS : MINUTE_MS
  return {
    range,
    asked: {
      from: new Date(range.kind === 'between' ? from : Math.floor(from / step) * step).toISOString(),
      to: range.to === undefined ? '' : new Date(range.to).toISOString(),
      verdicts: fromText(search.verdict),
      events: fromText(search.event),
      hooks: fromText(search.hook),
      deviceIds: fromText(search.device),
      text: (search.q ?? '').trim().slice(0, LONGEST_TEXT),
      release: /^\d{1,9}$/.test(search.release ?? '') ? Number(search.release) : 0,
      conversationId: search.conversation ?? '',
    },
  }
}

/** Whether anything but the time narrows what is shown. */
export const isNarrowed = (search: AuditSearch): boolean =>
  [...FACETS, 'release', 'conversation', 'q'].some(name => !!search[name as keyof AuditSearch])
