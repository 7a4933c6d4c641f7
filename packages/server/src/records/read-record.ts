// Validates the bytes of a device, so that every known field has the type that the engine writes. Unknown fields stay
// in the body as received, unless it is too large to be stored.

import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
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

const word = (expected: string) => v.pipe(v.string(expected), v.regex(/^[A-Za-z][\w.:-]{0,63}$/, expected))
const text = (expected = 'text') => v.nullish(v.string(expected))
const count = v.nullish(
  // The largest number of a message of the API.
  v.pipe(
    v.number('a whole number'),
    v.safeInteger('a whole number'),
    v.minValue(0, 'a whole number'),
    v.maxValue(2 ** 31 - 1, 'a whole number'),
  ),
)
const object = (expected: string) => v.custom<Record<string, unknown>>(isObject, expected)
const texts = v.nullish(v.array(v.string('a list of texts'), 'a list of texts'))

const FIELDS = {
  time: v.string('a time'),
  event: word('the name of an event'),
  source: word('the name of a source'),
  hook: v.string('text'),
  outcome: v.picklist(['answered', 'silent', 'failed'], 'answered, silent or failed'),
  duration_ms: v.pipe(v.number('milliseconds'), v.finite('milliseconds'), v.minValue(0, 'milliseconds')),
  failed_open: v.boolean('true or false'),
  request: object('an object'),
  response: v.nullish(object('an object or null')),
  verdict: v.nullish(object('an object')),
  permission: v.nullish(v.picklist(['allow', 'deny', 'ask'], 'allow, deny, ask or null')),
  mode: v.nullish(v.picklist(['enforce', 'observe'], 'enforce or observe')),
  would: text('a decision'),
  release: count,
  revision: count,
  hook_id: count,
  event_id: text(),
  event_started_at: text('a time'),
  event_ended_at: text('a time'),
  profile: text(),
  file: text('text or null'),
  line: v.nullish(v.pipe(v.number('a number or null'), v.finite('a number or null'))),
  conversation_id: text('text or null'),
  generation_id: text('text or null'),
  failure: text('text or null'),
  message: text('text or null'),
  exit_code: v.nullish(v.pipe(v.number('a number or null'), v.finite('a number or null'))),
  signal: text('text or null'),
  stderr: text(),
  notes: texts,
  redacted: texts,
}
/** Fields that are not known stay as they are. */
const RECORD = v.object(FIELDS)

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
  const read = v.safeParse(RECORD, record, { abortEarly: true })
  if (!read.success) {
    const [{ path, message }] = read.issues
    const name = path![0].key as keyof typeof FIELDS
    // For a missing field the message is that of the object.
    const expected = name in record ? message : (FIELDS[name] as { message?: string }).message
    return { code: 'bad-field', message: `${name} must be ${expected}.` }
  }
  const kept = bytes.length > LARGEST_BODY ? shortened(record, bytes.length) : body
  return rowOf(id, read.output, kept, arrival)
}

type Sent = v.InferOutput<typeof RECORD>

function rowOf(id: string, record: Sent, body: string, { deviceId, now, recordDays }: Arrival): NewRecord {
  const { day, at, clock_skew } = placeOf(id, now, recordDays)
  return {
    day,
    id,
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
