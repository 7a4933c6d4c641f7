import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dragged, inOrder, layout, ticks, zoneAt } from './histogram-layout.js'

const HOUR = 3_600_000
const home = process.env.TZ
beforeEach(() => void vi.stubGlobal('navigator', { language: 'en-GB' }))
afterEach(() => {
  vi.unstubAllGlobals()
  if (home === undefined) delete process.env.TZ
  else process.env.TZ = home
})

const bar = (from: number, counts: Record<string, number>, length = HOUR) => ({
  from,
  to: from + length,
  counts: Object.entries(counts).map(([name, count]) => ({ name, count })),
})
const box = { width: 400, height: 72 }

describe('bars over time', () => {
  it('stacks what nobody needs to see at the bottom, failed open on top, and fills the height', () => {
    const { columns, highest } = layout([bar(0, { failed_open: 10, deny: 10, none: 20, allow: 60 })], box)
    expect(highest).toBe(100)
    expect(columns[0]!.parts.map(({ name }) => name)).toEqual(['none', 'allow', 'deny', 'failed_open'])
    expect(columns[0]!.parts.at(-1)!.y).toBeCloseTo(0)
  })

  it('shows one denial among ten thousand, and takes its height from the largest', () => {
    const [column] = layout([bar(0, { allow: 9999, deny: 1 })], box).columns
    expect(column!.parts.find(({ name }) => name === 'deny')!.height).toBe(2)
    expect(column!.parts.reduce((total, { height }) => total + height, 0)).toBeCloseTo(72)
  })

  it('places bars by their time, so that a missing one leaves a gap', () => {
    const { columns } = layout([bar(3 * HOUR, { allow: 1 }), bar(0, { allow: 1 })], box)
    expect(columns.map(({ x }) => x)).toEqual([0, 300])
  })

  it('takes bars that make no sense, and none at all', () => {
    expect(layout([], box).columns).toEqual([])
    expect(layout([bar(5, { allow: 1 }, -3), bar(Number.NaN, { allow: 1 })], box).columns).toEqual([])
    expect(layout([bar(0, {})], box).columns[0]!.parts).toEqual([])
    expect(layout([bar(0, { allow: 1 })], { width: 0, height: 0 }).columns).toEqual([])
  })

  it('puts names that it does not know at the bottom', () => {
    const names = ['deny', 'later', 'allow'].map(name => ({ name, count: 1 }))
    expect(inOrder(names).map(({ name }) => name)).toEqual(['later', 'allow', 'deny'])
  })
})

describe('the axis', () => {
  it('writes whole hours of the local clock also on the day that has 25 of them', () => {
    process.env.TZ = 'Europe/Berlin'
    // 25 October 2026, 00:00 local to the next midnight: 25 hours.
    const from = Date.parse('2026-10-24T22:00:00Z')
    const labels = ticks({ from, to: from + 25 * HOUR }, 800).map(({ label }) => label)
    expect(labels).toEqual([
      '25 Oct',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
      '15:00',
      '18:00',
      '21:00',
      '26 Oct',
    ])
  })

  it('and on the day that has 23', () => {
    process.env.TZ = 'Europe/Berlin'
    const from = Date.parse('2026-03-28T23:00:00Z')
    const labels = ticks({ from, to: from + 23 * HOUR }, 800).map(({ label }) => label)
    expect(labels[0]).toBe('29 Mar')
    expect(labels.at(-1)).toBe('30 Mar')
    expect(new Set(labels).size).toBe(labels.length)
  })

  it('writes seconds when the range is short, days when it is long, and never more than fit', () => {
    process.env.TZ = 'UTC'
    expect(ticks({ from: 0, to: 30_000 }, 300).map(({ label }) => label)).toEqual([
      '1 Jan',
      '00:00:10',
      '00:00:20',
      '00:00:30',
    ])
    expect(ticks({ from: 0, to: 7 * 24 * HOUR }, 700).length).toBeLessThanOrEqual(9)
    expect(ticks({ from: 0, to: 400 * 365 * 24 * HOUR }, 300).length).toBeLessThanOrEqual(200)
  })

  it('is written in the language of the browser', () => {
    process.env.TZ = 'UTC'
    const labels = () =>
      ticks({ from: 20 * HOUR, to: 26 * HOUR }, 300).map(({ label }) => label.replaceAll(/\s/g, ' '))
    expect(labels()).toEqual(['20:00', '22:00', '2 Jan', '02:00'])
    vi.stubGlobal('navigator', { language: 'en-US' })
    expect(labels()).toEqual(['08:00 PM', '10:00 PM', 'Jan 2', '02:00 AM'])
    vi.stubGlobal('navigator', { language: 'de-DE' })
    expect(labels()).toEqual(['20:00', '22:00', '2. Jan.', '02:00'])
  })

  it('of counts ends at a round figure', () => {
    const ceilingOf = (count: number) => layout([bar(0, { allow: count })], box).ceiling
    expect([0, 1, 3, 5, 7, 9, 11, 64, 9999].map(ceilingOf)).toEqual([1, 1, 4, 6, 8, 10, 20, 80, 10_000])
  })

  it('names the zone', () => {
    process.env.TZ = 'Europe/Berlin'
    expect(zoneAt(Date.parse('2026-07-01T00:00:00Z'))).toMatch(/CEST|GMT\+2/)
  })
})

describe('a drag', () => {
  const chart = layout(
    [0, 1, 2, 3].map(at => bar(at * HOUR, { allow: 1 })),
    box,
  )

  it('takes the whole bars that it touches, in either direction', () => {
    const range = { from: HOUR, to: 3 * HOUR }
    expect(dragged(chart, 150, 250, 400)).toEqual(range)
    expect(dragged(chart, 250, 150, 400)).toEqual(range)
  })

  it('ends at the edge when it leaves the chart', () => {
    expect(dragged(chart, 350, 9000, 400)).toEqual({ from: 3 * HOUR, to: 4 * HOUR })
    expect(dragged(chart, 50, -300, 400)).toEqual({ from: 0, to: HOUR })
  })

  it('is none when it is a click', () => {
    expect(dragged(chart, 100, 102, 400)).toBeNull()
  })
})
