// New rows above a list: they wait or appear, never twice, and too many are reported.

import { type Coming, type Item, isGap, type List, type Read } from './list.js'

export const MOST_WAITING = 1000

/** New rows, oldest first; null when they are unknown. */
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

/** Adds the new rows of the newest page, and a gap below when the page does not reach the known rows. */
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

/** Puts the waiting rows above the others. */
export const release = <Each extends Item>(list: List<Each>): List<Each> =>
  list.waiting.length === 0 ? list : { ...list, head: [...list.waiting, ...list.head], waiting: [] }

export const waitingCount = <Each extends Item>({ waiting, tooMany }: List<Each>): number =>
  tooMany || waiting.filter(row => !isGap(row)).length

/** Whether more wait than are counted. */
export const isMoreWaiting = <Each extends Item>({ waiting, tooMany }: List<Each>): boolean =>
  tooMany > 0 || waiting.some(isGap)

/** The total without the waiting rows. */
export function lengthOf<Each extends Item>(list: List<Each>, counted: number | undefined): number {
  const known = list.head.length + list.pages.reduce((sum, { size }) => sum + size, 0)
  return list.next === null ? known : Math.max(known, (counted ?? 0) - waitingCount(list))
}

const newestId = <Each extends Item>({ head, waiting, pages }: List<Each>): string =>
  [...waiting, ...head].find(row => !isGap(row))?.id ?? pages[0]?.rows?.[0]?.id ?? ''

/** Only the newest rows can arrive a second time. */
function knownIds<Each extends Item>({ head, waiting, pages }: List<Each>): Set<string> {
  const ids = new Set<string>()
  for (const { id } of waiting) ids.add(id)
  for (const { id } of head) ids.add(id)
  for (const { id } of pages[0]?.rows ?? []) ids.add(id)
  return ids
}

/** Replaces known rows in place. */
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
