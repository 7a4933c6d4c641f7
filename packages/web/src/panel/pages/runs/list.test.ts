import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RunSummarySchema } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { type Asked, fits } from './asked.js'
import {
  append,
  arrive,
  begin,
  heldCount,
  isBlank,
  isGap,
  type List,
  MOST_ROWS,
  missing,
  refill,
  release,
  rowsOf,
  trim,
  waitingCount,
} from './list.js'

const run = (number: number, more = {}) =>
  create(RunSummarySchema, { id: String(number).padStart(6, '0'), ...more })
/** Newest first. */
const page = (newest: number, size: number) => Array.from({ length: size }, (_, index) => run(newest - index))
const news = (...numbers: number[]) => numbers.map(number => run(number))
const ids = (list: List) => rowsOf(list).map(({ id }) => Number(id) || id)

/** So many pages of 200. */
function long(pages: number): List {
  let list = begin({ runs: page(100_000, 200), nextPageToken: '1' })
  for (let at = 1; at < pages; at++) {
    const next = at === pages - 1 ? '' : String(at + 1)
    list = append(list, String(at), { runs: page(100_000 - at * 200, 200), nextPageToken: next })
  }
  return list
}

describe('the list of runs', () => {
  it('puts new runs on top when nobody is held up by them', () => {
    const list = arrive(begin({ runs: page(3, 3), nextPageToken: '' }), news(4, 5), false)
    expect(ids(list)).toEqual([5, 4, 3, 2, 1])
  })

  it('holds them while somebody reads, and shows all at once', () => {
    const held = arrive(
      arrive(begin({ runs: page(3, 3), nextPageToken: '' }), news(4), true),
      news(5, 6),
      true,
    )
    expect(ids(held)).toEqual([3, 2, 1])
    expect(waitingCount(held)).toBe(3)
    expect(ids(release(held))).toEqual([6, 5, 4, 3, 2, 1])
  })

  it('shows nothing twice, and renews what it knows where it stands', () => {
    const list = arrive(
      begin({ runs: page(3, 3), nextPageToken: '' }),
      [run(2, { subject: 'new' }), run(4)],
      false,
    )
    expect(ids(list)).toEqual([4, 3, 2, 1])
    expect(rowsOf(list)[2]).toMatchObject({ subject: 'new' })
    expect(ids(arrive(list, news(4), false))).toEqual([4, 3, 2, 1])
  })

  it('counts only when more than a thousand wait', () => {
    const start = begin({ runs: page(3, 3), nextPageToken: '' })
    const many = arrive(start, page(2003, 2000).reverse(), true)
    expect(many).toMatchObject({ tooMany: 2000, waiting: [] })
    expect(waitingCount(arrive(many, news(2004), true))).toBe(2001)
    expect(ids(many)).toEqual([3, 2, 1])
  })

  it('says that something is missing, once, between what came before and after', () => {
    let list = arrive(begin({ runs: page(2, 2), nextPageToken: '' }), null, true)
    list = arrive(list, null, true)
    list = release(arrive(list, news(9), true))
    const rows = rowsOf(list)
    expect(rows.map(row => (isGap(row) ? 'gap' : Number(row.id)))).toEqual([9, 'gap', 2, 1])
    expect(waitingCount(arrive(list, null, true))).toBe(0)
  })

  it('takes a page that was read twice once', () => {
    const list = begin({ runs: page(9, 3), nextPageToken: 'a' })
    const twice = append(append(list, 'a', { runs: page(6, 3), nextPageToken: 'b' }), 'a', {
      runs: page(6, 3),
      nextPageToken: 'b',
    })
    expect(ids(twice)).toEqual([9, 8, 7, 6, 5, 4])
  })
})

describe('a hundred thousand runs', () => {
  it('keeps at most five thousand in memory, those around what is seen', () => {
    const list = trim(long(500), 50_000, 50_040)
    expect(heldCount(list)).toBeLessThanOrEqual(MOST_ROWS)
    const rows = rowsOf(list)
    expect(rows).toHaveLength(100_000)
    expect(rows.slice(49_000, 51_000).some(isBlank)).toBe(false)
    expect(isBlank(rows[0]!)).toBe(true)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(100_000)
  })

  it('reads again what comes back into sight, in its old place', () => {
    const list = trim(long(100), 19_000, 19_040)
    expect(missing(list, 0, 40)).toEqual([''])
    expect(missing(list, 190, 210)).toEqual(['', '1'])
    const back = refill(list, '', { runs: page(100_000, 200), nextPageToken: '1' })
    expect(ids(back)[0]).toBe(100_000)
    expect(rowsOf(back)).toHaveLength(20_000)
    expect(missing(back, 0, 40)).toEqual([])
  })
})

describe('what belongs to the list', () => {
  const all: Asked = { from: '', to: '', verdicts: [], events: [], hooks: [], sources: [], text: '' }
  const one = run(1, { at: '2026-11-16T12:00:00Z', verdict: 'deny', event: 'a', hook: 'h', source: 'user' })

  it('is what every filter lets through', () => {
    expect(fits(all, one)).toBe(true)
    expect(fits({ ...all, verdicts: ['ask', 'deny'], hooks: ['h'] }, one)).toBe(true)
    expect(fits({ ...all, verdicts: ['deny'], sources: ['project'] }, one)).toBe(false)
    expect(fits({ ...all, from: '2026-11-16T12:00:00Z' }, one)).toBe(true)
    expect(fits({ ...all, to: '2026-11-16T12:00:00Z' }, one)).toBe(false)
  })
})
