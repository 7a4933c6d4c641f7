// A record that is larger than what is kept of one. It is not refused: then a long prompt would be a way past the trail.
// What it was about stays, its contents go, and it says so where replay looks for it.

import { isObject } from './summary.js'

/** What is kept of one record at most. */
export const LARGEST_BODY = 64 * 1024
const LONGEST_TEXT = 1000

const KEPT = [
  'id',
  'event_id',
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
