import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketOf, quantile } from './histogram.js'
import { BUCKETS } from './record.js'

const counted = (values: readonly number[]): number[] => {
  const counts = BUCKETS.map(() => 0)
  for (const value of values) counts[BUCKETS.indexOf(bucketOf(value))]!++
  return counts
}

describe('a histogram', () => {
  it('has a place for every duration', () => {
    expect([0, 2, 2.1, 60_000, 60_001, 1e12].map(bucketOf)).toEqual(['b0', 'b0', 'b1', 'b14', 'b15', 'b15'])
  })
  it('knows about where a share of the runs lies', () => {
    expect(quantile(counted([]), 0.5)).toBe(0)
    expect(quantile(counted([30, 30, 30, 30]), 0.5)).toBe(27.5)
    expect(quantile(counted([...Array(95).fill(15), ...Array(5).fill(900)]), 0.95)).toBe(20)
    expect(quantile(counted([1e9]), 0.95)).toBe(60_000)
  })
  it('never leaves the bucket that the true value is in', () => {
    const durations = fc.array(fc.double({ min: 0, max: 59_999, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.95), (values, share) => {
        const sorted = [...values].sort((a, b) => a - b)
        const truth = sorted[Math.max(0, Math.ceil(values.length * share) - 1)]!
        const said = quantile(counted(values), share)
        expect(bucketOf(said)).toBe(bucketOf(truth))
      }),
    )
  })
})
