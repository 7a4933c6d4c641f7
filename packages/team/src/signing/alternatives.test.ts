// Each alternative of a check by itself: the case that only this one refuses.

import {
  type Envelope,
  envelopeRejection,
  parseEnvelope,
  type ReleasePayload,
  readRelease,
  scriptNamesProblem,
  signedBytes,
  verifyTrustChain,
  writeEnvelope,
} from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { signEnvelope } from './envelope.js'
import { compareToMark, markUnder, NO_MARK, raiseMark } from './mark.js'
import { at, bytesOf, commandHook, DAY, hexOf, keys, NOW, take, testTeam, verdict } from './testing/team.js'

const SCRIPT = '#!/bin/sh\necho {}\n'
const bothOrders = <T>(one: T, other: T): [T, T][] => [
  [one, other],
  [other, one],
]

describe('signed bytes', () => {
  it('name the scheme, and type and payload with their lengths', () => {
    expect(signedBytes('lease', bytesOf('{}')).toString('hex')).toBe(
      Buffer.concat([
        Buffer.from('holdfast/v1\0'),
        Buffer.from([0, 0, 0, 5]),
        Buffer.from('lease'),
        Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]),
        Buffer.from('{}'),
      ]).toString('hex'),
    )
  })

  it('differ when a letter moves from the type to the payload', () => {
    expect(signedBytes('head', bytesOf('s{}'))).not.toEqual(signedBytes('heads', bytesOf('{}')))
  })
})

describe('several signatures', () => {
  const [one, two, other] = [keys(), keys(), keys()]
  const payload = bytesOf('{}')
  const expected = { type: 'release', keys: [one.publicKey, two.publicKey] } as const
  const by = (...signers: (typeof one)[]) =>
    signEnvelope('release', payload, ...signers.map(({ privateKey }) => privateKey))
  const [good] = by(one).signatures
  const [wrong] = signEnvelope('release', bytesOf('[]'), two.privateKey).signatures
  const codeOf = (signatures: Envelope['signatures']) =>
    envelopeRejection({ type: 'release', payload, signatures }, expected)?.code ?? 'ok'

  it('must all be right if their keys are known, in every order', () => {
    for (const order of bothOrders(good!, wrong!)) expect(codeOf(order)).toBe('signature')
    for (const order of bothOrders(one, two)) expect(codeOf(by(...order).signatures)).toBe('ok')
  })

  it('need one of a known key, in every order', () => {
    for (const order of bothOrders(one, other)) expect(codeOf(by(...order).signatures)).toBe('ok')
    expect(codeOf(by(other).signatures)).toBe('key')
    expect(codeOf([])).toBe('form')
  })

  it('count for nothing without any key', () => {
    expect(envelopeRejection(by(one), { type: 'release', keys: [] })?.code).toBe('key')
  })

  it('must all be well-formed, in every order', () => {
    for (const order of bothOrders(good!, { ...good!, value: new Uint8Array(63) }))
      expect(codeOf(order)).toBe('form')
    for (const order of bothOrders(good!, { ...good!, keyId: 'x' })) expect(codeOf(order)).toBe('form')
  })
})

describe('a lease', () => {
  const team = testTeam()
  const release = team.release({ hooks: [] })

  it.each(['take', 'revert', 'hold', 'kill'] as const)(
    'that orders %s is checked before it is followed',
    order => {
      const offered = order === 'take' || order === 'revert' ? release : undefined
      const code = (change: object, standing: object = {}) =>
        verdict(team.standing(standing), {
          release: offered,
          lease: team.lease(offered, { order, ...change }),
        })
      expect(code({})).toBe('ok')
      expect(code({ device_id: 'f'.repeat(32) })).toBe('lease')
      expect(code({ team_id: 'other' })).toBe('team')
      expect(code({ not_after: at(NOW - 1) })).toBe('lease')
      expect(code({}, { now: NOW + 8 * DAY })).toBe('lease')
      expect(code({}, { mark: { ...NO_MARK, trust_version: 1, time: NOW + 8 * DAY } })).toBe('lease')
      expect(code({ seq: 5 }, { mark: { ...NO_MARK, trust_version: 1, lease_seq: 5 } })).toBe('lease')
      expect(code({}, { mark: { ...NO_MARK, trust_version: 2 } })).toBe('trust')
      const lease = team.lease(offered, { order })
      expect(verdict(team.standing(), { release: offered, lease: { ...lease, signatures: [] } })).toBe('form')
      const forged = team.lease(offered, { order }, team.releaseKey.privateKey)
      expect(verdict(team.standing(), { release: offered, lease: forged })).toBe('key')
    },
  )

  it('ends by the time that it says itself, whatever the clock shows', () => {
    const lease = team.lease(release, { issued_at: at(NOW + 2), not_after: at(NOW + 1) })
    expect(verdict(team.standing({ now: 0 }), { release, lease })).toBe('lease')
  })

  it('tells a device whose clock has stopped that a release expired', () => {
    const old = team.release({ expires_at: at(NOW - 1) })
    expect(verdict(team.standing({ now: 0 }), { release: old, lease: team.lease(old) })).toBe('expired')
  })
})

