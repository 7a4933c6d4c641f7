// The stored length of each file of a device, in PostgreSQL.

import type { PoolClient } from 'pg'
import type { ReadBatch } from '../batch.js'

/** In one order, and locked until the end: of two concurrent copies of a file, the second sees the first. */
export async function lockCursors(
  client: PoolClient,
  read: readonly ReadBatch[],
  now: number,
): Promise<Map<string, number>> {
  const files = new Map<string, { device_id: string; segment: string; acked_to: number; at: number }>()
  for (const { batch } of read) {
    const { deviceId, segment, from } = batch
    if (!files.has(`${deviceId} ${segment}`))
      files.set(`${deviceId} ${segment}`, { device_id: deviceId, segment, acked_to: from, at: now })
  }
  const { rows } = await client.query<{ device_id: string; segment: string; acked_to: number }>({
    text: 'insert into cursors select * from json_populate_recordset(null::cursors, $1::json) order by device_id, segment on conflict (device_id, segment) do update set at = excluded.at returning device_id, segment, acked_to',
    values: [JSON.stringify([...files.values()])],
  })
  return new Map(rows.map(({ device_id, segment, acked_to }) => [`${device_id} ${segment}`, acked_to]))
}

export async function raiseCursors(
  client: PoolClient,
  read: readonly ReadBatch[],
  cursors: ReadonlyMap<string, number>,
  now: number,
): Promise<void> {
  const files = new Map(
    read.map(({ batch: { deviceId, segment } }) => {
      const acked_to = cursors.get(`${deviceId} ${segment}`)!
      return [`${deviceId} ${segment}`, { device_id: deviceId, segment, acked_to, at: now }]
    }),
  )
  await client.query({
    text: 'update cursors set acked_to = greatest(cursors.acked_to, new.acked_to) from json_populate_recordset(null::cursors, $1::json) as new where cursors.device_id = new.device_id and cursors.segment = new.segment',
    values: [JSON.stringify([...files.values()])],
  })
}
