// Lists are handed out in pages. A token names the last row that was seen, so rows that come or go never shift a page.

import { Refusal } from './refusal.js'

const DEFAULT = 50
const MOST = 500

export const sizeOf = ({ pageSize }: { pageSize: number }): number => {
  if (pageSize < 0) throw new Refusal('invalid', `page_size is ${pageSize}; expected 1 to ${MOST}.`)
  return pageSize === 0 ? DEFAULT : Math.min(pageSize, MOST)
}

/** What the last row of the page before was sorted by; null at the beginning. */
export function after<T extends readonly (string | number)[]>(
  { pageToken }: { pageToken: string },
  sample: T,
): T | null {
  if (pageToken === '') return null
  try {
    const value: unknown = JSON.parse(Buffer.from(pageToken, 'base64url').toString('utf8'))
    const fits =
      Array.isArray(value) &&
      value.length === sample.length &&
      value.every(
        (part, index) =>
          typeof part === typeof sample[index] && (typeof part === 'string' || Number.isSafeInteger(part)),
      )
    if (fits) return value as unknown as T
  } catch {
    // said below
  }
  throw new Refusal('invalid', 'page_token is not one that this server gave. Begin again without it.')
}

export const tokenOf = (last: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(last)).toString('base64url')

/** Rows were asked for with one more than fits: it says whether there is a next page, and is not handed out. */
export function paged<Row>(
  rows: readonly Row[],
  size: number,
  key: (row: Row) => readonly (string | number)[],
): { rows: readonly Row[]; nextPageToken: string } {
  if (rows.length <= size) return { rows, nextPageToken: '' }
  const kept = rows.slice(0, size)
  return { rows: kept, nextPageToken: tokenOf(key(kept.at(-1)!)) }
}
