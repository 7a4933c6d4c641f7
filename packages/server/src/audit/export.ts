// Records to take away, oldest first. Pages are read as fast as the caller takes them, so that a million records need no
// more memory than a hundred.

import type { Filter } from '@holdfast/team'
import { LISTED, shownOf } from '../records/record.js'
import { RequestError } from '../request-error.js'
import { inTime } from '../store/reader.js'
import { type FullRecord, oldestRecords, type RecordPlace } from '../store/records.js'
import type { Team } from '../team.js'
import { sourceOf, wantedOf } from './filter.js'
import { addNames, type Names, noNames } from './names.js'
import { logsOf } from './otlp/logs.js'

const PAGE = 200

interface Format {
  /** Before the first record. */
  readonly head: string
  page(rows: readonly FullRecord[], names: Names, teamId: string): string
}

/** A spreadsheet would run a text that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/
/** What is read first; then every column of the list. */
const CSV_HEAD = ['time', 'device_name', 'device_owner', 'hook_name', 'shown_verdict', ...LISTED]

const FORMATS: Readonly<Record<string, Format>> = {
  jsonl: { head: '', page: (rows, names) => rows.map(row => lineOf(row, names)).join('') },
  csv: {
    head: csvLine(CSV_HEAD),
    page: (rows, names) => rows.map(row => csvLine(cellsOf(row, names))).join(''),
  },
  otlp: { head: '', page: (rows, names, teamId) => `${JSON.stringify(logsOf(rows, names, teamId))}\n` },
}

export async function* exportRecords(
  team: Team,
  request: { filter?: Filter | undefined; format: string },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const name = request.format === '' ? 'jsonl' : request.format
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (!format) {
    throw new RequestError(
      'invalid',
      `format is "${name.slice(0, 40)}"; expected ${Object.keys(FORMATS).join(' or ')}.`,
    )
  }
  const wanted = wantedOf(request.filter, team.now())
  const names = noNames()
  let last: RecordPlace | null = null
  if (format.head !== '') yield Buffer.from(format.head)
  while (!signal.aborted) {
    const rows: FullRecord[] = await inTime(
      oldestRecords(sourceOf(team), wanted, { after: last, limit: PAGE }),
    )
    if (rows.length === 0) return
    await addNames(team.records.reader, names, rows)
    yield Buffer.from(format.page(rows, names, team.id))
    if (rows.length < PAGE) return
    last = rows.at(-1)!
  }
}

const time = (at: number) => new Date(at).toISOString()

/** The record as it came, with what only the server knows. */
function lineOf(row: FullRecord, { devices }: Names): string {
  const known = JSON.stringify({
    device_id: row.device_id,
    device_name: devices.get(row.device_id)?.name ?? '',
    device_owner: devices.get(row.device_id)?.owner ?? '',
    received_at: time(row.received_at),
    clock_skew: row.clock_skew === 1,
  })
  // Line breaks between JSON tokens are only space; inside strings there are none.
  return `${known.slice(0, -1)},"record":${row.body.replaceAll(/[\r\n]/g, ' ')}}\n`
}

/** In the order of CSV_HEAD. */
function cellsOf(row: FullRecord, { devices, hooks }: Names): readonly (string | number)[] {
  const device = devices.get(row.device_id)
  const hook = hooks.get(row.hook) ?? row.hook
  const first = [time(row.at), device?.name ?? '', device?.owner ?? '', hook, shownOf(row)]
  return [...first, ...LISTED.map(name => row[name])]
}

function csvLine(cells: readonly (string | number)[]): string {
  const quoted = cells.map(cell =>
    typeof cell === 'number' ? cell : `"${`${FORMULA.test(cell) ? "'" : ''}${cell}`.replaceAll('"', '""')}"`,
  )
  return `${quoted.join(',')}\r\n`
}
