// Which records a caller wants to see.

import type { Filter } from '@holdfast/team'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import type { DatabaseKind } from '../store/kind.js'
import { patternOf } from '../store/like.js'
import type { Db } from '../store/open.js'
import { timeOf } from '../time.js'
import { hourAfter, hourBefore } from './tally.js'
import { CONDITIONS, type ShownVerdict, VERDICTS } from './verdict.js'

/** Values of each kind: those that are wanted, or those that are left out. */
export interface Values {
  readonly events: readonly string[]
  readonly hooks: readonly string[]
  readonly deviceIds: readonly string[]
  readonly verdicts: readonly string[]
  /** Owners of devices; empty text for devices without one. */
  readonly owners: readonly string[]
}
export type Kind = keyof Values

export interface RecordFilter extends Values {
  readonly from: number
  /** Not included. */
  readonly to: number
  readonly excluded: Values
  readonly text: string
  readonly release: number
  readonly conversationId: string
}

const NO_VALUES: Values = { events: [], hooks: [], deviceIds: [], verdicts: [], owners: [] }
const KINDS = Object.keys(NO_VALUES) as Kind[]
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

/** A query for exactly these; the caller selects the columns. */
export function matching(db: Db, kind: DatabaseKind, wanted: RecordFilter) {
  const { from, to, verdicts, text, release, conversationId } = wanted
  let query = db.selectFrom('records').where('at', '>=', from).where('at', '<', to)
  if (kind === 'postgres') {
    // Only then the partitions of other days are not opened.
    const [first, last] = [Math.floor(from / DAY_MS), Math.floor((to - 1) / DAY_MS)]
    query = query.where(({ eb, or, between }) => or([eb('day', '=', 0), between('day', first, last)]))
  }
  for (const condition of conditionsOf(wanted, CONDITION)) query = query.where(condition)
  if (release !== 0) query = query.where('release', '=', release)
  if (conversationId !== '') query = query.where('conversation_id', '=', conversationId)
  // Repeats a condition in the terms of the partial index.
  if (verdicts.length > 0 && !verdicts.includes('allow') && !verdicts.includes('none'))
    query = query.where(sql<boolean>`verdict <> 'allow' and verdict <> 'none'`)
  if (text !== '') {
    const like = sql.raw(kind === 'postgres' ? 'ilike' : 'like')
    query = query.where(sql<boolean>`summary ${like} ${patternOf(text)} escape '\\'`)
  }
  return query
}

type Conditions = { readonly [kind in Kind]?: (values: readonly string[]) => RawBuilder<SqlBool> }

const CONDITION: Conditions = {
  events: values => sql`event in (${sql.join(values)})`,
  hooks: values => sql`hook in (${sql.join(values)})`,
  deviceIds: values => sql`device_id in (${sql.join(values)})`,
  verdicts: values =>
    sql.raw(`(${values.map(value => `(${CONDITIONS[value as ShownVerdict]})`).join(' or ')})`),
  owners: values => sql`device_id in (select id from devices where owner in (${sql.join(values)}))`,
}

/** One condition for each kind with wanted values, and one for each with excluded values. */
export const conditionsOf = (wanted: RecordFilter, conditions: Conditions): RawBuilder<SqlBool>[] =>
  KINDS.flatMap(kind => {
    const condition = conditions[kind]
    if (!condition) return []
    return [
      ...(wanted[kind].length > 0 ? [condition(wanted[kind])] : []),
      ...(wanted.excluded[kind].length > 0 ? [sql<SqlBool>`not ${condition(wanted.excluded[kind])}`] : []),
    ]
  })
