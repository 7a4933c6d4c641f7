// Lists are returned in pages. A token names the last row, so new or removed rows do not shift a page.

import { RequestError } from './request-error.js'

const DEFAULT = 50
const MOST = 500

export const sizeOf = ({ pageSize }: { pageSize: number }): number => {
  if (pageSize < 0) throw new RequestError('invalid', `page_size is ${pageSize}; expected 1 to ${MOST}.`)
  return pageSize === 0 ? DEFAULT : Math.min(pageSize, MOST)
}

/** The sort key of the last row of the page before; null at the beginning. */
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
    // reported below
  }
  throw new RequestError('invalid', 'page_token is not one of this server. Start again without it.')
}

export const tokenOf = (last: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(last)).toString('base64url')

/** One row more than the page is requested: it shows whether there is a next page, and is not returned. */
export function paged<Row>(
  rows: readonly Row[],
  size: number,
  key: (row: Row) => readonly (string | number)[],
): { rows: readonly Row[]; nextPageToken: string } {
  if (rows.length <= size) return { rows, nextPageToken: '' }
  const kept = rows.slice(0, size)
  return { rows: kept, nextPageToken: tokenOf(key(kept.at(-1)!)) }
}

/** A page of rows that `load` reads in a fixed order, from after the row with this key on. */
export async function pageOf<Key extends readonly (string | number)[], Row>(
  request: PageRequest,
  sample: Key,
  load: (last: NoInfer<Key> | null, limit: number) => Promise<readonly Row[]>,
  key: (row: NoInfer<Row>) => readonly (string | number)[],
): Promise<{ rows: readonly Row[]; nextPageToken: string }> {
  const size = sizeOf(request)
  return paged(await load(after(request, sample), size + 1), size, key)
}

export interface PageRequest {
  readonly pageSize: number
  readonly pageToken: string
}
