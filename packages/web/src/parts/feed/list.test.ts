import { describe, expect, it } from 'vitest'
import {
  append,
  begin,
  heldCount,
  isBlank,
  isGap,
  type List,
  MOST_ROWS,
  missing,
  refill,
  rowsOf,
  standsFor,
  trim,
} from './list.js'
import { arrive, isMoreWaiting, join, lengthOf, release, waitingCount } from './news.js'

interface Run {
  readonly id: string
  readonly subject?: string
}

const run = (number: number, more: Partial<Run> = {}): Run => ({
  id: String(number).padStart(6, '0'),
  ...more,
})
/** Newest first. */
const page = (newest: number, size: number) => Array.from({ length: size }, (_, index) => run(newest - index))
const news = (...numbers: number[]) => numbers.map(number => run(number))
const ids = (list: List<Run>) => rowsOf(list).map(({ id }) => Number(id) || id)

/** So many pages of 200. */
function long(pages: number): List<Run> {
  let list = begin({ rows: page(100_000, 200), nextPageToken: '1' })
  for (let at = 1; at < pages; at++) {
    const next = at === pages - 1 ? '' : String(at + 1)
    list = append(list, String(at), { rows: page(100_000 - at * 200, 200), nextPageToken: next })
  }
  return list
}

describe('a list', () => {
  it('puts new rows on top when nobody is held up by them', () => {
    const list = arrive(begin({ rows: page(3, 3), nextPageToken: '' }), news(4, 5), false)
    expect(ids(list)).toEqual([5, 4, 3, 2, 1])
  })

  it('holds them while somebody reads, and shows all at once', () => {
    const held = arrive(
      arrive(begin({ rows: page(3, 3), nextPageToken: '' }), news(4), true),
      news(5, 6),
      true,
    )
    expect(ids(held)).toEqual([3, 2, 1])
    expect(waitingCount(held)).toBe(3)
    expect(ids(release(held))).toEqual([6, 5, 4, 3, 2, 1])
  })

  it('shows nothing twice, and renews what it knows where it stands', () => {
    const list = arrive(
      begin({ rows: page(3, 3), nextPageToken: '' }),
      [run(2, { subject: 'new' }), run(4)],
      false,
    )
    expect(ids(list)).toEqual([4, 3, 2, 1])
    expect(rowsOf(list)[2]).toMatchObject({ subject: 'new' })
    expect(ids(arrive(list, news(4), false))).toEqual([4, 3, 2, 1])
  })

  it('counts only when more than a thousand wait', () => {
    const start = begin({ rows: page(3, 3), nextPageToken: '' })
    const many = arrive(start, page(2003, 2000).reverse(), true)
    expect(many).toMatchObject({ tooMany: 2000, waiting: [] })
    expect(waitingCount(arrive(many, news(2004), true))).toBe(2001)
    expect(ids(many)).toEqual([3, 2, 1])
  })

  it('says that something is missing, once, between what came before and after', () => {
    let list = arrive(begin({ rows: page(2, 2), nextPageToken: '' }), null, true)
    list = arrive(list, null, true)
    list = release(arrive(list, news(9), true))
    const rows = rowsOf(list)
    expect(rows.map(row => (isGap(row) ? 'gap' : Number(row.id)))).toEqual([9, 'gap', 2, 1])
    expect(waitingCount(arrive(list, null, true))).toBe(0)
  })

  it('takes a page that was read twice once', () => {
    const list = begin({ rows: page(9, 3), nextPageToken: 'a' })
    const twice = append(append(list, 'a', { rows: page(6, 3), nextPageToken: 'b' }), 'a', {
      rows: page(6, 3),
      nextPageToken: 'b',
    })
    expect(ids(twice)).toEqual([9, 8, 7, 6, 5, 4])
  })
})

