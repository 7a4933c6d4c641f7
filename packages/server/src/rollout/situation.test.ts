// Which release a device should have, and the etag that changes with it.

import { describe, expect, it } from 'vitest'
import { ROLLOUT } from '../setup.js'
import { etagFor, type Situation, wantedFor } from './situation.js'

const NOW = 1_800_000_000_000
const DEVICE = { id: 'd', place: 0.05, group: 'desks', operating_system: 'Linux' } as const
const ENVELOPE = { type: 'trust', payload: new Uint8Array(), signatures: [] } as const
const release = (number: number, state: 'rolling' | 'done' | 'halted', ring = 1) => ({
  number,
  hash: `hash ${number}`,
  state,
  ring,
  hasMembers: false,
  ringOf: () => undefined,
})
const situation = (changes: Partial<Situation> = {}): Situation => ({
  settings: {
    ...ROLLOUT,
    rings: [
      { name: 'canary', share: 0.1 },
      { name: 'all', share: 1 },
    ],
  },
  releases: [release(2, 'done'), release(1, 'done')],
  pins: new Map(),
  isKilled: false,
  trust: [ENVELOPE],
  leaseKey: null,
  load: () => Promise.reject(new Error('not prepared')),
  etags: new Map(),
  ...changes,
})
const pin = (number: number, until = NOW + 1) => ({ release: number, until })

describe('the etag of a device', () => {
  const etag = (changes: Partial<Situation> = {}, device: object = {}) =>
    etagFor({ ...DEVICE, ...device } as never, situation(changes), NOW)

  it('stays the same while there is nothing to take', () => {
    expect(etag()).toMatch(/^"[\w-]{27}"$/)
    expect(etag({}, { id: 'other', group: '' })).toBe(etag())
    expect(etag({ pins: new Map([['device other', pin(1)]]) })).toBe(etag())
  })

  it.each([
    ['another release', { releases: [release(3, 'done'), release(2, 'done')] }, {}],
    ['no release', { releases: [] }, {}],
    ['an older release', { pins: new Map([['device d', pin(1)]]) }, {}],
    ['the kill switch', { isKilled: true }, {}],
    ['new root metadata', { trust: [ENVELOPE, ENVELOPE] }, {}],
    ['another ring', {}, { place: 0.9 - DEVICE.place }],
    ['another operating system', {}, { operating_system: 'Windows' }],
  ])('changes with %s', (_, changes, device) => {
    expect(etag(changes, device)).not.toBe(etag())
  })

  it('changes when the release that a device has becomes one to go back to', () => {
    const before = situation({ releases: [release(1, 'done')] })
    const after = situation({ pins: new Map([['device d', pin(1)]]) })
    expect(wantedFor(DEVICE, before, NOW)).toMatchObject({ release: { number: 1 }, isBack: false })
    expect(wantedFor(DEVICE, after, NOW)).toMatchObject({ release: { number: 1 }, isBack: true })
    expect(etagFor(DEVICE, after, NOW)).not.toBe(etagFor(DEVICE, before, NOW))
  })
})

describe('the release of a device', () => {
  const numberOf = (changes: Partial<Situation>, device = DEVICE as typeof DEVICE | object) =>
    wantedFor({ ...DEVICE, ...device }, situation(changes), NOW).release?.number ?? null

  it.each([
    [
      'the newest that has reached its ring',
      { releases: [release(3, 'rolling', 0), release(2, 'done')] },
      {},
      3,
    ],
    [
      'an older one until its ring is reached',
      { releases: [release(3, 'rolling', 0), release(2, 'done')] },
      { place: 0.1 },
      2,
    ],
    ['not a halted one', { releases: [release(3, 'halted'), release(2, 'done')] }, {}, 2],
    ['none where none has reached it', { releases: [release(3, 'rolling', 0)] }, { place: 0.5 }, null],
    [
      'that of its own pin',
      {
        pins: new Map([
          ['device d', pin(1)],
          ['group desks', pin(2)],
        ]),
      },
      {},
      1,
    ],
    ['that of the pin of its group', { pins: new Map([['group desks', pin(1)]]) }, {}, 1],
    [
      'that of its group once its own pin is over',
      {
        pins: new Map([
          ['device d', pin(2, NOW)],
          ['group desks', pin(1)],
        ]),
      },
      {},
      1,
    ],
    ['not that of a pin that is over', { pins: new Map([['device d', pin(1, NOW)]]) }, {}, 2],
    ['not that of a pin of a release that is not there', { pins: new Map([['device d', pin(9)]]) }, {}, 2],
    [
      'a halted one that it is pinned to',
      { releases: [release(2, 'done'), release(1, 'halted')], pins: new Map([['device d', pin(1)]]) },
      {},
      1,
    ],
  ])('is %s', (_, changes, device, number) => {
    expect(numberOf(changes, device)).toBe(number)
  })

  it('is in the ring that was dealt to the device, or in the last one that is left', () => {
    const assigned = (ring: number) => [
      { ...release(3, 'rolling', 0), ringOf: () => ring },
      release(2, 'done'),
    ]
    expect(numberOf({ releases: assigned(0) }, { place: 0.9 })).toBe(3)
    expect(numberOf({ releases: assigned(1) }, { place: 0.01 })).toBe(2)
    const only = { ...situation().settings, rings: [{ name: 'all', share: 1 }] }
    expect(numberOf({ releases: assigned(7), settings: only })).toBe(3)
  })
})
