// Rows into the partitions of PostgreSQL, and those left out that are there already.

import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { DAY_MS } from '../../durations.js'
import { COLUMNS } from '../columns.js'
import { type NewRecord, timeInId } from '../read-record.js'
import { copied } from './copy.js'

const LIST = COLUMNS.join(', ')

/** A clock that was wrong and is right now, or the other way: the same id would have two places. */
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

export async function copyInto(
  client: PoolClient,
  table: 'records' | 'incoming',
  rows: readonly NewRecord[],
): Promise<readonly NewRecord[]> {
  if (rows.length === 0) return rows
  const stream = client.query(copyFrom(`copy ${table} (${LIST}) from stdin binary`))
  await new Promise<void>((resolve, reject) => {
    stream.once('error', reject)
    stream.once('finish', resolve)
    stream.end(copied(rows))
  })
  return rows
}

/** The rows that were not there before. */
export async function insertUnknown(
  client: PoolClient,
  rows: readonly NewRecord[],
): Promise<readonly NewRecord[]> {
  await client.query('create temporary table incoming (like records including defaults) on commit drop')
  await copyInto(client, 'incoming', rows)
  const { rows: stored } = await client.query<{ id: string }>(
    `insert into records (${LIST}) select ${LIST} from incoming order by day, id on conflict (day, id) do nothing returning id`,
  )
  if (stored.length === rows.length) return rows
  await noticeClones(client)
  const ids = new Set(stored.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

async function noticeClones(client: PoolClient): Promise<void> {
  await client.query(
    'update devices set looks_cloned = 1 where id in (select i.device_id from incoming i join records r on r.day = i.day and r.id = i.id where r.device_id <> i.device_id)',
  )
}
