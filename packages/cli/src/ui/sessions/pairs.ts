// Matches ends with beginnings. A beginning that was denied has no end.

import type { Moment } from './moments.js'

export interface Pairs {
  endOf(moment: Moment): Moment | undefined
  beginningOf(moment: Moment): Moment | undefined
}

export function pair(moments: readonly Moment[]): Pairs {
  const open = new Map<string, Moment[]>()
  const ends = new Map<Moment, Moment>()
  const beginnings = new Map<Moment, Moment>()
  for (const moment of moments) {
    const { trace, verdict } = moment
    if (trace.by === undefined) continue
    if (trace.part === 'begins' && verdict !== 'deny') {
      for (const key of keysOf(moment)) open.set(key, [...(open.get(key) ?? NONE), moment].slice(-MOST_OPEN))
    }
    if (trace.part !== 'ends') continue
    const found = keysOf(moment)
      .map(key => lastOpen(open.get(key), ends))
      .find(one => one !== undefined)
    if (!found) continue
    ends.set(found, moment)
    beginnings.set(moment, found)
  }
  return { endOf: one => ends.get(one), beginningOf: one => beginnings.get(one) }
}

const NONE: readonly Moment[] = []
/** What began this often without an end will not end. */
const MOST_OPEN = 64

/** The latest beginning; earlier ones without an end have none. */
function lastOpen(begun: Moment[] | undefined, ends: ReadonlyMap<Moment, Moment>): Moment | undefined {
  while (begun && begun.length > 0) {
    const one = begun.pop()!
    if (!ends.has(one)) return one
  }
  return undefined
}

/** The most certain key first. A subagent's end may come from its own conversation, so its key does not name one. */
function keysOf({ trace, fields, conversationId }: Moment): string[] {
  const values = (trace.by ?? []).map(field => fields[field] ?? '')
  if (trace.kind !== 'subagent') return [JSON.stringify([trace.kind, conversationId, ...values])]
  const id = subagentOf(fields)
  const named = JSON.stringify([trace.kind, 'by', ...values])
  return id === '' ? [named] : [JSON.stringify([trace.kind, 'id', id]), named]
}

export const subagentOf = ({ subagent_id, tool_call_id }: Moment['fields']): string =>
  typeof subagent_id === 'string' && subagent_id !== ''
    ? subagent_id
    : typeof tool_call_id === 'string'
      ? tool_call_id
      : ''
