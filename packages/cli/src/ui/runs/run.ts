// One run, with everything that happened at the same event.

import type { RunRecord } from '@holdfast/hooks'
import { occurrences } from '../../replay/occurrences.js'
import { recordedPath, recordJson } from '../path/recorded.js'
import { notThere } from '../refusals.js'
import type { Book } from './book.js'
import type { Row } from './row.js'
import { shaped } from './shaped.js'

/** Runs of one event stand together; of logs from before they had its id, no more than so many are looked at. */
const NEIGHBOURS = 64

export function getRun(book: Book, id: string) {
  const records = eventOf(book, id)
  const step = records.findIndex(record => record.id === id)
  return {
    path: recordedPath([shaped(records[0]), ...records.slice(1).map(shaped)]),
    recordJson: recordJson(records[step]!),
    step,
  }
}

/** All runs of the event that this one was part of, in the order in which they were written. */
export function eventOf(book: Book, id: string): readonly [RunRecord, ...RunRecord[]] {
  book.refresh()
  const row = book.byId(id)
  if (!row) throw notThere('The log does not know this run, or not any more.')
  const records = book.recordsOf(neighbours(book.rows(), row))
  for (const one of occurrences(records.toReversed())) {
    if (one.records.some(record => record.id === id)) return one.records
  }
  throw notThere('The part of the log that held this run has been removed since.')
}

function neighbours(rows: readonly Row[], row: Row): readonly Row[] {
  const at = row.number - rows[0]!.number
  const isNear = (other: Row | undefined) =>
    other !== undefined &&
    (row.eventId !== undefined
      ? other.eventId === row.eventId
      : other.eventId === undefined && other.event === row.event)
  let from = at
  let to = at + 1
  while (at - from < NEIGHBOURS && isNear(rows[from - 1])) from--
  while (to - at < NEIGHBOURS && isNear(rows[to])) to++
  return rows.slice(from, to)
}
