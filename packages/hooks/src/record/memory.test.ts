import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openRing } from './memory.js'

it('keeps the last items in order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (items, size) => {
      const ring = openRing<number>(size)
      for (const item of items) ring.add(item)
      expect(ring.list()).toEqual(items.slice(-size))
    }),
  )
})

it('has room for one at least', () => {
  for (const size of [0, -3, Number.NaN]) {
    const ring = openRing<number>(size)
    ring.add(1)
    ring.add(2)
    expect(ring.list().at(-1)).toBe(2)
  }
})
