// The runs that the log knows, newest last, as far back as memory allows. It is read on when somebody asks.

import { openTail, type Place, type RunRecord } from '@holdfast/hooks'
import { type Once, onceEach, type Row, toRow } from './row.js'
import { shaped } from './shaped.js'

export interface Book {
  /** Oldest first. */
  rows(): readonly Row[]
  byId(id: string): Row | undefined
  /** As the log holds them, without those whose file has been removed. */
  recordsOf(rows: readonly Row[]): RunRecord[]
  /** Rows that came since; undefined when some of them are forgotten already. */
  since(number: number): readonly Row[] | undefined
  /** Grows with every run. */
  newest(): number
  /** Reads on. */
  refresh(): void
}

const MOST_ROWS = 200_000
/** Longer logs are read from here on. */
const MOST_BYTES = 384 * 1024 * 1024

export function openBook(logFile: string, most = MOST_ROWS): Book {
  const tail = openTail(logFile, MOST_BYTES)
  const once = onceEach()
  const byId = new Map<string, Row>()
  let rows: Row[] = []
  let number = 0

  const refresh = () => {
    tail.read((record, place) => {
      // A rotation can show the same lines twice.
      if (byId.has(record.id)) return
      const row = readRow(record, place, number + 1, once)
      if (!row) return
      number++
      rows.push(row)
      byId.set(row.id, row)
    })
    // A tenth more than wanted, so that not every new run moves all others.
    if (rows.length <= most * 1.1) return
    for (const { id } of rows.slice(0, rows.length - most)) byId.delete(id)
    rows = rows.slice(-most)
  }

  refresh()
  return {
    rows: () => rows,
    byId: id => byId.get(id),
    recordsOf: wanted => tail.recordsAt(wanted.map(({ place }) => place)).filter(record => record !== null),
    since(from) {
      const oldest = rows[0]?.number ?? number + 1
      return from < oldest - 1 ? undefined : rows.slice(Math.max(0, from + 1 - oldest))
    },
    newest: () => number,
    refresh,
  }
}

/** What looks like a record may hold anything: what cannot be read is no run. */
function readRow(record: RunRecord, place: Place, number: number, once: Once): Row | undefined {
  try {
    return toRow(shaped(record), place, number, once)
  } catch {
    return undefined
  }
}
