// What holds for any bytes and for any order of offers.

import {
  envelopeRejection,
  parseEnvelope,
  parseStrict,
  readRelease,
  verifyTrustChain,
  writeEnvelope,
} from '@holdfast/hooks/team'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accept } from './accept.js'
import { signEnvelope } from './envelope.js'
import { compareToMark } from './mark.js'
import { writeRelease } from './payload.js'
import { commandHook, NOW, testTeam } from './testing/team.js'

const team = testTeam()
const bytes = fc.uint8Array({ maxLength: 200 })
const anyEnvelope = fc.record({
  type: fc.oneof(fc.constantFrom('trust', 'release', 'lease', 'head'), fc.string()),
  payload: fc.oneof(
    bytes,
    fc.json().map(text => new Uint8Array(Buffer.from(text))),
  ),
  signatures: fc.array(fc.record({ keyId: fc.string(), value: bytes }), { maxLength: 3 }),
})

describe('laws', () => {
  it('whatever is offered, the answer is yes or a refusal', () => {
    fc.assert(
      fc.property(
        anyEnvelope,
        anyEnvelope,
        fc.array(bytes),
        fc.boolean(),
        (release, lease, contents, isSigned) => {
          // Signed rubbish comes further than unsigned.
          const offer = isSigned
            ? {
                release: signEnvelope('release', release.payload, team.releaseKey.privateKey),
                lease: signEnvelope('lease', lease.payload, team.leaseKey.privateKey),
              }
            : { release, lease }
          const result = accept(team.standing(), {
            ...offer,
            scripts: contents.map(content => ({ content })),
          })
          expect(result.ok).toBe(false)
        },
      ),
    )
  })

  it('whatever the chain holds, nothing is thrown and nothing is trusted', () => {
    fc.assert(
      fc.property(fc.array(anyEnvelope, { maxLength: 4 }), chain => {
        expect(verifyTrustChain(team.trust(), team.fingerprint, chain).trust?.version).toBe(1)
        expect(verifyTrustChain(undefined, team.fingerprint, chain).trust).toBeUndefined()
      }),
    )
  })

  it('an envelope is read from its file as it was written, and other files contain none', () => {
    fc.assert(
      fc.property(anyEnvelope, one => {
        const { type, payload, signatures } = one
        fc.pre([type, ...signatures.map(({ keyId }) => keyId)].every(text => !/\p{Cs}/u.test(text)))
        expect(parseEnvelope(Buffer.from(JSON.stringify(writeEnvelope(one))))).toEqual({
          type,
          payload,
          signatures,
        })
      }),
    )
    fc.assert(fc.property(bytes, file => parseEnvelope(file) === undefined))
  })

  it('strict reading says what JSON.parse says, or no', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const read = parseStrict(Buffer.from(text))
        if (read.ok) expect(read.value).toEqual(JSON.parse(text))
        else expect(read.message).toContain('twice')
      }),
    )
  })

  it('a release that is written can be read', () => {
    const timeout = fc.double({ min: 0.001, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.nat(), fc.string({ minLength: 1, maxLength: 50 }), timeout, (id, name, seconds) => {
        fc.pre(!/\p{Cs}/u.test(name))
        const hook = commandHook({ id: id + 1, name, timeout: seconds, loop_limit: null })
        const value = JSON.parse(Buffer.from(team.release({ hooks: [hook] }).payload).toString())
        expect(readRelease(writeRelease(value))).toEqual({ ok: true, value })
      }),
    )
  })

  it('a signature is good for its own type, payload and key only', () => {
    const types = fc.constantFrom('trust', 'release', 'lease', 'head')
    fc.assert(
      fc.property(types, types, bytes, bytes, (type, otherType, payload, otherPayload) => {
        fc.pre(payload.length > 0 && otherPayload.length > 0)
        const envelope = signEnvelope(type, payload, team.root.privateKey)
        const moved = { ...envelope, type: otherType, payload: otherPayload }
        const isSame = type === otherType && Buffer.compare(payload, otherPayload) === 0
        const refusal = envelopeRejection(moved, { type: otherType, keys: [team.root.publicKey] })
        expect(refusal === undefined).toBe(isSame)
      }),
    )
  })

  it('the mark never falls, whatever is offered in whatever order', () => {
    const releases = [1, 2, 3].flatMap(release => [
      team.release({ release }),
      team.release({ release, records: 'all' }),
    ])
    const hashes = releases.map(one => JSON.stringify(writeEnvelope(one)))
    expect(new Set(hashes).size).toBe(6)
    const step = fc.record({
      index: fc.nat({ max: 5 }),
      order: fc.constantFrom('take', 'revert', 'hold', 'kill'),
      seq: fc.integer({ min: 1, max: 12 }),
      late: fc.integer({ min: -400, max: 400 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), steps => {
        let standing = team.standing()
        for (const { index, order, seq, late } of steps) {
          const release = releases[index]!
          const before = standing.mark
          const now = NOW + late * 24 * 3600 * 1000
          const lease = team.lease(release, { order, seq })
          const result = accept({ ...standing, now }, { release, lease, scripts: [] })
          if (!result.ok) continue
          const { mark, release: taken } = result.accepted
          expect(mark.release).toBeGreaterThanOrEqual(before.release)
          expect(mark.lease_seq).toBeGreaterThanOrEqual(before.lease_seq)
          expect(mark.time).toBeGreaterThanOrEqual(before.time)
          if (mark.release === before.release && before.release > 0) expect(mark.hash).toBe(before.hash)
          if (taken) expect(compareToMark(taken.payload, mark)).toBeLessThanOrEqual(0)
          const inForce = taken ? { hash: taken.hash, release: taken.payload } : standing.inForce
          standing = { ...standing, mark, inForce }
        }
      }),
    )
  })
})
