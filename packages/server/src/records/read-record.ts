// Validates the bytes of a device, so that every known field has the type that the engine writes. Unknown fields stay
// in the body as received, unless it is too large to be stored.

import { isUtf8 } from 'node:buffer'
import { DAY_MS } from '../durations.js'
import type { RecordRow } from './record.js'
import { LARGEST_BODY, shortened } from './shorten.js'
import { isObject, summaryOf, tidy } from './summary.js'

/** More than an engine writes or a device sends. */
const LARGEST_RECORD = 1024 * 1024
/** Sums must stay exact numbers. */
const LONGEST_RUN_MS = 1e9
/** How far the clock of a device may be ahead. */
const AHEAD_MS = DAY_MS

/** A row of the table "records". */
export type NewRecord = Readonly<RecordRow>

export interface Arrival {
  readonly deviceId: string
  readonly now: number
  /** How many days records are kept. */
  readonly recordDays: number
}

export interface Unfit {
  readonly code: 'too-large' | 'not-utf8' | 'not-json' | 'bad-id' | 'bad-field'
  readonly message: string
}

type FieldKind = (value: unknown) => boolean

const text: FieldKind = value => typeof value === 'string'
const word: FieldKind = value => typeof value === 'string' && /^[A-Za-z][\w.:-]{0,63}$/.test(value)
const maybe =
  (kind: FieldKind): FieldKind =>
  value =>
    value === null || value === undefined || kind(value)
const oneOf =
  (...words: unknown[]): FieldKind =>
  value =>
    words.includes(value)
const number: FieldKind = value => typeof value === 'number' && Number.isFinite(value)
/** The largest text of a message of the API. */
const count: FieldKind = value =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31
const texts: FieldKind = value => Array.isArray(value) && value.every(text)

const FIELDS: readonly (readonly [name: string, fits: FieldKind, expected: string])[] = [
  ['time', text, 'a time'],
  ['event', word, 'the name of an event'],
  ['source', word, 'the name of a source'],
  ['hook', text, 'text'],
  ['outcome', oneOf('answered', 'silent', 'failed'), 'answered, silent or failed'],
  ['duration_ms', value => number(value) && (value as number) >= 0, 'milliseconds'],
  ['failed_open', value => typeof value === 'boolean', 'true or false'],
  ['request', isObject, 'an object'],
  ['response', maybe(isObject), 'an object or null'],
  ['verdict', maybe(isObject), 'an object'],
  ['permission', maybe(oneOf('allow', 'deny', 'ask')), 'allow, deny, ask or null'],
  ['mode', maybe(oneOf('enforce', 'observe')), 'enforce or observe'],
  ['would', maybe(text), 'a decision'],
  ['release', maybe(count), 'a whole number'],
  ['revision', maybe(count), 'a whole number'],
  ['hook_id', maybe(count), 'a whole number'],
  ['event_id', maybe(text), 'text'],
  ['event_started_at', maybe(text), 'a time'],
  ['event_ended_at', maybe(text), 'a time'],
  ['profile', maybe(text), 'text'],
  ['file', maybe(text), 'text or null'],
  ['line', maybe(number), 'a number or null'],
  ['conversation_id', maybe(text), 'text or null'],
  ['generation_id', maybe(text), 'text or null'],
  ['failure', maybe(text), 'text or null'],
  ['message', maybe(text), 'text or null'],
  ['exit_code', maybe(number), 'a number or null'],
  ['signal', maybe(text), 'text or null'],
  ['stderr', maybe(text), 'text'],
  ['notes', maybe(texts), 'a list of texts'],
  ['redacted', maybe(texts), 'a list of texts'],
]

