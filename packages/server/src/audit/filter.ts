// Which records a caller wants to see.

import type { Filter } from '@holdfast/team'
import { DAY_MS, HOUR_MS } from '../durations.js'
import { VERDICTS } from '../records/record.js'
import { hourAfter, hourBefore } from '../records/tally.js'
import { RequestError } from '../request-error.js'
import { type Kind, NO_VALUES, type RecordFilter, type Source, type Values } from '../store/records.js'
import type { Team } from '../team.js'
import { timeOf } from '../time.js'

/** For queries over many records. */
export const sourceOf = ({ records, store }: Team): Source => ({ reader: records.reader, kind: store.kind })

/** Everything, at any time. */
export const EVERYTHING = { ...NO_VALUES, excluded: NO_VALUES, text: '', release: 0, conversationId: '' }

const DEFAULT_DAYS = 7
const MOST_OF_A_KIND = 200
const LONGEST_TEXT = 200

export function wantedOf(filter: Filter | undefined, now: number): RecordFilter {
  const { from, to } = rangeOf(filter?.from ?? '', filter?.to ?? '', now)
  const text = filter?.text ?? ''
  if (text.length > LONGEST_TEXT) {
    throw new RequestError('invalid', `text has ${text.length} characters; ${LONGEST_TEXT} is the most.`)
  }
  return {
    from,
    to,
    ...valuesOf(filter),
    excluded: valuesOf(filter?.excluded),
    text: text.trim(),
    release: filter?.release ?? 0,
    conversationId: filter?.conversationId ?? '',
  }
}

function valuesOf(given: Partial<Values> | undefined): Values {
  const { events, hooks, deviceIds, verdicts, owners } = { ...NO_VALUES, ...given }
  for (const [field, values] of Object.entries({ events, hooks, device_ids: deviceIds, verdicts, owners })) {
    if (values.length > MOST_OF_A_KIND) {
      throw new RequestError(
        'invalid',
        `${field} has ${values.length} entries; ${MOST_OF_A_KIND} is the most.`,
      )
    }
  }
  const odd = verdicts.find(verdict => !(VERDICTS as readonly string[]).includes(verdict))
  if (odd !== undefined) {
    throw new RequestError('invalid', `verdicts has "${odd.slice(0, 40)}"; expected ${VERDICTS.join(', ')}.`)
  }
  return { events, hooks, deviceIds, verdicts, owners }
}

/** The same, whatever the values of some kinds. */
export function without(wanted: RecordFilter, ...kinds: readonly Kind[]): RecordFilter {
  const none = Object.fromEntries(kinds.map(kind => [kind, []]))
  return { ...wanted, ...none, excluded: { ...wanted.excluded, ...none } }
}

export const isOpen = (wanted: RecordFilter, ...kinds: readonly Kind[]): boolean =>
  kinds.every(kind => wanted[kind].length + wanted.excluded[kind].length === 0)

/** Without an end, records of clocks that are ahead are included. Whole hours, the default, are counted fastest. */
export function rangeOf(from: string, to: string, now: number): { from: number; to: number } {
  const end = to === '' ? hourAfter(now + DAY_MS) : timeOf('to', to)
  const start =
    from === '' ? hourBefore(Math.min(now, end - 1) - DEFAULT_DAYS * DAY_MS) : timeOf('from', from)
  if (start >= end) throw new RequestError('invalid', 'from must be before to.')
  return { from: start, to: end }
}

/** For a shorter range, sums of hours would be too coarse. */
const SHORTEST_MS = 6 * HOUR_MS

/** Whether the sums know enough to answer. */
export const haveSums = (wanted: RecordFilter): boolean =>
  wanted.to - wanted.from > SHORTEST_MS &&
  isOpen(wanted, 'deviceIds', 'owners') &&
  wanted.text === '' &&
  wanted.conversationId === ''

/** The whole hours of it, for the sums; and both ends, for the rows. */
export function dividedByHours(wanted: RecordFilter): {
  readonly whole: RecordFilter
  readonly edges: readonly RecordFilter[]
} {
  const [from, to] = [hourAfter(wanted.from), hourBefore(wanted.to)]
  const edges = [
    { ...wanted, to: from },
    { ...wanted, from: to },
  ]
  return { whole: { ...wanted, from, to }, edges: edges.filter(edge => edge.from < edge.to) }
}