describe('the mark of a device', () => {
  const team = testTeam()
  const payloadOf = (envelope: Envelope) => {
    const read = readRelease(envelope.payload)
    if (!read.ok) throw new Error(read.message)
    return read.value
  }
  const releaseAt = (change: Partial<ReleasePayload>) => payloadOf(team.release(change))

  it('compares epochs before numbers', () => {
    const mark = { ...NO_MARK, epoch: 1, release: 5 }
    const compared = [
      { epoch: 1, release: 5 },
      { epoch: 1, release: 6 },
      { epoch: 1, release: 4 },
      { epoch: 2, release: 1 },
      { epoch: 0, release: 9 },
    ].map(change => Math.sign(compareToMark(releaseAt(change), mark)))
    expect(compared).toEqual([0, 1, -1, 1, -1])
  })

  it('keeps the latest of all verified times', () => {
    const times = (mark: number, lease: number, release: number) => {
      const envelope = team.release({ issued_at: at(release) })
      const offer = { release: envelope, lease: team.lease(envelope, { issued_at: at(lease) }) }
      return (
        take(team.standing({ mark: { ...NO_MARK, trust_version: 1, time: mark } }), offer).mark.time - NOW
      )
    }
    expect(times(NOW + 3, NOW + 1, NOW + 2)).toBe(3)
    expect(times(NOW + 1, NOW + 3, NOW + 2)).toBe(3)
    expect(times(NOW + 1, NOW + 2, NOW + 3)).toBe(3)
  })

  it('drops leases and time under newer root metadata only', () => {
    const mark = {
      ...NO_MARK,
      release: 4,
      hash: 'h',
      trust_version: 3,
      lease_seq: 9,
      lease_hash: 'l',
      time: NOW,
    }
    const under = (version: number) => markUnder({ ...team.first, version, issued_at: at(7000) }, mark)
    expect(under(2)).toEqual(mark)
    expect(under(3)).toEqual(mark)
    expect(under(4)).toEqual({ ...mark, trust_version: 4, lease_seq: 0, lease_hash: '', time: 7000 })
  })

  it('is not raised by an older release', () => {
    const mark = { ...NO_MARK, release: 5, hash: 'five' }
    const lease = team.lease(undefined, { order: 'hold' })
    const payload = JSON.parse(Buffer.from(lease.payload).toString())
    const raised = (release: number) =>
      raiseMark(mark, {
        lease: { envelope: lease, payload },
        release: { hash: 'new', payload: releaseAt({ release }) },
      })
    expect(raised(4)).toMatchObject({ release: 5, hash: 'five' })
    expect(raised(5)).toMatchObject({ release: 5, hash: 'five' })
    expect(raised(6)).toMatchObject({ release: 6, hash: 'new' })
  })
})

