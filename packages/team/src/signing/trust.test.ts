import {
  type Envelope,
  fingerprintOf,
  formatFingerprint,
  keyIdOf,
  readTrust,
  type TrustPayload,
  verifyTrustChain,
} from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { signEnvelope } from './envelope.js'
import { writeTrust } from './payload.js'
import { hexOf, keys, type TestTeam, testTeam } from './testing/team.js'

const codeOf = (team: TestTeam, ...added: Envelope[]) =>
  verifyTrustChain(undefined, team.fingerprint, [...team.chain, ...added]).refusal?.code ?? 'ok'

describe('the chain of trust', () => {
  it('begins with the version that is pinned', () => {
    const [team, other] = [testTeam(), testTeam()]
    expect(verifyTrustChain(undefined, team.fingerprint, team.chain)).toMatchObject({ trust: { version: 1 } })
    const wrong = verifyTrustChain(undefined, team.fingerprint, other.chain)
    expect(wrong).toMatchObject({ trust: undefined, taken: [], refusal: { code: 'trust' } })
    expect(wrong.refusal?.message).toContain(formatFingerprint(team.fingerprint))
  })

  it('the first must be signed by a root of its own, even if its text is the pinned one', () => {
    const team = testTeam()
    const payload = team.chain[0]!.payload
    const other = keys()
    for (const [envelope, code] of [
      [{ type: 'trust', payload, signatures: [] }, 'form'],
      [signEnvelope('trust', payload, other.privateKey), 'key'],
      [signEnvelope('release', payload, team.root.privateKey), 'type'],
      [{ ...signEnvelope('release', payload, team.root.privateKey), type: 'trust' }, 'signature'],
    ] as const) {
      expect(verifyTrustChain(undefined, team.fingerprint, [envelope]).refusal?.code).toBe(code)
    }
  })

  it('the first must be version 1', () => {
    const team = testTeam()
    const second = signEnvelope('trust', writeTrust({ ...team.first, version: 2 }), team.root.privateKey)
    expect(verifyTrustChain(undefined, fingerprintOf(second), [second]).refusal?.code).toBe('trust')
  })

  it('a new root needs both the old and the new', () => {
    const team = testTeam()
    const fresh = keys()
    const change = { roots: [hexOf(fresh.publicKey)] }
    expect(codeOf(team, team.next(change, fresh.privateKey))).toBe('key')
    expect(codeOf(team, team.next(change, team.root.privateKey))).toBe('key')
    expect(codeOf(team, team.next(change, team.root.privateKey, team.root.privateKey))).toBe('key')
    expect(codeOf(team, team.next(change, team.root.privateKey, fresh.privateKey))).toBe('ok')
    expect(codeOf(team, team.next(change, team.recovery.privateKey, fresh.privateKey))).toBe('ok')
  })

  it('the recovery key alone restores a team whose other keys are gone', () => {
    const team = testTeam()
    const [root, release, lease] = [keys(), keys(), keys()]
    const change = {
      roots: [hexOf(root.publicKey), hexOf(team.recovery.publicKey)],
      release_keys: [hexOf(release.publicKey)],
      lease_keys: [hexOf(lease.publicKey)],
    }
    expect(codeOf(team, team.next(change, team.recovery.privateKey))).toBe('ok')
  })

  describe('with a threshold', () => {
    const twoOfThree = () => {
      const team = testTeam()
      const third = keys()
      const roots = [team.root, team.recovery, third]
      const change = { roots: roots.map(key => hexOf(key.publicKey)), root_threshold: 2 }
      team.chain.push(team.next(change, team.root.privateKey, third.privateKey))
      expect(codeOf(team)).toBe('ok')
      return { team, roots }
    }

    it('takes any two of three, and no single one', () => {
      const { team, roots } = twoOfThree()
      const next = (...signers: number[]) =>
        codeOf(team, team.next({ epoch: 1 }, ...signers.map(index => roots[index]!.privateKey)))
      expect([next(0, 1), next(1, 2), next(0, 2), next(0, 1, 2)]).toEqual(['ok', 'ok', 'ok', 'ok'])
      expect([next(0), next(1), next(2)]).toEqual(['signature', 'signature', 'signature'])
    })

    it('counts a key once, however often it signs', () => {
      const { team, roots } = twoOfThree()
      const { privateKey } = roots[0]!
      expect(codeOf(team, team.next({}, privateKey, privateKey, privateKey))).toBe('signature')
      const one = team.next({}, privateKey)
      const [signature] = one.signatures
      const other = { keyId: keyIdOf(keys().publicKey), value: signature!.value }
      expect(codeOf(team, { ...one, signatures: [signature!, other] })).toBe('signature')
    })

    it('is raised and lowered only by the threshold before', () => {
      const { team, roots } = twoOfThree()
      const [first, second] = roots.map(({ privateKey }) => privateKey)
      expect(codeOf(team, team.next({ root_threshold: 1 }, first!))).toBe('signature')
      expect(codeOf(team, team.next({ root_threshold: undefined } as object, first!))).toBe('signature')
      expect(codeOf(team, team.next({ root_threshold: 1 }, first!, second!))).toBe('ok')
      const plain = testTeam()
      expect(codeOf(plain, plain.next({ root_threshold: 2 }, plain.root.privateKey))).toBe('signature')
    })

    it('needs the threshold of the new roots, too', () => {
      const { team, roots } = twoOfThree()
      const [a, b] = [keys(), keys()]
      const fresh = { roots: [hexOf(a.publicKey), hexOf(b.publicKey)], root_threshold: 2 }
      const old = roots.slice(0, 2).map(({ privateKey }) => privateKey)
      expect(codeOf(team, team.next(fresh, ...old, a.privateKey))).toBe('signature')
      expect(codeOf(team, team.next(fresh, ...old, a.privateKey, b.privateKey))).toBe('ok')
    })

    it('is 1 where the root metadata does not say, as before there was one', () => {
      const team = testTeam()
      expect(team.trust()).not.toHaveProperty('root_threshold')
      expect(codeOf(team, team.next({}, team.recovery.privateKey))).toBe('ok')
    })
  })

  it.each([
    ['skips a version', { version: 3 }, 'trust'],
    ['repeats a version', { version: 1 }, 'trust'],
    ['is of another team', { team_id: 'other' }, 'team'],
    ['has a team id that leaves its folder', { team_id: '../x' }, 'form'],
    ['has no roots', { roots: [] }, 'form'],
    ['has a key twice', { release_keys: ['ab'.repeat(32), 'ab'.repeat(32)] }, 'form'],
    ['has a weak release key', { release_keys: ['00'.repeat(32)] }, 'key'],
    ['has a weak lease key', { lease_keys: [`01${'00'.repeat(31)}`] }, 'key'],
    [
      'has a critical key that is not known',
      { more: 0, critical: ['more'] } as Partial<TrustPayload>,
      'form',
    ],
    ['needs no root key', { root_threshold: 0 }, 'form'],
    ['needs more root keys than it has', { root_threshold: 3 }, 'form'],
    ['needs half a root key', { root_threshold: 1.5 }, 'form'],
    ['has a time that is none', { issued_at: '2030-02-30T00:00:00Z' }, 'form'],
  ])('one that %s is refused', (_, change, code) => {
    const team = testTeam()
    expect(codeOf(team, team.next(change))).toBe(code)
  })

  it.each(['roots', 'release_keys', 'lease_keys'] as const)('names at most 16 %s, each once', name => {
    const team = testTeam()
    const many = (count: number) => Array.from({ length: count }, () => hexOf(keys().publicKey))
    const read = (value: readonly string[]) => readTrust(team.next({ [name]: value }))
    expect(read(many(16))).toMatchObject({ version: 2 })
    expect(read(many(17))).toMatchObject({ code: 'form' })
    const [one = ''] = many(1)
    expect(read([one, one])).toMatchObject({ code: 'form' })
  })

  it('the epoch does not fall', () => {
    const team = testTeam()
    team.chain.push(team.next({ epoch: 4 }))
    expect(codeOf(team)).toBe('ok')
    expect(codeOf(team, team.next({ epoch: 4 }))).toBe('ok')
    expect(codeOf(team, team.next({ epoch: 5 }))).toBe('ok')
    expect(codeOf(team, team.next({ epoch: 3 }))).toBe('trust')
  })

  it('is followed over many versions, and as far as it is complete', () => {
    const team = testTeam()
    for (let count = 0; count < 40; count++) team.chain.push(team.next({}))
    expect(team.trust().version).toBe(41)
    const gap = team.chain.filter((_, index) => index !== 20)
    expect(verifyTrustChain(undefined, team.fingerprint, gap)).toMatchObject({
      trust: { version: 20 },
      refusal: { code: 'trust', message: 'Version 22 of the root metadata was offered; expected 21.' },
    })
    const known = verifyTrustChain(undefined, team.fingerprint, team.chain.slice(0, 20)).trust
    expect(verifyTrustChain(known, team.fingerprint, team.chain.slice(20)).trust?.version).toBe(41)
  })

  it('may not be endless', () => {
    const team = testTeam()
    const chain = Array<Envelope>(1025).fill(team.chain[0]!)
    expect(verifyTrustChain(undefined, team.fingerprint, chain).refusal?.code).toBe('size')
    const huge = { ...team.chain[0]!, payload: new Uint8Array(65 * 1024).fill(32) }
    expect(verifyTrustChain(undefined, fingerprintOf(huge), [huge]).refusal?.code).toBe('size')
  })

  it('a fingerprint is shown in groups', () =>
    expect(formatFingerprint('0123456789abcdef'.repeat(4))).toBe('0123 4567 89ab cdef 0123 4567'))
})
