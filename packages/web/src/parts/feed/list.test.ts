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
  placeOf,
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

  it('shows no row twice, and updates known rows in place', () => {
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
    expect(standsFor(back, blank.id), 'the selection stays on the row').toBe(run(99_799).id)
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
    // More rows came than requested: the rest is loaded again from there.
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

describe('a list whose length is known', () => {
  const all = page(100_000, 100_000)
  const start = () => begin({ rows: all.slice(0, 100), nextPageToken: 'a', behind: 100_000 })
  /** As a panel answers, when its log goes back to so many rows. */
  const answer = (token: string, size = 200, length = all.length) => {
    const { pageToken, skip } = placeOf(token)
    expect(pageToken).toBe('a')
    const from = 100 + skip
    const rows = all.slice(0, length).slice(from, from + size)
    return { rows, nextPageToken: from + size < length ? 'b' : '', behind: length - 100 }
  }
  const readAt = (list: List<Run>, first: number, last: number, length?: number) =>
    missing(list, first, last).reduce(
      (made, token) => trim(refill(made, token, answer(token, 200, length)), first, last),
      list,
    )
  const isRight = (list: List<Run>) =>
    rowsOf(list).every((row, index) => isBlank(row) || row.id === all[index]!.id)

  it('has all its places at once, and any of them is read first', () => {
    const list = start()
    expect(rowsOf(list)).toHaveLength(100_000)
    expect(lengthOf(list, undefined)).toBe(100_000)
    expect(missing(list, 99_970, 99_999)).toHaveLength(1)
    const end = readAt(list, 99_970, 99_999)
    expect(rowsOf(end).at(-1)).toEqual(all.at(-1))
    expect(heldCount(end)).toBe(200)
    expect(new Set(rowsOf(end).map(({ id }) => id)).size).toBe(100_000)
  })

  it('is right and small wherever one goes in it, in whatever order', () => {
    let list = start()
    for (let step = 0; step < 300; step++) {
      const first = (step * 37_199) % 99_960
      list = readAt(list, first, first + 40)
      expect(missing(list, first, first + 40)).toEqual([])
      expect(heldCount(list)).toBeLessThanOrEqual(MOST_ROWS)
    }
    expect(rowsOf(list)).toHaveLength(100_000)
    expect(isRight(list)).toBe(true)
  })

  it('takes a page once, and selects a row that was not loaded', () => {
    const list = start()
    const [token] = missing(list, 50_000, 50_000)
    const read = refill(list, token!, answer(token!))
    expect(refill(read, token!, answer(token!))).toBe(read)
    expect(standsFor(read, rowsOf(list)[50_000]!.id)).toBe(all[50_000]!.id)
  })

  it('is shorter when its oldest rows were evicted', () => {
    const short = readAt(readAt(start(), 99_900, 99_999), 60_000, 60_040, 90_000)
    expect(rowsOf(short)).toHaveLength(90_000)
    expect(isRight(short)).toBe(true)
    expect(rowsOf(readAt(short, 89_990, 89_999, 90_000)).at(-1)).toEqual(all[89_999])
    // The very page that is read is gone, or half of it.
    for (const length of [95_000, 99_850, 99_950]) {
      const gone = readAt(start(), 99_900, 99_999, length)
      expect(rowsOf(gone)).toHaveLength(length)
      expect(isRight(gone)).toBe(true)
      expect(isRight(readAt(gone, length - 300, length - 1, length))).toBe(true)
    }
  })
})
