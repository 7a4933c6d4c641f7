// The list of runs as it stands on the page: pages that were read, what the stream brought above them, and what waits
// to be shown. Pure: every change gives a new list.

import type { RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'

/** Runs that were not told apart came here: nobody knows how many. */
export interface Gap {
  readonly gap: true
  readonly id: string
}

/** A row that was read, and let go again to save memory. */
export interface Blank {
  readonly blank: true
  readonly id: string
}

export type Row = RunSummary | Gap | Blank
export type Coming = RunSummary | Gap

export interface PageOfRuns {
  /** Reads it again. */
  readonly token: string
  readonly size: number
  readonly rows: readonly RunSummary[] | null
}

export interface List {
  /** Newest first. */
  readonly head: readonly Coming[]
  readonly pages: readonly PageOfRuns[]
  /** Of the page after the last; null at the end. */
  readonly next: string | null
  /** Held back; newest first. */
  readonly waiting: readonly Coming[]
  /** So many are newer that only reading anew makes sense; 0: not yet. */
  readonly tooMany: number
}

export const MOST_WAITING = 1000
/** In memory at once. */
export const MOST_ROWS = 5000

export const isGap = (row: Row): row is Gap => 'gap' in row
export const isBlank = (row: Row): row is Blank => 'blank' in row
export const isRun = (row: Row): row is RunSummary => !isGap(row) && !isBlank(row)

interface Read {
  readonly runs: readonly RunSummary[]
  readonly nextPageToken: string
}

export const begin = ({ runs, nextPageToken }: Read): List => ({
  head: [],
  pages: [{ token: '', size: runs.length, rows: runs }],
  next: nextPageToken || null,
  waiting: [],
  tooMany: 0,
})

/** The page after the last one. An answer that comes twice changes nothing. */
export function append(list: List, token: string, { runs, nextPageToken }: Read): List {
  if (token !== list.next) return list
  return {
    ...list,
    pages: [...list.pages, { token, size: runs.length, rows: runs }],
    next: nextPageToken || null,
  }
}

/** A page that was let go is here again, in its place. What the log has lost of it meanwhile is lost here, too. */
export function refill(list: List, token: string, { runs }: Read): List {
  return {
    ...list,
    pages: list.pages.map(page =>
      page.token === token && !page.rows ? { token, size: runs.length, rows: runs } : page,
    ),
  }
}

/** New runs, oldest first; null when they could not be told apart. */
export function arrive(list: List, runs: readonly RunSummary[] | null, isHeld: boolean): List {
  const known = knownIds(list)
  const patched = runs?.some(run => known.has(run.id)) ? patch(list, runs) : list
  const fresh: Coming[] = runs
    ? runs.filter(run => !known.has(run.id)).reverse()
    : patched.waiting[0] && isGap(patched.waiting[0])
      ? []
      : [{ gap: true, id: `gap ${newestId(patched)}` }]
  if (fresh.length === 0) return patched
  if (patched.tooMany > 0) return { ...patched, tooMany: patched.tooMany + fresh.length }
  const waiting = [...fresh, ...patched.waiting]
  if (waiting.length > MOST_WAITING) return { ...patched, waiting: [], tooMany: waiting.length }
  return isHeld ? { ...patched, waiting } : release({ ...patched, waiting })
}

/** Everything that waited stands above the rest. */
export const release = (list: List): List =>
  list.waiting.length === 0 ? list : { ...list, head: [...list.waiting, ...list.head], waiting: [] }

export const waitingCount = ({ waiting, tooMany }: List): number =>
  tooMany || waiting.filter(row => !isGap(row)).length

/** Runs that are held in memory. */
export const heldCount = ({ head, pages, waiting }: List): number =>
  head.length + waiting.length + pages.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0)

/** Lets pages go that are furthest from what is seen. */
export function trim(list: List, first: number, last: number, most = MOST_ROWS): List {
  let over = heldCount(list) - most
  if (over <= 0) return list
  const middle = (first + last) / 2
  const starts = startsOf(list)
  const away = (index: number) => Math.abs(starts[index]! + list.pages[index]!.size / 2 - middle)
  const gone = new Set<number>()
  for (const index of list.pages.map((_, index) => index).sort((a, b) => away(b) - away(a))) {
    if (over <= 0) break
    if (!list.pages[index]!.rows) continue
    gone.add(index)
    over -= list.pages[index]!.size
  }
  return {
    ...list,
    pages: list.pages.map((page, index) => (gone.has(index) ? { ...page, rows: null } : page)),
  }
}

/** Pages that are in sight, but were let go. */
export function missing(list: List, first: number, last: number): string[] {
  const starts = startsOf(list)
  return list.pages
    .filter(({ rows, size }, index) => !rows && starts[index]! <= last && starts[index]! + size > first)
    .map(({ token }) => token)
}

function startsOf({ head, pages }: List): number[] {
  let at = head.length
  return pages.map(({ size }) => {
    at += size
    return at - size
  })
}

export function rowsOf(list: List): Row[] {
  const rows: Row[] = [...list.head]
  for (const page of list.pages) for (const row of page.rows ?? blanksOf(page)) rows.push(row)
  return rows
}

const blanks = new WeakMap<PageOfRuns, readonly Blank[]>()

function blanksOf(page: PageOfRuns): readonly Blank[] {
  let made = blanks.get(page)
  if (!made) {
    made = Array.from({ length: page.size }, (_, index) => ({
      blank: true,
      id: `blank ${page.token} ${index}`,
    }))
    blanks.set(page, made)
  }
  return made
}

const newestId = ({ head, waiting, pages }: List): string =>
  [...waiting, ...head].find(row => !isGap(row))?.id ?? pages[0]?.rows?.[0]?.id ?? ''

/** Only the newest can come a second time. */
function knownIds({ head, waiting, pages }: List): Set<string> {
  const ids = new Set<string>()
  for (const { id } of waiting) ids.add(id)
  for (const { id } of head) ids.add(id)
  for (const { id } of pages[0]?.rows ?? []) ids.add(id)
  return ids
}

/** What is known already is replaced where it stands. */
function patch(list: List, runs: readonly RunSummary[]): List {
  const news = new Map(runs.map(run => [run.id, run]))
  const renew = <Each extends Row>(row: Each): Each => (news.get(row.id) as Each | undefined) ?? row
  return {
    ...list,
    head: list.head.map(renew),
    waiting: list.waiting.map(renew),
    pages: list.pages.map((page, index) =>
      index === 0 && page.rows ? { ...page, rows: page.rows.map(renew) } : page,
    ),
  }
}