describe('a release', () => {
  it.each([-1, 1])('whose script has another size by %i is refused', difference => {
    const team = testTeam()
    const hook = commandHook({ size: SCRIPT.length + difference }, SCRIPT)
    const release = team.release({ hooks: [hook] })
    const scripts = [{ content: bytesOf(SCRIPT) }]
    expect(verdict(team.standing(), { release, lease: team.lease(release), scripts })).toBe('scripts')
    const kept = team.standing({ scriptOf: () => bytesOf(SCRIPT) })
    expect(verdict(kept, { release, lease: team.lease(release) })).toBe('scripts')
  })

  it('has one script for each name, in every order', () => {
    const script = (script_name: string, sha256?: string) => ({ script_name, ...(sha256 ? { sha256 } : {}) })
    const problems = (one: object, other: object) =>
      bothOrders(one, other).map(order => scriptNamesProblem(order) !== undefined)
    expect(problems(script('a', '1'), script('a', '1'))).toEqual([false, false])
    expect(problems(script('a', '1'), script('b', '2'))).toEqual([false, false])
    expect(problems(script('a', '1'), {})).toEqual([false, false])
    expect(problems(script('a', '1'), script('a', '2'))).toEqual([true, true])
    expect(problems(script('a', '1'), script('a'))).toEqual([true, true])
    expect(problems(script('a', '1'), script('A', '1'))).toEqual([true, true])
    expect(problems(script('a', '1'), script('..', '2'))).toEqual([true, true])
  })
})

describe('trust', () => {
  const weak = '00'.repeat(32)

  it.each(['roots', 'release_keys', 'lease_keys'] as const)(
    'with a weak key among its %s is refused',
    list => {
      const team = testTeam()
      for (const order of bothOrders(team.first[list][0]!, weak)) {
        const next = team.next({ [list]: order })
        expect(verifyTrustChain(undefined, team.fingerprint, [...team.chain, next]).refusal?.code).toBe('key')
      }
    },
  )

  it('without release or lease keys takes nothing that they would sign', () => {
    for (const list of ['release_keys', 'lease_keys'] as const) {
      const team = testTeam()
      const release = team.release()
      team.chain.push(team.next({ [list]: [] }))
      expect(verdict(team.standing(), { release, lease: team.lease(release) })).toBe('key')
    }
  })

  it('of nothing is none', () => {
    const team = testTeam()
    expect(verifyTrustChain(undefined, team.fingerprint, [])).toMatchObject({ trust: undefined, taken: [] })
    expect(verifyTrustChain(undefined, '', team.chain).refusal?.code).toBe('trust')
    expect(verifyTrustChain(team.first, '', [])).toMatchObject({ trust: team.first, taken: [] })
  })

  it('starts with a root that signed, and not with another one of its keys', () => {
    const team = testTeam()
    const payload = team.chain[0]!.payload
    for (const { privateKey } of [team.releaseKey, team.leaseKey]) {
      const first = signEnvelope('trust', payload, privateKey)
      expect(verifyTrustChain(undefined, team.fingerprint, [first]).refusal?.code).toBe('key')
    }
    const recovered = signEnvelope('trust', payload, team.recovery.privateKey)
    expect(verifyTrustChain(undefined, team.fingerprint, [recovered]).trust?.version).toBe(1)
  })
})

describe('a stored envelope', () => {
  const written = writeEnvelope(signEnvelope('lease', bytesOf('{}'), keys().privateKey))
  const parsed = (change: object) => parseEnvelope(bytesOf(JSON.stringify({ ...written, ...change })))
  const [signature] = written.signatures

  it('is read as it was written', () => {
    expect(writeEnvelope(parsed({})!)).toEqual(written)
  })

  it.each([
    ['a payload that is not base64', { payload: '{}' }],
    ['a payload with a line break', { payload: `${written.payload}\n` }],
    ['no payload', { payload: undefined }],
    ['a signature that is not base64', { signatures: [{ ...signature, value: '!' }] }],
    ['a signature without a key', { signatures: [{ value: signature!.value }] }],
    ['more in a signature', { signatures: [{ ...signature, more: 1 }] }],
    ['17 signatures', { signatures: Array(17).fill(signature) }],
    ['no list of signatures', { signatures: {} }],
    ['no type', { type: 1 }],
    ['more', { more: 1 }],
  ])('with %s is none', (_, change) => {
    expect(parsed(change)).toBeUndefined()
  })
})

it('every pair of keys is a new one', () => {
  const made = Array.from({ length: 50 }, keys)
  expect(new Set(made.flatMap(pair => [hexOf(pair.publicKey), hexOf(pair.privateKey)])).size).toBe(100)
})
