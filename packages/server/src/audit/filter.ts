// Which records somebody wants to see.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import { Refusal } from '../refusal.js'
import { timeOf } from '../rpc/time.js'
import type { DatabaseKind } from '../store/kind.js'
import { patternOf } from '../store/like.js'
import type { Db } from '../store/open.js'
import { hourAfter, hourBefore } from './tally.js'
import { CONDITIONS, type Shown, VERDICTS } from './verdict.js'

export interface Wanted {
  readonly from: number
  /** Not included. */
  readonly to: number
  readonly events: readonly string[]
  readonly hooks: readonly string[]
  readonly deviceIds: readonly string[]
  readonly verdicts: readonly Shown[]
  readonly text: string
  readonly release: number
  readonly conversationId: string
}

const DEFAULT_DAYS = 7
const MOST_OF_A_KIND = 200
const LONGEST_TEXT = 200

export function wantedOf(filter: Filter | undefined, now: number): Wanted {
  const { from, to } = rangeOf(filter?.from ?? '', filter?.to ?? '', now)
  const { events = [], hooks = [], deviceIds = [], verdicts = [], text = '' } = filter ?? {}
  for (const [field, values] of Object.entries({ events, hooks, device_ids: deviceIds, verdicts })) {
    if (values.length > MOST_OF_A_KIND) {
      throw new Refusal('invalid', `${field} has ${values.length} entries; ${MOST_OF_A_KIND} is the most.`)
    }
  }
  const odd = verdicts.find(verdict => !(VERDICTS as readonly string[]).includes(verdict))
  if (odd !== undefined) {
    throw new Refusal('invalid', `verdicts has "${odd.slice(0, 40)}"; expected ${VERDICTS.join(', ')}.`)
  }
  if (text.length > LONGEST_TEXT) {
    throw new Refusal('invalid', `text has ${text.length} characters; ${LONGEST_TEXT} is the most.`)
  }
  return {
    from,
    to,
    events,
    hooks,
    deviceIds,
    verdicts: verdicts as Shown[],
    text: text.trim(),
    release: filter?.release ?? 0,
    conversationId: filter?.conversationId ?? '',
  }
}

/** Without an end it takes in those whose clock is ahead. Whole hours, where nobody said otherwise, are counted fastest. */
export function rangeOf(from: string, to: string, now: number): { from: number; to: number } {
  const end = to === '' ? hourAfter(now + DAY_MS) : timeOf('to', to)
  const start =
    from === '' ? hourBefore(Math.min(now, end - 1) - DEFAULT_DAYS * DAY_MS) : timeOf('from', from)
  if (start >= end) throw new Refusal('invalid', 'from must be before to.')
  return { from: start, to: end }
}

/** A query for exactly these, to which the columns are still to be said. */
export function matching(db: Db, kind: DatabaseKind, wanted: Wanted) {
  const { from, to, events, hooks, deviceIds, verdicts, text, release, conversationId } = wanted
  let query = db.selectFrom('records').where('at', '>=', from).where('at', '<', to)
  if (kind === 'postgres') {
    // Only then are the partitions of other days not even opened.
    const [first, last] = [Math.floor(from / DAY_MS), Math.floor((to - 1) / DAY_MS)]
    query = query.where(({ eb, or, between }) => or([eb('day', '=', 0), between('day', first, last)]))
  }
  if (events.length > 0) query = query.where('event', 'in', events)
  if (hooks.length > 0) query = query.where('hook', 'in', hooks)
  if (deviceIds.length > 0) query = query.where('device_id', 'in', deviceIds)
  if (release !== 0) query = query.where('release', '=', release)
  if (conversationId !== '') query = query.where('conversation_id', '=', conversationId)
  if (verdicts.length > 0) {
    const any = verdicts.map(verdict => `(${CONDITIONS[verdict]})`).join(' or ')
    query = query.where(sql.raw<boolean>(`(${any})`))
    // Said once more in the words of the index.
    if (!verdicts.includes('allow') && !verdicts.includes('none'))
      query = query.where(sql<boolean>`verdict <> 'allow' and verdict <> 'none'`)
  }
  if (text !== '') {
    const like = sql.raw(kind === 'postgres' ? 'ilike' : 'like')
    query = query.where(sql<boolean>`summary ${like} ${patternOf(text)} escape '\\'`)
  }
  return query
}
