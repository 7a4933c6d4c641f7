import { describe, expect, it } from 'vitest'
import { barsOf, widthFor } from './bars.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('bars', () => {
  it('are of a width that people can read, and never too many', () => {
    expect(widthFor(0, HOUR, 60, 0)).toBe(MINUTE)
    expect(widthFor(0, HOUR, 60, HOUR)).toBe(HOUR)
    expect(widthFor(0, 7 * DAY, 60, HOUR)).toBe(3 * HOUR)
    expect(widthFor(0, 30 * DAY, 60, HOUR)).toBe(12 * HOUR)
    expect(widthFor(0, 30 * DAY, 31, HOUR)).toBe(DAY)
    for (const most of [1, 2, 7, 500]) {
      const [from, to] = [12_345_678, 3650 * DAY + 999]
      const width = widthFor(from, to, most, HOUR)
      expect(barsOf(from, to, width, []).length).toBeLessThanOrEqual(Math.max(2, most))
    }
  })
  it('hold every count, also counts after the end', () => {
    const counts = [
      { at: 5 * MINUTE, verdict: 'deny', count: 2 },
      { at: 5 * MINUTE + 1, verdict: 'deny', count: 1 },
      { at: DAY, verdict: 'allow', count: 7 },
    ]
    const bars = barsOf(0, HOUR, 30 * MINUTE, counts)
    expect(bars.map(({ from, to, verdicts }) => [from, to, Object.fromEntries(verdicts)])).toEqual([
      [0, 30 * MINUTE, { deny: 3 }],
      [30 * MINUTE, HOUR, { allow: 7 }],
    ])
  })
})
