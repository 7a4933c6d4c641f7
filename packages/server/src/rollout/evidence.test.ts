import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge, lowerBound, type Shown, upperBound } from './evidence.js'

const LIMITS = { failure: 0.05, denial: 0.2 }
const device = (
  runs: number,
  failures: number,
  denials = 0,
  firstFailures = Math.min(5, failures),
): Shown => ({
  runs,
  failures,
  denials,
  firstFailures,
})
const many = (count: number, one: Shown) => Array.from({ length: count }, () => one)

describe('whether a release does harm', () => {
  it('one broken laptop that fails ten thousand times halts nothing', () => {
    const shown = [device(10_000, 10_000), ...many(7, device(20, 0))]
    expect(judge(shown, [], 8, LIMITS)).toEqual({ halt: null })
  })

  it('three of eight that always fail from the start halt it at once', () => {
    const shown = [...many(3, device(5, 5)), ...many(5, device(20, 0))]
    expect(judge(shown, [], 8, LIMITS)).toMatchObject({ atOnce: true })
  })

  it('a third of runs failing on many devices halts it', () => {
    expect(judge(many(10, device(30, 10, 0, 2)), [], 10, LIMITS)).toMatchObject({ atOnce: false })
  })

  it('two failures in a hundred do not', () => {
    expect(judge(many(50, device(50, 1, 0, 0)), [], 50, LIMITS)).toEqual({ halt: null })
  })

  it('little evidence is none', () => {
    expect(judge([device(3, 3, 0, 3)], [], 8, LIMITS)).toEqual({ halt: null })
    expect(judge([], [], 8, LIMITS)).toEqual({ halt: null })
  })

  it('denials count against what was usual before', () => {
    const denying = many(10, device(30, 0, 20))
    expect(judge(denying, many(10, device(30, 0, 1)), 10, LIMITS).halt).toMatch(/denied/)
    expect(judge(denying, many(10, device(30, 0, 18)), 10, LIMITS)).toEqual({ halt: null })
  })

  it('the bounds are shares, and hold what was seen between them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, share) => {
          const hits = Math.round(of * share)
          const [low, high] = [lowerBound(hits, of), upperBound(hits, of)]
          expect(low).toBeGreaterThanOrEqual(0)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(hits / of + 1e-9)
          expect(high).toBeGreaterThanOrEqual(hits / of - 1e-9)
        },
      ),
    )
  })
})
