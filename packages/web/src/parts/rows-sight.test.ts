import { describe, expect, it } from 'vitest'
import { around, sightOf, topFor } from './rows-sight.js'

const rows = { count: 100_000, height: 32, above: 28 }

describe('rows in sight', () => {
  it.each([
    [0, 348, { first: 0, last: 9 }],
    [31, 348, { first: 0, last: 10 }],
    [32, 348, { first: 1, last: 10 }],
    [3_199_680, 348, { first: 99_990, last: 99_999 }],
    // Before its size is known, and when it is smaller than what lies over it.
    [0, 0, { first: 0, last: 0 }],
    [64, 10, { first: 2, last: 1 }],
  ])('scrolled by %i in a box of %i: %j', (scrollTop, height, sight) =>
    expect(sightOf(rows, { scrollTop, height })).toEqual(sight),
  )

  it('of fewer rows than it was scrolled by are the last; of none, none', () => {
    expect(sightOf({ ...rows, count: 5 }, { scrollTop: 9000, height: 348 })).toEqual({ first: 4, last: 4 })
    expect(sightOf({ ...rows, count: 0 }, { scrollTop: 0, height: 348 })).toEqual({ first: 0, last: -1 })
  })

  it('are drawn with some around them, as far as there are any', () => {
    expect(around({ first: 3, last: 12 }, 15, 8)).toEqual({ first: 0, last: 14 })
  })
})

describe('a row that is to be seen', () => {
  const box = { scrollTop: 320, height: 348 }
  it.each([
    ['stays when it is', 12, 320],
    ['comes down to the head from above', 9, 288],
    ['comes up from below, whole', 20, 352],
    ['far away', 99_999, 3_199_680],
  ])('%s', (_, index, top) => expect(topFor(index, rows, box)).toBe(top))

  it('shows its beginning where it does not fit', () => {
    expect(topFor(20, rows, { scrollTop: 0, height: 40 })).toBe(640)
  })
})
