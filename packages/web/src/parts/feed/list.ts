// A long list, newest first: loaded pages, newer rows above them, and rows that wait to be shown. Few rows are in memory at
// any length. Pure: each change returns a new list.

export interface Item {
  readonly id: string
}

/** An unknown number of rows is missing here. */
export interface Gap extends Item {
  readonly gap: true
}

/** A row that was loaded, and evicted to save memory. */
export interface Blank extends Item {
  readonly blank: true
  readonly token: string
  readonly index: number
}

export type Coming<Each extends Item> = Each | Gap
export type Row<Each extends Item> = Each | Gap | Blank

export interface PageOf<Each extends Item> {
  /** Loads it again. */
  readonly token: string
  readonly size: number
  /** Its last row; empty before it was loaded. */
  readonly last: string
  readonly rows: readonly Each[] | null
}

export interface List<Each extends Item> {
  readonly head: readonly Coming<Each>[]
  readonly pages: readonly PageOf<Each>[]
  /** Of the page after the last; null at the end. */
  readonly next: string | null
  /** The start of the second page, if others are counted from there; null: each page is found by the one before it. */
  readonly anchor: string | null
  /** Held back. */
  readonly waiting: readonly Coming<Each>[]
  /** The number of newer rows when there are too many to list; otherwise 0. */
  readonly tooMany: number
}

/** Rows per request. */
export const PAGE = 200
/** The limit of rows in memory. With pages that are loading and those that React still holds, fewer than 5,000. */
export const MOST_ROWS = 3600

export const isGap = (row: Item): row is Gap => 'gap' in row
export const isBlank = (row: Item): row is Blank => 'blank' in row
export const isItem = <Each extends Item>(row: Row<Each>): row is Each => !isGap(row) && !isBlank(row)

export interface Read<Each extends Item> {
  readonly rows: readonly Each[]
  readonly nextPageToken: string
  /** The number of rows after the position of the token, including these, if known. */
  readonly behind?: number | undefined
}

const pageOf = <Each extends Item>(token: string, rows: readonly Each[]): PageOf<Each> => ({
  token,
  size: rows.length,
  last: rows.at(-1)?.id ?? '',
  rows,
})

/** If the number of rows is known, all have their positions at once, and any page can be loaded first. */
export function begin<Each extends Item>({ rows, nextPageToken, behind }: Read<Each>): List<Each> {
  const next = nextPageToken || null
  const isCounted = behind !== undefined && next !== null
  return {
    head: [],
    pages: [pageOf('', rows), ...(isCounted ? unread<Each>(next, 0, behind - rows.length) : [])],
    next: isCounted ? null : next,
    anchor: isCounted ? next : null,
    waiting: [],
    tooMany: 0,
  }
}

/** Placeholder pages for this many rows. */
const unread = <Each extends Item>(anchor: string, skip: number, count: number): PageOf<Each>[] =>
  Array.from({ length: Math.ceil(count / PAGE) }, (_, index) => ({
    token: `${anchor}+${skip + index * PAGE}`,
    size: Math.min(PAGE, count - index * PAGE),
    last: '',
    rows: null,
  }))

/** From the token of a page: the position that it is counted from, and the distance. */
export function placeOf(token: string): { pageToken: string; skip: number } {
  const [pageToken = '', skip = '0'] = token.split('+')
  return { pageToken, skip: Number(skip) }
}

/** Appends the page after the last one. A repeated response changes nothing. */
export function append<Each extends Item>(
  list: List<Each>,
  token: string,
  { rows, nextPageToken }: Read<Each>,
): List<Each> {
  if (token !== list.next) return list
  return { ...list, pages: [...list.pages, pageOf(token, rows)], next: nextPageToken || null }
}

/**
 * Puts an evicted or skipped page in its place, up to its former last row: rows may have been removed or added since.
 * Without that row the following pages are loaded again, so that no row appears twice and none is missing.
 */
