// A record above the size limit. It is not rejected, because a long prompt would then leave no trace in the log. Its
// subject stays and its contents are removed; it is marked where replay looks.

import { isObject } from './summary.js'

/** The size limit of a stored record. */
export const LARGEST_BODY = 64 * 1024
const LONGEST_TEXT = 1000

const KEPT = [
  'id',
  'event_id',
  'event_started_at',
  'event_ended_at',
  'time',
  'event',
  'profile',
  'source',
  'hook',
  'file',
  'line',
  'mode',
  'would',
  'hook_id',
  'revision',
  'release',
  'conversation_id',
  'generation_id',
  'outcome',
  'permission',
  'failure',
  'message',
  'exit_code',
  'signal',
  'duration_ms',
  'failed_open',
] as const

export function shortened(record: Readonly<Record<string, unknown>>, bytes: number): string {
  const kept = Object.fromEntries(KEPT.map(name => [name, short(record[name])]))
  return JSON.stringify({
    ...kept,
    request: {},
    response: said(record.response),
    verdict: said(record.verdict),
    stderr: '',
    notes: [],
    redacted: [`request: left out (the record had ${bytes} bytes)`],
  })
}

const short = (value: unknown): unknown => {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT)
  return isObject(value) || Array.isArray(value) ? null : value
}

const said = (value: unknown): object | null =>
  isObject(value) ? { permission: short(value.permission), continue: short(value.continue) } : null
