// One conversation, with everything in the log about it.

import { notThere } from '../refusals.js'
import type { Book } from '../runs/book.js'
import { inColumns } from './columns.js'
import { summaryOf } from './list.js'
import { momentsOf } from './moments.js'
import { findRoots } from './roots.js'
import { traceOf } from './trace.js'

/** The maximum that is drawn. */
const MOST_RUNS = 20_000

export function getSession(book: Book, id: string, now: number) {
  book.refresh()
  const session = summaryOf(book, id, now)
  if (!session) throw notThere('The log does not contain this conversation, or no longer contains it.')
  const rootOf = findRoots(book.rows())
  const rows = book.rows().filter(row => row.conversationId !== '' && rootOf(row.conversationId) === id)
  const shown = rows.slice(0, MOST_RUNS)
  const { spans, beganMs } = traceOf(momentsOf(book.recordsOf(shown)), id)
  return {
    session: { ...session, startedAt: new Date(beganMs).toISOString() },
    spans: inColumns(spans),
    cut: rows.length > shown.length,
  }
}