export function readRecord(bytes: Uint8Array, arrival: Arrival): NewRecord | Unfit {
  if (bytes.length > LARGEST_RECORD) {
    return { code: 'too-large', message: `It has ${bytes.length} bytes; ${LARGEST_RECORD} is the most.` }
  }
  if (!isUtf8(bytes)) return { code: 'not-utf8', message: 'It is not UTF-8.' }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  let record: unknown
  try {
    record = JSON.parse(body)
  } catch {
    return { code: 'not-json', message: 'It is not JSON.' }
  }
  if (!isObject(record)) return { code: 'not-json', message: 'It is not a JSON object.' }
  const { id } = record
  if (!isRecordId(id)) {
    return {
      code: 'bad-id',
      message: 'id must be a time of 9, a count of 4 digits and chance, joined by "-".',
    }
  }
  for (const [name, fits, expected] of FIELDS) {
    if (!fits(record[name])) return { code: 'bad-field', message: `${name} must be ${expected}.` }
  }
  const kept = bytes.length > LARGEST_BODY ? shortened(record, bytes.length) : body
  return rowOf(record as unknown as Sent, kept, arrival)
}

/** The remaining columns, besides FIELDS. */
interface Sent {
  readonly id: string
  readonly event: string
  readonly source: string
  readonly hook: string
  readonly outcome: 'answered' | 'silent' | 'failed'
  readonly duration_ms: number
  readonly failed_open: boolean
  readonly request: Record<string, unknown>
  readonly response?: Record<string, unknown> | null
  readonly permission?: string | null
  readonly mode?: string
  readonly release?: number | null
  readonly revision?: number | null
  readonly hook_id?: number | null
  readonly conversation_id?: string | null
}

function rowOf(record: Sent, body: string, { deviceId, now, recordDays }: Arrival): NewRecord {
  const { day, at, clock_skew } = placeOf(record.id, now, recordDays)
  return {
    day,
    id: record.id,
    at,
    received_at: now,
    device_id: deviceId,
    event: record.event,
    hook: record.hook_id ? keyOf(record.hook_id) : tidy(record.hook, 200),
    hook_id: record.hook_id ?? 0,
    source: record.source,
    verdict: verdictOf(record),
    failed_open: record.outcome === 'failed' && record.failed_open ? 1 : 0,
    observed: record.mode === 'observe' ? 1 : 0,
    duration_ms: Math.min(record.duration_ms, LONGEST_RUN_MS),
    release: record.release ?? 0,
    revision: record.revision ?? 0,
    clock_skew,
    conversation_id: tidy(record.conversation_id ?? '', 128),
    summary: summaryOf(record.request),
    body,
  }
}

/** The path of its script differs on every device, and the name of a hook may change. */
export const keyOf = (hookId: number): string => `#${hookId}`

/** The response of this run alone. */
function verdictOf({ outcome, permission, response }: Sent): string {
  if (outcome === 'failed') return 'failed'
  if (permission) return permission
  if (response?.continue === false) return 'deny'
  return response?.continue === true ? 'allow' : 'none'
}

/** The form that the engine creates: time, sequence, random part. */
const ID = /^[0-9a-z]{9}-[0-9a-z]{4}-[0-9A-Za-z_-]{1,64}$/

export const isRecordId = (id: unknown): id is string => typeof id === 'string' && ID.test(id)
export const timeInId = (id: string): number => Number.parseInt(id.slice(0, 9), 36)

/** The partition of a record. An implausible time would open a partition of its own, so it gets that of day 0. */
export function placeOf(
  id: string,
  now: number,
  recordDays: number,
): Pick<NewRecord, 'day' | 'at' | 'clock_skew'> {
  const at = timeInId(id)
  const day = Math.floor(at / DAY_MS)
  const isBelievable = day >= oldestDay(now, recordDays) && at <= now + AHEAD_MS
  return isBelievable ? { day, at, clock_skew: 0 } : { day: 0, at: now, clock_skew: 1 }
}

/** The first day that is still kept. */
export const oldestDay = (now: number, recordDays: number): number => Math.floor(now / DAY_MS) - recordDays
