// A log can hold any JSON. Pages get records in which every field has the type that the engine writes.

import type { RunRecord } from '@holdfast/hooks'

const textOf = (value: unknown): string | null =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? null
      : (JSON.stringify(value) ?? null)
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
const wholeOf = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(value as number) < 2 ** 31 ? (value as number) : null
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(each => textOf(each) ?? '') : []

const PERMISSIONS: readonly unknown[] = ['allow', 'ask', 'deny'] satisfies RunRecord['permission'][]

export const normalize = (record: RunRecord): RunRecord => ({
  ...record,
  time: textOf(record.time) ?? '',
  ...(record.event_started_at === undefined
    ? {}
    : { event_started_at: textOf(record.event_started_at) ?? '' }),
  ...(record.event_ended_at === undefined ? {} : { event_ended_at: textOf(record.event_ended_at) ?? '' }),
  event: (textOf(record.event) ?? '') as RunRecord['event'],
  profile: textOf(record.profile) ?? '',
  ...(record.event_id === undefined ? {} : { event_id: textOf(record.event_id) ?? '' }),
  source: (textOf(record.source) ?? '') as RunRecord['source'],
  hook: textOf(record.hook) ?? '',
  file: textOf(record.file),
  line: wholeOf(record.line),
  conversation_id: textOf(record.conversation_id),
  permission: PERMISSIONS.includes(record.permission) ? record.permission : null,
  failure: textOf(record.failure) as RunRecord['failure'],
  message: textOf(record.message),
  exit_code: wholeOf(record.exit_code),
  signal: textOf(record.signal),
  duration_ms: numberOf(record.duration_ms) ?? 0,
  stderr: textOf(record.stderr) ?? '',
  notes: textsOf(record.notes) as typeof record.notes,
  redacted: textsOf(record.redacted),
})
