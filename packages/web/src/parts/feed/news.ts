// What comes above a list while somebody reads it: it waits, or it comes in; never twice, and never silently too much.

import { type Coming, type Item, isGap, type List, type Read } from './list.js'

export const MOST_WAITING = 1000

/** New rows, oldest first; null when they could not be told apart. */
export function arrive<Each extends Item>(
  list: List<Each>,
  rows: readonly Each[] | null,
  isHeld: boolean,
): List<Each> {
  const known = knownIds(list)
  const patched = rows?.some(row => known.has(row.id)) ? patch(list, rows) : list
  const fresh: Coming<Each>[] = rows
    ? rows.filter(row => !known.has(row.id)).reverse()
    : patched.waiting[0] && isGap(patched.waiting[0])
      ? []
      : [{ gap: true, id: `gap ${newestId(patched)}` }]
  if (fresh.length === 0) return patched
  if (patched.tooMany > 0) return { ...patched, tooMany: patched.tooMany + fresh.length }
  const waiting = [...fresh, ...patched.waiting]
  if (waiting.length > MOST_WAITING) return { ...patched, waiting: [], tooMany: waiting.length }
  return isHeld ? { ...patched, waiting } : release({ ...patched, waiting })
}

/** The newest, read again: what is new of it, and a gap below when it does not reach down to what is known. */
export function join<Each extends Item>(
  list: List<Each>,
  { rows, nextPageToken }: Read<Each>,
  isHeld: boolean,
): List<Each> {
  const known = knownIds(list)
  const fresh = rows.filter(({ id }) => !known.has(id)).reverse()
  if (fresh.length === 0) return list
  const isJoined = fresh.length < rows.length || nextPageToken === ''
  return arrive(isJoined ? list : arrive(list, null, isHeld), fresh, isHeld)
}

/** Everything that waited stands above the rest. */
export const release = <Each extends Item>(list: List<Each>): List<Each> =>
  list.waiting.length === 0 ? list : { ...list, head: [...list.waiting, ...list.head], waiting: [] }

export const waitingCount = <Each extends Item>({ waiting, tooMany }: List<Each>): number =>
  tooMany || waiting.filter(row => !isGap(row)).length

/** Whether more wait than are counted. */
export const isMoreWaiting = <Each extends Item>({ waiting, tooMany }: List<Each>): boolean =>
  tooMany > 0 || waiting.some(isGap)

/** How many rows there are without those that wait, when so many were counted. */
export function lengthOf<Each extends Item>(list: List<Each>, counted: number | undefined): number {
  const known = list.head.length + list.pages.reduce((sum, { size }) => sum + size, 0)
  return list.next === null ? known : Math.max(known, (counted ?? 0) - waitingCount(list))
}

const newestId = <Each extends Item>({ head, waiting, pages }: List<Each>): string =>
  [...waiting, ...head].find(row => !isGap(row))?.id ?? pages[0]?.rows?.[0]?.id ?? ''

/** Only the newest can come a second time. */
function knownIds<Each extends Item>({ head, waiting, pages }: List<Each>): Set<string> {
  const ids = new Set<string>()
  for (const { id } of waiting) ids.add(id)
  for (const { id } of head) ids.add(id)
  for (const { id } of pages[0]?.rows ?? []) ids.add(id)
  return ids
}

/** What is known already is replaced where it stands. */
function patch<Each extends Item>(list: List<Each>, rows: readonly Each[]): List<Each> {
  const news = new Map(rows.map(row => [row.id, row]))
  const renew = <Old extends Item>(row: Old): Old => (news.get(row.id) as Old | undefined) ?? row
  return {
    ...list,
    head: list.head.map(renew),
    waiting: list.waiting.map(renew),
    pages: list.pages.map((page, index) =>
      index === 0 && page.rows ? { ...page, rows: page.rows.map(renew) } : page,
    ),
  }
}