export function refill<Each extends Item>(list: List<Each>, token: string, read: Read<Each>): List<Each> {
  const at = list.pages.findIndex(page => page.token === token && !page.rows)
  if (at === -1) return list
  if (list.anchor !== null) return refillCounted(list, at, read)
  const { rows, nextPageToken } = read
  const end = rows.findIndex(({ id }) => id === list.pages[at]!.last)
  if (end !== -1) return { ...list, pages: list.pages.with(at, pageOf(token, rows.slice(0, end + 1))) }
  return {
    ...list,
    pages: [...list.pages.slice(0, at), pageOf(token, rows)],
    next: nextPageToken || null,
  }
}

/** Rows are only removed at the far end, which shortens the list. */
function refillCounted<Each extends Item>(
  list: List<Each>,
  at: number,
  { rows, behind = 0 }: Read<Each>,
): List<Each> {
  const { token, size } = list.pages[at]!
  const [first, ...others] = list.pages.with(at, pageOf(token, rows.slice(0, size)))
  let count = 0
  const end = others.findIndex(page => {
    count += page.size
    return count > behind
  })
  if (end === -1 && count === behind) return { ...list, pages: [first!, ...others] }
  const kept = end === -1 ? others : others.slice(0, end)
  const held = kept.reduce((sum, page) => sum + page.size, 0)
  return { ...list, pages: [first!, ...kept, ...unread<Each>(list.anchor!, held, behind - held)] }
}

/** Rows in memory. */
export const heldCount = <Each extends Item>({ head, pages, waiting }: List<Each>): number =>
  head.length + waiting.length + pages.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0)

/** Evicts the pages furthest from the visible rows; never the newest, which show what is new, nor the one to keep. */
export function trim<Each extends Item>(
  list: List<Each>,
  first: number,
  last: number,
  kept?: string | undefined,
): List<Each> {
  let over = heldCount(list) - MOST_ROWS
  if (over <= 0) return list
  const middle = (first + last) / 2
  const starts = startsOf(list)
  const away = (index: number) => Math.abs(starts[index]! + list.pages[index]!.size / 2 - middle)
  const gone = new Set<number>()
  for (const index of list.pages.map((_, index) => index).sort((a, b) => away(b) - away(a))) {
    if (over <= 0) break
    const { rows, size } = list.pages[index]!
    if (!rows || index === 0 || rows.some(({ id }) => id === kept)) continue
    gone.add(index)
    over -= size
  }
  return {
    ...list,
    pages: list.pages.map((page, index) => (gone.has(index) ? { ...page, rows: null } : page)),
  }
}

/** Evicted pages that are visible. */
export function missing<Each extends Item>(list: List<Each>, first: number, last: number): string[] {
  const starts = startsOf(list)
  return list.pages
    .filter(({ rows, size }, index) => !rows && starts[index]! <= last && starts[index]! + size > first)
    .map(({ token }) => token)
}

function startsOf<Each extends Item>({ head, pages }: List<Each>): number[] {
  let at = head.length
  return pages.map(({ size }) => {
    at += size
    return at - size
  })
}

export function rowsOf<Each extends Item>(list: List<Each>): Row<Each>[] {
  const rows: Row<Each>[] = [...list.head]
  for (const page of list.pages) for (const row of page.rows ?? blanksOf(page)) rows.push(row)
  return rows
}

const blanks = new WeakMap<object, readonly Blank[]>()

function blanksOf(page: PageOf<Item>): readonly Blank[] {
  const { token, size } = page
  let made = blanks.get(page)
  if (!made) {
    made = Array.from({ length: size }, (_, index) => ({
      blank: true,
      id: `blank ${index} ${token}`,
      token,
      index,
    }))
    blanks.set(page, made)
  }
  return made
}

/** A selected blank row is the row that replaces it. */
export function standsFor<Each extends Item>(list: List<Each>, id: string): string {
  const [, index, token] = /^blank (\d+) (.*)$/.exec(id) ?? []
  const page = index === undefined ? undefined : list.pages.find(each => each.token === token)
  return page?.rows?.[Math.min(Number(index), page.size - 1)]?.id ?? id
}
