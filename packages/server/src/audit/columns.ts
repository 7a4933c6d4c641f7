// The columns of a record, in the order in which they are written, and those that a list shows.

import type { NewRecord } from './read-record.js'

export const COLUMNS = [
  'day',
  'id',
  'at',
  'received_at',
  'device_id',
  'event',
  'hook',
  'hook_id',
  'source',
  'verdict',
  'failed_open',
  'observed',
  'duration_ms',
  'release',
  'revision',
  'clock_skew',
  'conversation_id',
  'summary',
  'body',
] as const satisfies readonly (keyof NewRecord)[]

type ListedColumn = Exclude<(typeof COLUMNS)[number], 'day' | 'body'>

/** Never the body. */
export const LISTED = COLUMNS.filter((name): name is ListedColumn => name !== 'day' && name !== 'body')
