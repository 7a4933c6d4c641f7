// Records, newest first, and one of them complete.

import type { Filter } from '@holdfast/team'
import { DAY_MS } from '../durations.js'
import { type PageRequest, pageOf } from '../page.js'
import { isRecordId, timeInId } from '../records/read-record.js'
import type { Listed } from '../records/record.js'
import { RequestError } from '../request-error.js'
import { inTime } from '../store/reader.js'
import { type FullRecord, newestRecords, recordsById } from '../store/records.js'
import type { Team } from '../team.js'
import { sourceOf, wantedOf } from './filter.js'
import { addNames, type Names, noNames } from './names.js'

export interface FoundRecords {
  readonly records: readonly Listed[]
  readonly names: Names
  readonly nextPageToken: string
}

export async function searchRecords(
  team: Team,
  request: PageRequest & { filter?: Filter | undefined },
): Promise<FoundRecords> {
  const { reader } = team.records
  const wanted = wantedOf(request.filter, team.now())
  const { rows, nextPageToken } = await pageOf(
    request,
    [0, ''] as readonly [number, string],
    (last, limit) => {
      const before = last && { at: last[0], id: last[1] }
      return inTime(newestRecords(sourceOf(team), wanted, { before, limit }))
    },
    ({ at, id }) => [at, id],
  )
  return { records: rows, names: await addNames(reader, noNames(), rows), nextPageToken }
}

export async function recordOf(team: Team, id: string): Promise<{ record: FullRecord; names: Names }> {
  const { reader } = team.records
  const day = isRecordId(id) ? Math.floor(timeInId(id) / DAY_MS) : 0
  const [record] = await recordsById(reader, [0, day], [id])
  if (!record)
    throw new RequestError('missing', `There is no record ${id.slice(0, 80)}, or it is no longer kept.`)
  return { record, names: await addNames(reader, noNames(), [record]) }
}
