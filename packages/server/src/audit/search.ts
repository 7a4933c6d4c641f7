// Records, newest first, and one of them whole.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import { after, paged, sizeOf } from '../page.js'
import { Refusal } from '../refusal.js'
import type { Db } from '../store/open.js'
import type { RecordRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { LISTED } from './columns.js'
import { matching, wantedOf } from './filter.js'
import { isRecordId, timeInId } from './read-record.js'
import { inTime } from './reader/reader.js'

export type Listed = Pick<RecordRow, Exclude<(typeof LISTED)[number], 'hook_id'>> & {
  readonly hook_id: number
}

export interface Found {
  readonly records: readonly Listed[]
  readonly names: ReadonlyMap<string, string>
  readonly nextPageToken: string
}

export async function searchRecords(
  team: Team,
  request: { filter?: Filter | undefined; pageSize: number; pageToken: string },
): Promise<Found> {
  const size = sizeOf(request)
  const last = after(request, [0, ''] as const)
  const { reader } = team.records
  const rows = await inTime(
    matching(reader, team.store.kind, wantedOf(request.filter, team.now()))
      .select(LISTED)
      .$if(last !== null, query => query.where(sql<boolean>`(at, id) < (${last![0]}, ${last![1]})`))
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute(),
  )
  const page = paged(rows, size, ({ at, id }) => [at, id])
  return {
    records: page.rows,
    names: await deviceNames(
      reader,
      page.rows.map(({ device_id }) => device_id),
    ),
    nextPageToken: page.nextPageToken,
  }
}

export async function recordOf(
  team: Team,
  id: string,
): Promise<Listed & { body: string; deviceName: string }> {
  const { reader } = team.records
  const day = isRecordId(id) ? Math.floor(timeInId(id) / DAY_MS) : 0
  const row = await reader
    .selectFrom('records')
    .select([...LISTED, 'body'])
    .where('day', 'in', [0, day])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new Refusal('missing', `There is no record ${id.slice(0, 80)}, or it is no longer kept.`)
  const names = await deviceNames(reader, [row.device_id])
  return { ...row, deviceName: names.get(row.device_id) ?? '' }
}

export async function deviceNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('devices')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
