// One run, with everything that happened at the same event.

import type { RunRecord } from '@holdfast/hooks'
import { occurrences } from '../../replay/occurrences.js'
import { fitted, LONG_IN_PATH, LONG_IN_STEP } from '../path/fitted.js'
import { recordedPath } from '../path/recorded.js'
import { jsonOf } from '../path/shape.js'
import { notThere, wrong } from '../refusals.js'
import type { Book } from './book.js'
import type { Row } from './row.js'
import { shaped } from './shaped.js'

/** Runs of one event stand together; of logs from before they had its id, no more than so many are looked at. */
const NEIGHBOURS = 64

export function getRun(book: Book, id: string) {
  const records = eventOf(book, id)
  return { path: fitted(pathOf(records)), step: stepIn(records, id) }
}

/** One text, however long it is. */
export function getRunText(book: Book, id: string, name: string): { text: string } {
  const records = eventOf(book, id)
  const step = stepIn(records, id)
  // As the log holds it, for who wants it exactly.
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
  recordedPath([shaped(first), ...others.map(shaped)])

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
