// The filter of the records: from the address of the page to the request.

import { type Range, readRange } from '../../../parts/filters-range.js'
import { asList, listOf } from '../../../shell/search.js'

export const FACETS = ['verdict', 'event', 'hook', 'owner', 'device'] as const
export type FacetName = (typeof FACETS)[number]

/** The parts of the address that filter. A value of a facet that begins with "!" is excluded. */
export const AUDIT_PARAMETERS = ['range', 'from', 'to', ...FACETS, 'release', 'conversation', 'q'] as const

export type AuditSearch = { readonly [name in (typeof AUDIT_PARAMETERS)[number] | 'record']?: string }

/** Values as the server takes them. */
interface Values {
  readonly verdicts: string[]
  readonly events: string[]
  readonly hooks: string[]
  readonly owners: string[]
  readonly deviceIds: string[]
}

export interface AskedFilter extends Values {
  readonly from: string
  readonly to: string
  readonly excluded: Values
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
  readonly asked: AskedFilter
}

export function wantedOf(search: AuditSearch, now: number, recordDays: number): Wanted {
  const range = readRange(search, now)
  // No record is older than the retention.
  const from = range.from ?? now - recordDays * DAY_MS
  // The server counts complete hours fastest.
  const step = range.kind !== 'between' && now - from >= 23 * HOUR_MS ? HOUR_MS : MINUTE_MS
  const values = (isExcluded: boolean): Values => {
    const of = (name: FacetName) => choicesOf(search[name])[isExcluded ? 'excluded' : 'wanted']
    return {
      verdicts: of('verdict'),
      events: of('event'),
      hooks: of('hook'),
      owners: of('owner'),
      deviceIds: of('device'),
    }
  }
  return {
    range,
    asked: {
      from: new Date(range.kind === 'between' ? from : Math.floor(from / step) * step).toISOString(),
      to: range.to === undefined ? '' : new Date(range.to).toISOString(),
      ...values(false),
      excluded: values(true),
      text: (search.q ?? '').trim().slice(0, LONGEST_TEXT),
      release: /^\d{1,9}$/.test(search.release ?? '') ? Number(search.release) : 0,
      conversationId: search.conversation ?? '',
    },
  }
}

export interface Choices {
  readonly wanted: string[]
  readonly excluded: string[]
}

/** Devices without an owner have an empty owner, which an address cannot hold. */
const NONE = '-'
const EXCLUDED = '!'

export function choicesOf(text: string | undefined): Choices {
  const all = listOf(text)
  const value = (name: string) => (name === NONE ? '' : name)
  return {
    wanted: all.filter(name => !name.startsWith(EXCLUDED)).map(value),
    excluded: all.filter(name => name.startsWith(EXCLUDED)).map(name => value(name.slice(1))),
  }
}

const textOf = ({ wanted, excluded }: Choices): string | undefined =>
  asList([...wanted.map(name => name || NONE), ...excluded.map(name => EXCLUDED + (name || NONE))])

/** Adds the value, or removes it if it is chosen that way already. */
export function toggled(text: string | undefined, value: string, how: keyof Choices): string | undefined {
  const { wanted, excluded } = choicesOf(text)
  const others = {
    wanted: wanted.filter(one => one !== value),
    excluded: excluded.filter(one => one !== value),
  }
  const isChosen = (how === 'wanted' ? wanted : excluded).includes(value)
  return textOf(isChosen ? others : { ...others, [how]: [...others[how], value] })
}

/** Whether the filter has more than a time. */
export const isNarrowed = (search: AuditSearch): boolean =>
  [...FACETS, 'release', 'conversation', 'q'].some(name => !!search[name as keyof AuditSearch])
