// Inserts rows into the partitions of PostgreSQL, except those that exist.

import type { PoolClient } from 'pg'
import { DAY_MS } from '../../durations.js'
import { COLUMNS } from '../columns.js'
import { type NewRecord, timeInId } from '../read-record.js'

const LIST = COLUMNS.join(', ')

/** After a clock was corrected, the same id may belong to two partitions. */
export async function leaveOutKnown(
  client: PoolClient,
  fresh: Map<string, NewRecord>,
  hasSkewed: boolean,
): Promise<void> {
  const skewed = [...fresh.values()].filter(({ clock_skew }) => clock_skew === 1)
  const leaveOut = (rows: readonly { id: string }[]) => {
    for (const { id } of rows) fresh.delete(id)
  }
  if (skewed.length > 0) {
    const ids = skewed.map(({ id }) => id)
    const days = skewed.map(({ id }) => Math.floor(timeInId(id) / DAY_MS))
    const { rows } = await client.query<{ id: string }>(
      'select r.id from unnest($1::bigint[], $2::text[]) as w (day, id) join records r on r.day = w.day and r.id = w.id',
      [days, ids],
    )
    leaveOut(rows)
  }
  if (hasSkewed) {
    const { rows } = await client.query<{ id: string }>(
      'select id from records where day = 0 and id = any ($1::text[])',
      [[...fresh.keys()]],
    )
    leaveOut(rows)
  }
}

/**
 * The rows that were not there before. One statement and not COPY: PostgreSQL ends a transaction that waits for a statement
 * of a lost connection, but not one that waits for more of a COPY, whose locks would block the next writers.
 */
export async function insertUnknown(
  client: PoolClient,
  rows: readonly NewRecord[],
): Promise<readonly NewRecord[]> {
  if (rows.length === 0) return rows
  const { rows: stored } = await client.query<{ id: string }>({
    text: `insert into records (${LIST}) select ${LIST} from json_populate_recordset(null::records, $1::json) order by day, id on conflict (day, id) do nothing returning id`,
    values: [JSON.stringify(rows)],
  })
  if (stored.length === rows.length) return rows
  const ids = new Set(stored.map(({ id }) => id))
  await noticeClones(
    client,
    rows.filter(({ id }) => !ids.has(id)),
  )
  return rows.filter(({ id }) => ids.has(id))
}

async function noticeClones(client: PoolClient, known: readonly NewRecord[]): Promise<void> {
  await client.query(
    'update devices set looks_cloned = 1 where id in (select i.device_id from unnest($1::bigint[], $2::text[], $3::text[]) as i (day, id, device_id) join records r on r.day = i.day and r.id = i.id where r.device_id <> i.device_id)',
    [known.map(({ day }) => day), known.map(({ id }) => id), known.map(({ device_id }) => device_id)],
  )
}
