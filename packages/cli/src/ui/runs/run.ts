// One run, with everything that happened at the same event.

import type { RunRecord } from '@holdfast/hooks'
import { occurrences } from '../../replay/occurrences.js'
import { fitted, LONG_IN_PATH, LONG_IN_STEP } from '../path/fitted.js'
import { recordedPath } from '../path/recorded.js'
import { jsonOf } from '../path/shape.js'
import { notThere, wrong } from '../refusals.js'
import type { Book } from './book.js'
import { normalize } from './normalize.js'
import type { RunRow } from './row.js'

/** Older logs have no ids of events: for those, this many adjacent runs are compared. */
const NEIGHBOURS = 64

export function getRun(book: Book, id: string) {
  const records = eventOf(book, id)
  return { path: fitted(pathOf(records)), step: stepIn(records, id) }
}

/** One text, complete. */
export function getRunText(book: Book, id: string, name: string): { text: string } {
  const records = eventOf(book, id)
  const step = stepIn(records, id)
  if (name === 'recordJson') return { text: jsonOf(records[step]) }
  const path = pathOf(records)
  const inPath = LONG_IN_PATH.find(each => each === name)
  if (inPath) return { text: path[inPath] }
  const inStep = LONG_IN_STEP.find(each => each === name)
  if (inStep) return { text: path.steps[step]![inStep] }
  throw wrong(`A run has no text of this name. It has: ${TEXTS.join(', ')}.`)
}

const TEXTS = ['recordJson', ...LONG_IN_PATH, ...LONG_IN_STEP]

const stepIn = (records: readonly RunRecord[], id: string): number =>
  records.findIndex(record => record.id === id)

const pathOf = ([first, ...others]: readonly [RunRecord, ...RunRecord[]]) =>
  recordedPath([normalize(first), ...others.map(normalize)])

/** All runs of the event that this one was part of, in the order in which they were written. */
export function eventOf(book: Book, id: string): readonly [RunRecord, ...RunRecord[]] {
  book.refresh()
  const row = book.byId(id)
  if (!row) throw notThere('The log does not contain this run, or no longer contains it.')
  const own = book.occurrenceOf(row).rows
  const records = book.recordsOf(row.eventId === undefined ? neighbours(book.rows(), row) : own)
  for (const one of occurrences(records.toReversed())) {
    if (one.records.some(record => record.id === id)) return one.records
  }
  throw notThere('The part of the log with this run has been removed since.')
}

function neighbours(rows: readonly RunRow[], row: RunRow): readonly RunRow[] {
  const at = row.number - rows[0]!.number
  const isNear = (other: RunRow | undefined) => other?.eventId === undefined && other?.event === row.event
  let from = at
  let to = at + 1
  while (at - from < NEIGHBOURS && isNear(rows[from - 1])) from--
  while (to - at < NEIGHBOURS && isNear(rows[to])) to++
  return rows.slice(from, to)
}
