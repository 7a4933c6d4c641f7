import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeviceEvidence } from '../store/evidence.js'
import { denialLimit, fewestIn, judge, lowerBound, quorumOf, ratesOf } from './evidence.js'

const LIMITS = { failure: 0.05, denial: 0.2 }
let devices = 0
const device = (
  runs: number,
  failures: number,
  denials = 0,
  firstFailures = Math.min(5, failures),
): DeviceEvidence => ({
  deviceId: `device ${devices++}`,
  runs,
  failures,
  denials,
  firstFailures,
})
const many = (count: number, one: DeviceEvidence) => Array.from({ length: count }, () => one)

describe('whether a release does harm', () => {
  it('one broken laptop that fails ten thousand times halts nothing', () => {
    const shown = [device(10_000, 10_000), ...many(7, device(20, 0))]
    expect(judge(shown, [], 8, LIMITS)).toBeNull()
  })

  it('one that lies halts nothing, in no ring of more than one, also beside some that fail now and then', () => {
    const liar = device(10_000, 10_000)
    for (let ring = 2; ring <= 40; ring++) {
      const honest = many(ring - 1, device(20, 1, 0, 0))
      expect(judge([liar, ...honest], [], ring, LIMITS), `a ring of ${ring}`).toBeNull()
      expect(judge([liar], [], ring, LIMITS), `the first of ${ring}`).toBeNull()
    }
  })

  it('nor do fewer than it takes, whatever they say', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 300 }),
        fc.integer({ min: 5, max: 100_000 }),
        fc.boolean(),
        (ring, runs, deny) => {
          const liars = many(fewestIn(ring) - 1, deny ? device(runs, 0, runs) : device(runs, runs))
          const rest = many(ring - liars.length, device(20, 0))
          expect(judge([...liars, ...rest], [], ring, LIMITS)).toBeNull()
          expect(judge(liars, [], ring, LIMITS)).toBeNull()
        },
      ),
    )
  })

  it('alone in its ring, a device is all there is to go by', () => {
    expect(judge([device(5, 5)], [], 1, LIMITS)).toMatchObject({ atOnce: true })
    expect(judge([device(30, 12, 0, 2)], [], 1, LIMITS)).toMatchObject({ atOnce: false })
    expect(judge([device(30, 1, 0, 1)], [], 1, LIMITS)).toBeNull()
  })

  it('both of two, two of three and three of more are needed', () => {
    expect([1, 2, 3, 4, 5, 30, 1000].map(fewestIn)).toEqual([1, 2, 2, 3, 3, 3, 3])
    expect(judge(many(2, device(5, 5)), [], 2, LIMITS)).toMatchObject({ atOnce: true })
    expect(judge(many(2, device(30, 9, 0, 2)), [], 2, LIMITS)).toMatchObject({ atOnce: false })
    expect([3, 30, 31, 500].map(shown => quorumOf(1000, shown))).toEqual([3, 3, 4, 50])
  })

  it('says who showed it, the worst first, and nobody else', () => {
    const shown = [device(20, 0), device(40, 10, 0, 1), device(20, 20, 0, 4), device(40, 20, 0, 2)]
    const halt = judge(shown, [], 4, LIMITS)
    expect(halt).toMatchObject({
      reason: expect.stringMatching(/^More than .* failed on 3 devices, and 5 % /),
    })
    expect(halt!.by).toEqual([shown[2], shown[3], shown[1]])
  })

  it('three of eight that always fail from the start halt it at once', () => {
    const shown = [...many(3, device(5, 5)), ...many(5, device(20, 0))]
    expect(judge(shown, [], 8, LIMITS)).toMatchObject({ atOnce: true })
  })

  it('a third of runs failing on many devices halts it', () => {
    expect(judge(many(10, device(30, 10, 0, 2)), [], 10, LIMITS)).toMatchObject({ atOnce: false })
  })

  it('two failures in a hundred do not', () => {
    expect(judge(many(50, device(50, 1, 0, 0)), [], 50, LIMITS)).toBeNull()
  })

  it('little evidence is none', () => {
    expect(judge([device(3, 3, 0, 3)], [], 8, LIMITS)).toBeNull()
    expect(judge([], [], 8, LIMITS)).toBeNull()
    expect(judge([], [], 0, LIMITS)).toBeNull()
  })

  it('denials count against what was usual before', () => {
    const denying = many(10, device(30, 0, 20))
    expect(judge(denying, many(10, device(30, 0, 1)), 10, LIMITS)?.reason).toMatch(/denied/)
    expect(judge(denying, many(10, device(30, 0, 18)), 10, LIMITS)).toBeNull()
  })

  it('denials can halt a release however usual they were before', () => {
    const shown = fc.array(
      fc.record({ runs: fc.integer({ min: 1, max: 50 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(shown, all => {
        const before = all.map(({ runs, share }) => device(runs, 0, Math.round(runs * share)))
        expect(denialLimit(before, LIMITS)).toBeLessThan(1)
        expect(judge(many(2000, device(30, 0, 30)), before, 2000, LIMITS)?.reason).toMatch(/denied/)
      }),
    )
    // The same denials on as many devices are no reason.
    const always = many(10, device(30, 0, 30))
    expect(judge(always, always, 10, LIMITS)).toBeNull()
  })

  it('devices without a failure count the same one by one and as one row', () => {
    const bad = fc.record({
      runs: fc.integer({ min: 1, max: 60 }),
      failures: fc.integer({ min: 0, max: 60 }),
    })
    fc.assert(
      fc.property(
        fc.array(bad, { maxLength: 12 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 20 }),
        (failing, clean, runs) => {
          const others = failing.map(({ runs, failures }) => device(runs, Math.min(runs, failures)))
          const [alone, grouped] = [many(clean, device(runs, 0)), { ...device(runs, 0), devices: clean }]
          const reached = clean + others.length
          expect(ratesOf([...others, grouped], reached)).toEqual(ratesOf([...others, ...alone], reached))
          expect(judge([grouped, ...others], [grouped], reached, LIMITS)).toEqual(
            judge([...alone, ...others], alone, reached, LIMITS),
          )
        },
      ),
    )
  })

  it('the bound is a share, and not above what was seen', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, share) => {
          const hits = Math.round(of * share)
          const low = lowerBound(hits, of)
          expect(low).toBeGreaterThanOrEqual(0)
          expect(low).toBeLessThanOrEqual(hits / of + 1e-9)
        },
      ),
    )
  })
})
