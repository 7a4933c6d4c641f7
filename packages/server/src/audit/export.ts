// Records to take away, oldest first. Read page by page as fast as they are taken, so that a million of them need no more
// memory than a hundred.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { Refusal } from '../refusal.js'
import type { Team } from '../team.js'
import { LISTED } from './columns.js'
import { matching, wantedOf } from './filter.js'
import { type Exported, logsOf } from './otlp/logs.js'
import { inTime } from './reader/reader.js'
import { deviceNames } from './search.js'

const PAGE = 200
const FORMATS = ['jsonl', 'otlp'] as const

export async function* exportRecords(
  team: Team,
  request: { filter?: Filter | undefined; format: string },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const format = request.format === '' ? 'jsonl' : request.format
  if (!(FORMATS as readonly string[]).includes(format)) {
    throw new Refusal('invalid', `format is "${format.slice(0, 40)}"; expected ${FORMATS.join(' or ')}.`)
  }
  const wanted = wantedOf(request.filter, team.now())
  const names = new Map<string, string>()
  let last: { at: number; id: string } | null = null
  while (!signal.aborted) {
    const rows: Exported[] = await inTime(
      matching(team.records.reader, team.store.kind, wanted)
        .select([...LISTED, 'body'])
        .$if(last !== null, query => query.where(sql<boolean>`(at, id) > (${last!.at}, ${last!.id})`))
        .orderBy('at')
        .orderBy('id')
        .limit(PAGE)
        .execute(),
    )
    if (rows.length === 0) return
    await learnNames(team, names, rows)
    yield Buffer.from(
      format === 'otlp'
        ? `${JSON.stringify(logsOf(rows, names, team.id))}\n`
        : rows.map(row => lineOf(row, names.get(row.device_id) ?? '')).join(''),
    )
    if (rows.length < PAGE) return
    const { at, id } = rows.at(-1)!
    last = { at, id }
  }
}

export async function learnNames(
  { records }: Team,
  names: Map<string, string>,
  rows: readonly Exported[],
): Promise<void> {
  const unknown = rows.map(({ device_id }) => device_id).filter(id => !names.has(id))
  const found = await deviceNames(records.reader, unknown)
  for (const id of unknown) names.set(id, found.get(id) ?? '')
}

/** The record as it came, with what only the server knows. */
function lineOf(row: Exported, deviceName: string): string {
  const known = JSON.stringify({
    device_id: row.device_id,
    device_name: deviceName,
    received_at: new Date(row.received_at).toISOString(),
    clock_skew: row.clock_skew === 1,
  })
  // Line ends between the tokens of JSON are only space; inside of its texts there are none.
  return `${known.slice(0, -1)},"record":${row.body.replaceAll(/[\r\n]/g, ' ')}}\n`
}
