// The list of events, newest first, in pages. A page begins after the last row of the one before it, so new events do
// not shift the rows.

import type { ListRunsRequest } from '@holdfast/web/panel'
import { wrong } from '../refusals.js'
import type { Book } from './book.js'
import { type RunsOf, wantedBy } from './filter.js'
import { type EventRow, toSummary } from './row.js'

const USUAL = 200
const MOST = 1000

export function listRuns(
  book: Book,
  { filter, pageSize, pageToken, skip }: Pick<ListRunsRequest, 'filter' | 'pageSize' | 'pageToken' | 'skip'>,
  runsOf: RunsOf,
) {
  book.refresh()
  const all = book.occurrences()
  const isWanted = wantedBy(filter, runsOf)
  const size = sizeOf(pageSize)
  if (skip < 0) throw wrong('skip is below 0.')
  const found: EventRow[] = []
  let behind = 0
  for (let at = pageToken === '' ? all.length : placeOf(pageToken, book); at > 0; at--) {
    const one = all[at - 1]!
    if (!isWanted(one)) continue
    if (behind >= skip && found.length < size) found.push(one)
    behind++
  }
  return {
    runs: found.map(toSummary),
    nextPageToken: behind > skip + found.length ? tokenOf(found.at(-1)!) : '',
    cursor: book.rows().at(-1)?.id ?? '',
    behind,
  }
}

export function sizeOf(asked: number): number {
  if (asked === 0) return USUAL
  if (asked < 0) throw wrong('page_size is below 0.')
  return Math.min(asked, MOST)
}

const tokenOf = ({ id }: EventRow): string => Buffer.from(`after ${id}`).toString('base64url')

function placeOf(token: string, book: Book): number {
  const text = Buffer.from(token, 'base64url').toString('utf8')
  if (!text.startsWith('after ')) throw wrong('page_token is not one of this panel.')
  const row = book.byId(text.slice('after '.length))
  if (!row) throw wrong('This page of the list was evicted by newer runs. Reload the list.')
  return book.occurrenceOf(row).number - book.occurrences()[0]!.number
}
