// Adds new rows to the sums, to the evidence about releases, and to the export list, in PostgreSQL.

import type { PoolClient } from 'pg'
import { BUCKETS } from '../../store/schema.js'
import type { NewRecord } from '../read-record.js'
import { tally } from '../tally.js'
import { FIRST_SQL, firstOf, outboxOf } from './statements.js'

const SUMS = ['hour', 'hook', 'event', 'release', 'verdict', 'count', 'ms_sum', ...BUCKETS].join(', ')

export async function addUp(client: PoolClient, added: readonly NewRecord[]): Promise<void> {
  const { deltas, days, evidence } = tally(added)
  if (deltas.length === 0) return
  await client.query({
    text: `insert into rollup_deltas (${SUMS}) select ${SUMS} from json_populate_recordset(null::rollup_deltas, $1::json)`,
    values: [JSON.stringify(deltas)],
  })
  await client.query({
    text: 'insert into device_days select * from json_populate_recordset(null::device_days, $1::json) on conflict (day, device_id) do update set count = device_days.count + excluded.count',
    values: [JSON.stringify(days)],
  })
  if (evidence.length === 0) return
  const shown = JSON.stringify(
    evidence.map(one => {
      const [one1, two, three, four, five] = firstOf(one)
      return { ...one, first_failures: 0, f1: one1, f2: two, f3: three, f4: four, f5: five }
    }),
  )
  await client.query({
    text: 'insert into evidence select release, device_id, 0, 0, 0, 0, at from json_populate_recordset(null::evidence, $1::json) where exists (select 1 from releases where number = release) on conflict do nothing',
    values: [shown],
  })
  await client.query({
    text: `update evidence set runs = evidence.runs + v.runs, failures = evidence.failures + v.failures, denials = evidence.denials + v.denials, at = v.at, first_failures = evidence.first_failures + ${FIRST_SQL(['v.f1', 'v.f2', 'v.f3', 'v.f4', 'v.f5'])} from json_to_recordset($1::json) as v (release bigint, device_id text, runs bigint, failures bigint, denials bigint, at bigint, f1 int, f2 int, f3 int, f4 int, f5 int) where evidence.release = v.release and evidence.device_id = v.device_id`,
    values: [shown],
  })
}

export async function sendOn(client: PoolClient, added: readonly NewRecord[], now: number): Promise<void> {
  for (const ids of outboxOf(added)) {
    await client.query('insert into outbox (at, ids) values ($1, $2)', [now, ids])
  }
}
