import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROLLOUT } from '../setup.js'
import { assignRings, ringAt } from './rings.js'

const RINGS = ROLLOUT.rings
const devices = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `d${index}`, place: ((index * 7919) % count) / count }))
const sizes = (count: number) => {
  const assigned = [...assignRings(devices(count), RINGS).values()]
  return RINGS.map((_, ring) => assigned.filter(one => one === ring).length)
}

describe('assigning rings', () => {
  it('leaves no first ring empty, and never gives it every device, for teams of any size', () => {
    expect(sizes(1)).toEqual([1, 0, 0])
    expect(sizes(2)).toEqual([1, 0, 1])
    expect(sizes(3)).toEqual([1, 1, 1])
    expect(sizes(10)).toEqual([1, 2, 7])
    expect(sizes(20)).toEqual([1, 4, 15])
    expect(sizes(1000)).toEqual([50, 200, 750])
  })

  it('assigns every device once, the lowest places first', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 60 }),
        places => {
          const all = places.map((place, index) => ({ id: `d${index}`, place }))
          const assigned = assignRings(all, RINGS)
          expect(assigned.size).toBe(all.length)
          const sorted = [...all].sort((a, b) => a.place - b.place).map(({ id }) => assigned.get(id)!)
          expect(sorted).toEqual([...sorted].sort((a, b) => a - b))
          if (all.length > 1) expect(sorted.filter(ring => ring === 0).length).toBeLessThan(all.length)
        },
      ),
    )
  })

  it('finds a ring for a device that comes later', () => {
    expect([0, 0.049, 0.05, 0.24, 0.25, 0.999].map(place => ringAt(place, RINGS))).toEqual([0, 0, 1, 1, 2, 2])
  })
})
