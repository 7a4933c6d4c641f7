import { expect, it } from 'vitest'
import { readGap } from './gap.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const GAP = {
  from: '2026-06-15T10:00:00Z',
  to: '2026-06-15T11:00:00Z',
  count: 3,
  reason: 'the disk was full',
}
const read = (change: object = {}, segment = 's', deviceId = 'd') =>
  readGap({ ...GAP, ...change }, segment, { deviceId, now: NOW, recordDays: 90 })

it('gives a gap the same id when it is sent again, and another one to each other gap', () => {
  expect(read().id).toBe(read().id)
  const others = [
    read({ from: '2026-06-15T10:00:01Z' }),
    read({ to: '2026-06-15T11:00:01Z' }),
    read({ count: 4 }),
    read({ reason: 'it was asleep' }),
    read({}, 'other segment'),
    read({}, 's', 'other device'),
  ]
  expect(new Set([read(), ...others].map(({ id }) => id)).size).toBe(7)
})

it('stores a gap at its end, for its device, and says how many runs are missing and why', () => {
  const { id, ...gap } = read()
  expect(gap).toMatchObject({
    at: Date.parse(GAP.to),
    clock_skew: 0,
    received_at: NOW,
    device_id: 'd',
    event: 'gap',
    verdict: 'none',
    failed_open: 0,
    release: 0,
    summary: '3 runs were not kept: the disk was full',
  })
  expect(JSON.parse(gap.body)).toEqual({ id, event: 'gap', ...GAP })
})

it.each(['', 'never', '1960-01-01', '9999-01-01', `2026-06-15${' '.repeat(100_000)}`])(
  'stores a gap that ends at %#, which is no time, at its arrival',
  to => {
    const gap = read({ from: 'x'.repeat(1000), to, reason: `a\0b${'x'.repeat(1000)}` })
    expect(gap).toMatchObject({ clock_skew: to.startsWith('2026') ? 0 : 1 })
    expect(gap.id).toMatch(/^[0-9a-z]{9}-0000-[0-9a-f]{24}$/)
    const { from, to: end, reason } = JSON.parse(gap.body) as typeof GAP
    expect([from.length, end.length <= 40, reason.length]).toEqual([40, true, 200])
    expect(gap.summary).not.toContain('\0')
  },
)
