// Records, newest first, and one of them complete.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import { after, paged, sizeOf } from '../page.js'
import { RequestError } from '../request-error.js'
import type { RecordRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { LISTED } from './columns.js'
import { matching, wantedOf } from './filter.js'
import { addNames, type Names, noNames } from './names.js'
import { isRecordId, timeInId } from './read-record.js'
import { inTime } from './reader/reader.js'

export type Listed = Pick<RecordRow, (typeof LISTED)[number]>

export interface FoundRecords {
  readonly records: readonly Listed[]
  readonly names: Names
  readonly nextPageToken: string
}

export async function searchRecords(
  team: Team,
  request: { filter?: Filter | undefined; pageSize: number; pageToken: string },
): Promise<FoundRecords> {
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
    names: await addNames(reader, noNames(), page.rows),
    nextPageToken: page.nextPageToken,
  }
}

export async function recordOf(
  team: Team,
  id: string,
): Promise<{ record: Listed & { body: string }; names: Names }> {
  const { reader } = team.records
  const day = isRecordId(id) ? Math.floor(timeInId(id) / DAY_MS) : 0
  const row = await reader
    .selectFrom('records')
    .select([...LISTED, 'body'])
    .where('day', 'in', [0, day])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row)
    throw new RequestError('missing', `There is no record ${id.slice(0, 80)}, or it is no longer kept.`)
  return { record: row, names: await addNames(reader, noNames(), [row]) }
}
