// The mark of a device is never below what its store proves, even if its state file is lost or was changed.

import { rmSync, writeFileSync } from 'node:fs'
import { type Bundle, keptOf, placeOf, readLease, readRelease, verifyTrustChain } from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { type Envelope, sha256 } from '../index.js'
import { type Mark, NO_MARK } from '../signing/mark.js'
import { at, DAY, hexOf, keys, NOW, testTeam } from '../signing/testing/team.js'
import { deviceStateOf } from './report.js'
import { loadState, NO_STATE, withWarnings } from './state.js'
import { cleanUp, freshFolder } from './testing/device.js'

cleanUp()

function bundleOf({ release, lease }: { release?: Envelope; lease?: Envelope }): Bundle {
  const one = release && readRelease(release.payload)
  const other = lease && readLease(lease.payload)
  return {
    name: '1',
    killed: false,
    whole: true,
    ...(one?.ok && { release: { envelope: release!, hash: sha256(release!.payload), payload: one.value } }),
    ...(other?.ok && { lease: { envelope: lease!, payload: other.value } }),
  }
}

/** The mark that is loaded with these sets in the store, and with a saved mark if one is given. */
function markWith(team: ReturnType<typeof testTeam>, bundles: Bundle[], saved?: Partial<Mark>): Mark {
  const home = freshFolder()
  const place = { ...placeOf(home, 'acme'), state: `${home}/state.json` }
  if (saved)
    writeFileSync(
      place.state,
      JSON.stringify({ ...NO_STATE, mark: { ...NO_MARK, trust_version: 1, ...saved } }),
    )
  const { mark } = loadState(
    place,
    bundles,
    keptOf(verifyTrustChain(undefined, team.fingerprint, team.chain)),
  )
  rmSync(home, { recursive: true })
  return mark
}

describe('the mark of a lost state', () => {
  const team = testTeam()

  it.each([
    [
      'the higher release of the same epoch',
      [
        [0, 2],
        [0, 3],
        [0, 1],
      ],
      [0, 3],
    ],
    [
      'the higher epoch, whatever the number',
      [
        [0, 9],
        [1, 2],
        [0, 10],
      ],
      [1, 2],
    ],
    [
      'the higher release of the higher epoch',
      [
        [1, 2],
        [1, 4],
        [0, 9],
      ],
      [1, 4],
    ],
  ] as const)('is at %s', (_, releases, [epoch, release]) => {
    const envelope = releases.map(([epoch, release]) => team.release({ epoch, release }))
    const expected = envelope[releases.findIndex(one => one[0] === epoch && one[1] === release)]!
    const mark = markWith(
      team,
      envelope.map(release => bundleOf({ release })),
    )
    expect(mark).toMatchObject({ epoch, release, hash: sha256(expected.payload) })
  })

  it('is not lowered by the sets in the store', () => {
    const saved = { epoch: 1, release: 5, hash: 'kept', lease_seq: 9, lease_hash: 'seen', time: NOW + DAY }
    const lease = team.lease(undefined, { order: 'hold', seq: 8 })
    const bundles = [bundleOf({ release: team.release({ release: 9 }), lease })]
    expect(markWith(team, bundles, saved)).toMatchObject(saved)
  })

  it('has the number, hash and time of the newest lease', () => {
    const leases = [7, 9, 8].map(seq =>
      team.lease(undefined, { order: 'hold', seq, issued_at: at(NOW + seq) }),
    )
    const mark = markWith(
      team,
      leases.map(lease => bundleOf({ lease })),
    )
    expect(mark).toMatchObject({ lease_seq: 9, lease_hash: sha256(leases[1]!.payload), time: NOW + 9 })
  })

  it('keeps a later verified time than that of the newest lease', () => {
    const lease = team.lease(undefined, { order: 'hold', seq: 9 })
    const mark = markWith(team, [bundleOf({ lease })], { lease_seq: 3, time: NOW + DAY })
    expect(mark).toMatchObject({ lease_seq: 9, time: NOW + DAY })
  })
})

describe('the mark after new keys', () => {
  it('ignores leases of a key that no longer counts', () => {
    const team = testTeam()
    const fresh = keys()
    const stolen = team.lease(undefined, { order: 'hold', seq: 2 ** 40 })
    team.chain.push(team.next({ lease_keys: [hexOf(fresh.publicKey)] }))
    const good = team.lease(undefined, { order: 'hold', seq: 5 }, fresh.privateKey)
    const bundles = [bundleOf({ lease: stolen }), bundleOf({ lease: good })]
    expect(markWith(team, bundles)).toMatchObject({ trust_version: 2, lease_seq: 5 })
  })

  it('starts the numbers of leases again, and keeps the release', () => {
    const team = testTeam()
    team.chain.push(team.next({ issued_at: at(NOW - DAY) }))
    const saved = {
      epoch: 0,
      release: 5,
      hash: 'kept',
      lease_seq: 2 ** 40,
      lease_hash: 'seen',
      time: NOW + 9 * DAY,
    }
    const release = team.release({ release: 4 })
    expect(markWith(team, [bundleOf({ release })], saved)).toEqual({
      epoch: 0,
      release: 5,
      hash: 'kept',
      trust_version: 2,
      lease_seq: 0,
      lease_hash: '',
      time: NOW - DAY,
    })
  })

  it('counts no lease under keys that are older than the mark', () => {
    const team = testTeam()
    const lease = team.lease(undefined, { order: 'hold', seq: 2 ** 40 })
    const saved = { trust_version: 2, lease_seq: 5, lease_hash: 'seen', time: NOW }
    expect(markWith(team, [bundleOf({ lease })], saved)).toMatchObject(saved)
  })
})

describe('warnings', () => {
  const warning = (message: string, ms: number) => ({ code: 'tampered', message, at: at(ms) }) as const

  it('are kept for a day, once each, and at most 20 of them', () => {
    const before = {
      ...NO_STATE,
      warnings: [warning('old', NOW - DAY), warning('a', NOW - DAY + 1), warning('b', NOW - 1)],
    }
    expect(withWarnings(before, [warning('b', NOW)], NOW).warnings).toEqual([
      warning('a', NOW - DAY + 1),
      warning('b', NOW),
    ])
    const many = Array.from({ length: 25 }, (_, index) => warning(`${index}`, NOW))
    expect(withWarnings(before, many, NOW).warnings).toEqual(many.slice(5))
  })
})

describe('the state of a device', () => {
  const bundle = bundleOf({ release: testTeam().release() })
  const until = (ms: number) => ({ from: at(NOW - DAY), until: at(ms), ring: 'all' })
  const mark = (time: number) => ({ ...NO_MARK, time })

  it.each([
    ['in_sync', bundle, until(NOW), 0],
    ['stale', bundle, until(NOW - 1), 0],
    ['stale', bundle, null, 0],
    ['stale', bundle, until(NOW), NOW + 1],
    ['killed', { ...bundle, killed: true }, until(NOW), 0],
    ['killed', { ...bundle, killed: true }, null, 0],
    ['no_bundle', undefined, until(NOW), 0],
  ] as const)('is %s', (state, inForce, leased, time) => {
    expect(deviceStateOf({ inForce }, { ...NO_STATE, leased, mark: mark(time) }, NOW)).toBe(state)
  })
})
