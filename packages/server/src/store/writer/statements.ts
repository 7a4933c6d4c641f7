// Statements that are the same for both databases.

import type { NewRecord } from '../../records/read-record.js'
import { BUCKETS } from '../../records/record.js'
import type { ReleaseEvidence } from '../../records/tally.js'

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

/** Failures in a batch that are still among the first five runs of the device. */
export const FIRST_SQL = ([one, two, three, four, five]: readonly string[]): string =>
  `case when evidence.runs >= 5 then 0 when evidence.runs = 4 then ${one} when evidence.runs = 3 then ${two} when evidence.runs = 2 then ${three} when evidence.runs = 1 then ${four} else ${five} end`

export const firstOf = ({ first }: ReleaseEvidence): number[] =>
  [1, 2, 3, 4, 5].map(count => first[count] ?? first.at(-1)!)

const MOST_SENT_ON = 500
const MOST_SENT_ON_CHARACTERS = 1024 * 1024

/** The records of one request to a collector, as days and ids. */
export function outboxOf(added: readonly NewRecord[]): string[] {
  const parts: [day: number, id: string][][] = []
  let size = Number.POSITIVE_INFINITY
  for (const { day, id, body } of added) {
    if (size + body.length > MOST_SENT_ON_CHARACTERS || parts.at(-1)!.length === MOST_SENT_ON) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push([day, id])
    size += body.length
  }
  return parts.map(part => JSON.stringify(part))
}
