import fc from 'fast-check'
import { expect, it } from 'vitest'
import { waitOf } from './rpc.js'
import { afterLoss, backOff, firstWait, pollWait, sendWait } from './waits.js'

const chance = fc.double({ min: 0, max: 1, noNaN: true })
const MINUTE = 60_000

it('waits are spread, and never longer than they should be', () => {
  fc.assert(
    fc.property(chance, fc.integer({ min: 0, max: 5000 }), (at, attempt) => {
      const within = (value: number, least: number, most: number) => value >= least && value <= most
      return (
        within(pollWait(at, true), 24 * MINUTE, 36 * MINUTE) &&
        within(pollWait(at, false), 4 * MINUTE, 6 * MINUTE) &&
        within(backOff(attempt, at), 0, 5 * MINUTE) &&
        within(afterLoss(at), 0, MINUTE / 2) &&
        within(firstWait(at), 0, MINUTE) &&
        within(sendWait(at), 0.8 * MINUTE, 1.2 * MINUTE)
      )
    }),
  )
})

it('backing off doubles', () =>
  expect([0, 1, 2, 3, 9].map(attempt => backOff(attempt, 1))).toEqual([1000, 2000, 4000, 8000, 300_000]))

it.each([
  [null, undefined],
  ['5', 5000],
  ['0', 0],
  ['Tue, 01 Jan 2030 00:00:10 GMT', 10_000],
  ['Mon, 31 Dec 2029 23:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['999999999', 24 * 3600 * 1000],
])('Retry-After: %s', (header, ms) => {
  const wait = waitOf(header, Date.parse('2030-01-01T00:00:00Z'))
  // V8 reads some odd words as dates; they are then long ago.
  if (ms === undefined) expect(wait ?? 0).toBe(0)
  else expect(wait).toBe(ms)
})
