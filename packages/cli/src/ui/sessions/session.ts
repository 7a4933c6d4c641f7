// One conversation with everything that the log still holds of it.

import { notThere } from '../refusals.js'
import type { Book } from '../runs/book.js'
import { inColumns } from './columns.js'
import { families } from './families.js'
import { summaryOf } from './list.js'
import { momentsOf } from './moments.js'
import { traceOf } from './trace.js'

/** More cannot be looked at by anybody. */
const MOST_RUNS = 20_000

export function getSession(book: Book, id: string, now: number) {
  book.refresh()
  const topOf = families(book.rows())
  const rows = book.rows().filter(row => row.conversationId !== '' && topOf(row.conversationId) === id)
  const session = summaryOf(rows, id, now)
  if (!session) throw notThere('The log does not know this conversation, or not any more.')
  const shown = rows.slice(0, MOST_RUNS)
  const { spans, beganMs } = traceOf(momentsOf(book.recordsOf(shown)), id)
  return {
    session: { ...session, startedAt: new Date(beganMs).toISOString() },
    spans: inColumns(spans),
    cut: rows.length > shown.length,
  }
}
