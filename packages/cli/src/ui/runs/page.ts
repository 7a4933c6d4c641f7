// The rows of a list, newest first, page by page. A page begins behind the last row of the one before it, so that new
// runs move nothing.

import type { ListRunsRequest } from '@holdfast/web/panel'
import { wrong } from '../refusals.js'
import type { Book } from './book.js'
import { type RunsOf, wantedBy } from './filter.js'
import { type Row, toSummary } from './row.js'

const USUAL = 200
const MOST = 1000

export function listRuns(
  book: Book,
  { filter, pageSize, pageToken, skip }: Pick<ListRunsRequest, 'filter' | 'pageSize' | 'pageToken' | 'skip'>,
  runsOf: RunsOf,
) {
  book.refresh()
  const rows = book.rows()
  const wanted = wantedBy(filter, runsOf)
  const size = sizeOf(pageSize)
  if (skip < 0) throw wrong('skip is below 0.')
  const found: Row[] = []
  let behind = 0
  for (let at = pageToken === '' ? rows.length : placeOf(pageToken, rows, book); at > 0; at--) {
    const row = rows[at - 1]!
    if (!wanted(row)) continue
    if (behind >= skip && found.length < size) found.push(row)
    behind++
  }
  return {
    runs: found.map(toSummary),
    // A list that ends does not say otherwise.
    nextPageToken: behind > skip + found.length ? tokenOf(found.at(-1)!) : '',
    cursor: rows.at(-1)?.id ?? '',
    behind,
  }
}

export function sizeOf(asked: number): number {
  if (asked === 0) return USUAL
  if (asked < 0) throw wrong('page_size is below 0.')
  return Math.min(asked, MOST)
}

const tokenOf = ({ id }: Row): string => Buffer.from(`after ${id}`).toString('base64url')

function placeOf(token: string, rows: readonly Row[], book: Book): number {
  const text = Buffer.from(token, 'base64url').toString('utf8')
  if (!text.startsWith('after ')) throw wrong('page_token is not one that this panel gave.')
  const row = book.byId(text.slice('after '.length))
  if (!row) throw wrong('This page of the list is gone: so many runs came that it was forgotten. Begin anew.')
  return row.number - rows[0]!.number
}
