// The runs and events of the log, newest last, as far as memory allows. Each request reads what was added.

import type { RunRecord } from '@holdfast/hooks'
import { openTail } from '../../log/tail.js'
import { normalize } from './normalize.js'
import { createTextPool, type EventRow, type RowContext, type RunRow, toRow } from './row.js'

export interface Book {
  /** Oldest first. */
  rows(): readonly RunRow[]
  /** Events, oldest first. */
  occurrences(): readonly EventRow[]
  byId(id: string): RunRow | undefined
  /** The event that a run was part of. */
  occurrenceOf(row: RunRow): EventRow
  /** As the log holds them, without those whose file has been removed. */
  recordsOf(rows: readonly RunRow[]): RunRecord[]
  /** Rows that were added since; undefined if some of them were evicted. */
  since(number: number): readonly RunRow[] | undefined
  /** Grows with every run. */
  newest(): number
  /** Continues reading. */
  refresh(): void
}

const MOST_ROWS = 200_000
/** Longer logs are read from here on. */
const MOST_BYTES = 384 * 1024 * 1024

export function openBook(logFile: string, roots: readonly string[] = [], most = MOST_ROWS): Book {
  const tail = openTail(logFile, MOST_BYTES)
  const pool = createTextPool()
  const byId = new Map<string, RunRow>()
  const events = new WeakMap<RunRow, EventRow>()
  let rows: RunRow[] = []
  let occurrences: EventRow[] = []
  let number = 0

  /** The engine writes the runs of an event together. */
  const add = (row: RunRow) => {
    let occurrence = occurrences.at(-1)
    if (!occurrence || row.eventId === undefined || occurrence.rows[0]!.eventId !== row.eventId) {
      occurrence = { number: (occurrence?.number ?? 0) + 1, id: row.id, rows: [] }
      occurrences.push(occurrence)
    }
    occurrence.rows.push(row)
    events.set(row, occurrence)
    rows.push(row)
    byId.set(row.id, row)
  }

  const refresh = () => {
    tail.read((record, place) => {
      // A rotation can show the same lines twice.
      if (byId.has(record.id)) return
      const row = readRow(record, { number: number + 1, place, pool, roots })
      if (!row) return
      number++
      add(row)
    })
    // A tenth more than wanted, so that not every new run moves all others.
    if (rows.length <= most * 1.1) return
    for (const { id } of rows.slice(0, rows.length - most)) byId.delete(id)
    rows = rows.slice(-most)
    occurrences = occurrences.slice(events.get(rows[0]!)!.number - occurrences[0]!.number)
  }

  refresh()
  return {
    rows: () => rows,
    occurrences: () => occurrences,
    byId: id => byId.get(id),
    occurrenceOf: row => events.get(row)!,
    recordsOf: wanted => tail.recordsAt(wanted.map(({ place }) => place)).filter(record => record !== null),
    since(from) {
      const oldest = rows[0]?.number ?? number + 1
      return from < oldest - 1 ? undefined : rows.slice(Math.max(0, from + 1 - oldest))
    },
    newest: () => number,
    refresh,
  }
}

/** A line can resemble a record and contain anything. Unreadable lines are skipped. */
function readRow(record: RunRecord, context: RowContext): RunRow | undefined {
  try {
    return toRow(normalize(record), context)
  } catch {
    return undefined
  }
}