describe('a hundred thousand rows', () => {
  it('keeps few of them in memory, those around what is seen', () => {
    const list = trim(long(500), 50_000, 50_040)
    expect(heldCount(list)).toBeLessThanOrEqual(MOST_ROWS)
    const rows = rowsOf(list)
    expect(rows).toHaveLength(100_000)
    expect(rows.slice(49_000, 51_000).some(isBlank)).toBe(false)
    expect(rows.slice(0, 200).some(isBlank), 'the newest tell what is new').toBe(false)
    expect(isBlank(rows[200]!)).toBe(true)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(100_000)
    expect(lengthOf(list, 1)).toBe(100_000)
  })

  it('keeps the page of the row that somebody has open', () => {
    const list = trim(long(500), 50_000, 50_040, run(100_000 - 700).id)
    const rows = rowsOf(list)
    expect(heldCount(list)).toBeLessThanOrEqual(MOST_ROWS)
    expect(rows.slice(600, 800).some(isBlank)).toBe(false)
    expect(isBlank(rows[599]!) && isBlank(rows[800]!)).toBe(true)
  })

  it('reads again what comes back into sight, in its old place', () => {
    const list = trim(long(100), 19_000, 19_040)
    expect(missing(list, 0, 40)).toEqual([])
    expect(missing(list, 390, 410)).toEqual(['1', '2'])
    const blank = rowsOf(list)[201]!
    expect(standsFor(list, blank.id)).toBe(blank.id)
    const back = refill(list, '1', { rows: page(99_800, 250), nextPageToken: 'x' })
    expect(ids(back).slice(199, 202)).toEqual([99_801, 99_800, 99_799])
    expect(rowsOf(back)).toHaveLength(20_000)
    expect(missing(back, 200, 240)).toEqual([])
    expect(standsFor(back, blank.id), 'who stood on it still does').toBe(run(99_799).id)
    expect(standsFor(back, run(5).id)).toBe(run(5).id)
  })

  it('shows no row twice and leaves none out when rows came or went between meanwhile', () => {
    const list = trim(long(100), 19_000, 19_040)
    const late = refill(list, '1', {
      rows: [run(99_800), { id: '099799-late' }, ...page(99_799, 248)],
      nextPageToken: 'x',
    })
    expect(rowsOf(late)).toHaveLength(20_001)
    expect(missing(late, 401, 401)).toEqual(['2'])
    const gone = refill(list, '1', { rows: page(99_790, 250), nextPageToken: 'x' })
    expect(rowsOf(gone)).toHaveLength(19_990)
    // More came than was asked for: the rest is read anew from there.
    const flood = refill(list, '1', { rows: page(99_800, 150), nextPageToken: 'onward' })
    expect(flood).toMatchObject({ next: 'onward' })
    expect(rowsOf(flood)).toHaveLength(350)
  })
})

describe('the newest, read again', () => {
  const start = begin({ rows: page(100, 100), nextPageToken: 'a' })

  it('bring what is new, and nothing twice', () => {
    const once = join(start, { rows: page(102, 100), nextPageToken: 'b' }, true)
    expect(waitingCount(once)).toBe(2)
    const twice = join(once, { rows: page(103, 100), nextPageToken: 'c' }, true)
    expect(waitingCount(twice)).toBe(3)
    expect(isMoreWaiting(twice)).toBe(false)
    expect(lengthOf(twice, 503), 'those that wait are not among the rows').toBe(500)
  })

  it('say that there are more when they do not reach down to what is known', () => {
    const far = join(start, { rows: page(500, 100), nextPageToken: 'b' }, true)
    expect(waitingCount(far)).toBe(100)
    expect(isMoreWaiting(far)).toBe(true)
    // What waits is known, too: no second gap.
    const next = join(far, { rows: page(590, 100), nextPageToken: 'c' }, true)
    expect(next.waiting.filter(isGap)).toHaveLength(1)
    expect(waitingCount(next)).toBe(190)
  })

  it('are not mistaken for new by who has scrolled far down', () => {
    const list = trim(long(100), 19_000, 19_040)
    expect(join(list, { rows: page(100_000, 100), nextPageToken: 'b' }, true)).toBe(list)
  })
})
