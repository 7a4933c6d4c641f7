// What both databases are told in the same words.

import { BUCKETS } from '../../store/schema.js'
import type { NewRecord } from '../read-record.js'
import type { Shown } from '../tally.js'

export const COLUMNS: readonly (keyof NewRecord)[] = [
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
]

const KEY = ['span', 'hour', 'hook', 'event', 'release', 'verdict']
const SUMS = ['count', 'ms_sum', ...BUCKETS]

/** Each delta is added to its hour and to its day. */
export const foldSql = (deltas: string): string => `
  insert into rollup (${[...KEY, ...SUMS].join(', ')})
  select span, hour - hour % span, hook, event, release, verdict, ${SUMS.map(name => `sum(${name})`).join(', ')}
  from (select * from ${deltas}) as deltas, (select 1 as span union all select 24) as spans
  where true
  group by 1, 2, 3, 4, 5, 6
  on conflict (${KEY.join(', ')}) do update set ${SUMS.map(name => `${name} = rollup.${name} + excluded.${name}`).join(', ')}`

/** Failures among those of a batch that are still among the first five of the device. */
export const FIRST_SQL = ([one, two, three, four, five]: readonly string[]): string =>
  `case when evidence.runs >= 5 then 0 when evidence.runs = 4 then ${one} when evidence.runs = 3 then ${two} when evidence.runs = 2 then ${three} when evidence.runs = 1 then ${four} else ${five} end`

export const firstOf = ({ first }: Shown): number[] =>
  [1, 2, 3, 4, 5].map(count => first[count] ?? first.at(-1)!)
