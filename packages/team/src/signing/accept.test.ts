import { type Envelope, LIMITS, type ReleasePayload, type SignedHook, sha256 } from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { accept } from './accept.js'
import { signEnvelope } from './envelope.js'
import { NO_MARK } from './mark.js'
import { REFUSALS } from './refusals.js'
import {
  at,
  bytesOf,
  commandHook,
  DAY,
  hexOf,
  keys,
  NOW,
  sum,
  type TestTeam,
  take,
  testTeam,
  verdict,
} from './testing/team.js'

const SCRIPT = '#!/bin/sh\necho {}\n'
const scripts = [{ content: bytesOf(SCRIPT) }]
const hash = (envelope: Envelope) => sha256(envelope.payload)

/** An active release, and what the device knows of it. */
function settled(team: TestTeam, change: Partial<ReleasePayload> = {}) {
  const release = team.release({ release: 5, ...change })
  return { release, standing: take(team.standing(), { release, lease: team.lease(release) }) }
}

describe('an offer', () => {
  it('is taken, with the scripts of this system', () => {
    const team = testTeam()
    const hooks = [
      commandHook({}, SCRIPT),
      commandHook({ id: 2, script_name: 'other.cmd', operating_systems: ['Windows'] }, 'absent'),
      commandHook({ id: 3, hook_step: 'stop' }, SCRIPT),
    ]
    const release = team.release({ release: 7, hooks })
    const result = accept(team.standing(), { release, lease: team.lease(release), scripts })
    expect(result).toMatchObject({
      ok: true,
      accepted: {
        order: 'take',
        release: { hash: hash(release), payload: { release: 7 } },
        mark: { epoch: 0, release: 7, hash: hash(release), trust_version: 1, lease_seq: 1, time: NOW },
      },
    })
    expect(result.ok && [...result.accepted.scripts.keys()]).toEqual(['guard.sh'])
  })

  it('may leave out scripts that the device has', () => {
    const team = testTeam()
    const release = team.release({ hooks: [commandHook({}, SCRIPT)] })
    const lease = team.lease(release)
    expect(verdict(team.standing(), { release, lease })).toBe('scripts')
    const scriptOf = (wanted: string) => (wanted === sum(SCRIPT) ? bytesOf(SCRIPT) : undefined)
    expect(verdict(team.standing({ scriptOf }), { release, lease })).toBe('ok')
  })

  it('is refused when a single byte of it differs', () => {
    const team = testTeam()
    const release = team.release({ hooks: [commandHook({}, SCRIPT)] })
    const lease = team.lease(release)
    const standing = team.standing()
    expect(verdict(standing, { release, lease, scripts })).toBe('ok')
    let tried = 0
    for (const part of ['release', 'lease'] as const) {
      for (const altered of everyFlip({ release, lease }[part])) {
        const code = verdict(standing, { release, lease, scripts, [part]: altered })
        expect(['form', 'type', 'key', 'signature']).toContain(code)
        tried++
      }
    }
    expect(tried).toBeGreaterThan(800)
    for (let index = 0; index < SCRIPT.length; index++) {
      const content = bytesOf(SCRIPT)
      content[index]! ^= 1
      expect(verdict(standing, { release, lease, scripts: [{ content }] })).toBe('scripts')
    }
  })

  it('is refused when its text was rewritten', () => {
    const team = testTeam()
    const release = team.release()
    const value = JSON.parse(Buffer.from(release.payload).toString()) as object
    const rewritten = Buffer.from(JSON.stringify(value, null, 1))
    const turned = Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(value).reverse())))
    for (const payload of [rewritten, turned]) {
      const altered = { ...release, payload }
      expect(verdict(team.standing(), { release: altered, lease: team.lease(altered) })).toBe('signature')
    }
  })

  it('needs a lease, and a release where the lease names one', () => {
    const team = testTeam()
    const release = team.release()
    expect(verdict(team.standing(), {})).toBe('form')
    expect(verdict(team.standing(), { release })).toBe('form')
    expect(verdict(team.standing(), { lease: team.lease(release) })).toBe('form')
  })

  it.each([
    ['no signature', (one: Envelope) => ({ ...one, signatures: [] }), 'form'],
    ['a short signature', (one: Envelope) => withSignature(one, { value: new Uint8Array(63) }), 'form'],
    ['a strange key id', (one: Envelope) => withSignature(one, { keyId: 'x' }), 'form'],
    ['17 signatures', (one: Envelope) => ({ ...one, signatures: Array(17).fill(one.signatures[0]) }), 'form'],
    ['no payload', (one: Envelope) => ({ ...one, payload: new Uint8Array() }), 'form'],
    [
      'too large a payload',
      (one: Envelope) => ({ ...one, payload: new Uint8Array(2 * 1024 * 1024) }),
      'size',
    ],
    ['another type', (one: Envelope) => ({ ...one, type: 'lease' }), 'type'],
  ])('with %s is refused', (_, alter, code) => {
    const team = testTeam()
    const release = team.release()
    expect(verdict(team.standing(), { release: alter(release), lease: team.lease(release) })).toBe(code)
  })

  it('counts keys only for what they are for', () => {
    const team = testTeam()
    const byLease = team.release({}, team.leaseKey.privateKey)
    expect(verdict(team.standing(), { release: byLease, lease: team.lease(byLease) })).toBe('key')
    const byRoot = team.release({}, team.root.privateKey)
    expect(verdict(team.standing(), { release: byRoot, lease: team.lease(byRoot) })).toBe('key')
    const release = team.release()
    const lease = team.lease(release, {}, team.releaseKey.privateKey)
    expect(verdict(team.standing(), { release, lease })).toBe('key')
    // One key more than is known does no harm, and no good.
    const both = team.release({}, keys().privateKey, team.releaseKey.privateKey)
    expect(verdict(team.standing(), { release: both, lease: team.lease(both) })).toBe('ok')
  })

  it('of another team is refused, even if that team trusts the same keys', () => {
    const team = testTeam()
    const release = team.release({ team_id: 'other' })
    expect(verdict(team.standing(), { release, lease: team.lease(release) })).toBe('team')
    const own = team.release()
    expect(verdict(team.standing(), { release: own, lease: team.lease(own, { team_id: 'other' }) })).toBe(
      'team',
    )
    const other = testTeam('acme')
    expect(verdict(team.standing(), { release: other.release(), lease: team.lease(own) })).toBe('key')
  })

  it('of a later trust is refused', () => {
    const team = testTeam()
    const later = team.release({ trust_version: 2 })
    expect(verdict(team.standing(), { release: later, lease: team.lease(later) })).toBe('trust')
    const epoch = team.release({ epoch: 1 })
    expect(verdict(team.standing(), { release: epoch, lease: team.lease(epoch) })).toBe('trust')
    const own = team.release()
    const mark = { ...NO_MARK, trust_version: 3 }
    expect(verdict(team.standing({ mark }), { release: own, lease: team.lease(own) })).toBe('trust')
  })

  it('after its expiry is refused, but not if it is active', () => {
    const team = testTeam()
    const { release, standing } = settled(team, { expires_at: at(NOW + DAY) })
    const later = { ...standing, now: NOW + 2 * DAY }
    expect(verdict(later, { release, lease: team.lease(release) })).toBe('ok')
    const next = team.release({ release: 6, expires_at: at(NOW + DAY) })
    expect(verdict(later, { release: next, lease: team.lease(next) })).toBe('expired')
    // A clock that was turned back does not help: the latest time that was seen counts.
    const seen = { ...standing, mark: { ...standing.mark, time: NOW + 2 * DAY } }
    expect(verdict(seen, { release: next, lease: team.lease(next) })).toBe('expired')
  })

  it('is not too early for a clock that has stopped', () => {
    const team = testTeam()
    const release = team.release()
    expect(verdict(team.standing({ now: 0 }), { release, lease: team.lease(release) })).toBe('ok')
    expect(verdict(team.standing({ now: 1e300 }), { release, lease: team.lease(release) })).toBe('lease')
  })

  it.each([
    ['a path', { script_name: '../../.bashrc' }],
    ['a device', { script_name: 'NUL.sh' }],
    ['our own name', { script_name: 'manifest.json' }],
    ['NUL', { script_name: 'a\0b' }],
  ])('with %s as the name of a script is refused, though signed', (_, change) => {
    const team = testTeam()
    const release = team.release({ hooks: [commandHook(change, SCRIPT)] })
    expect(verdict(team.standing(), { release, lease: team.lease(release), scripts })).toBe('names')
  })

  it('beyond the limits is refused', () => {
    const team = testTeam()
    const offer = (hooks: SignedHook[]) => {
      const release = team.release({ hooks })
      return verdict(team.standing(), { release, lease: team.lease(release), scripts })
    }
    const many = (count: number, change: Partial<SignedHook> = {}) =>
      Array.from({ length: count }, (_, index) =>
        commandHook({ id: index + 1, script_name: `s${index}`, sha256: sum(`${index}`), ...change }),
      )
    expect(offer(many(501))).toBe('limits')
    expect(offer(many(500))).toBe('scripts')
    expect(offer(many(1, { size: LIMITS.script + 1 }))).toBe('limits')
    expect(offer(many(17, { size: LIMITS.script }))).toBe('limits')
    expect(offer(many(16, { size: LIMITS.script }))).toBe('scripts')
    // A script that several hooks share counts once.
    const shared = { size: LIMITS.script, sha256: sum('shared'), script_name: 'shared' }
    expect(offer(many(17, shared))).toBe('scripts')
  })

  it.each([
    ['a critical field that is not known', { extra: 1, critical: ['extra'] }],
    ['a number that is not whole', { release: 1.5 }],
    ['a number from 2^53', { release: 2 ** 53 }],
    ['a negative number', { epoch: -1 }],
    ['records of neither kind', { records: 'none' }],
    ['no hooks', { hooks: undefined }],
    ['a hook that is none', { hooks: [null] }],
    ['a hook twice', { hooks: [commandHook(), commandHook()] }],
    ['a command without a script', { hooks: [{ ...commandHook(), sha256: undefined }] }],
    ['a prompt with a script', { hooks: [commandHook({ type: 'prompt', prompt: 'ok?' })] }],
    ['a command with a prompt', { hooks: [commandHook({ prompt: 'ok?' })] }],
    ['another system', { hooks: [{ ...commandHook(), operating_systems: ['BeOS'] }] }],
    ['a half surrogate', { hooks: [commandHook({ name: '\ud800' })] }],
    ['a timeout of none', { hooks: [commandHook({ timeout: 0 })] }],
  ])('with %s is refused, though signed', (_, change) => {
    const team = testTeam()
    const release = team.release(change as Partial<ReleasePayload>)
    const lease = team.lease(release, { release: 1 })
    expect(verdict(team.standing(), { release, lease, scripts })).toBe('form')
  })

  it.each([
    ['a key twice', '{"team_id":"acme","team_id":"acme"}', 'twice'],
    ['a key twice by an escape', '{"team_id":"acme","team\\u005fid":"acme"}', 'twice'],
    ['a deep key twice', '{"a":[{"b":{"c":1,"d":"\\"","c":2}}]}', 'twice'],
    ['text that is not UTF-8', '{"team_id":"\xff"}', 'UTF-8'],
    ['a byte order mark', '\xef\xbb\xbf{}', 'JSON'],
    ['no JSON', 'release', 'JSON'],
    ['very deep JSON', '['.repeat(500_000), 'JSON'],
    ['a list', '[]', 'an array'],
    ['null', 'null', 'null'],
  ])('that holds %s is refused, though signed', (_, text, said) => {
    const team = testTeam()
    const release = signEnvelope('release', Buffer.from(text, 'latin1'), team.releaseKey.privateKey)
    const lease = team.lease(undefined, { release: 1, release_hash: hash(release) })
    const result = accept(team.standing(), { release, lease, scripts: [] })
    expect(result).toMatchObject({ ok: false, refusal: { code: 'form' } })
    expect(!result.ok && result.refusal.message).toContain(said)
  })

  describe('of a newer server', () => {
    const judge = (change: object, hookChange: object = {}) => {
      const team = testTeam()
      const hooks = [{ ...commandHook({}, SCRIPT), ...hookChange }]
      const release = team.release({ hooks, ...change } as Partial<ReleasePayload>)
      return accept(team.standing(), { release, lease: team.lease(release), scripts })
    }
    const codeOf = (...changes: Parameters<typeof judge>) => {
      const result = judge(...changes)
      return result.ok ? 'ok' : result.refusal.code
    }

    it('is taken with keys that this client does not know, and without them', () => {
      const result = judge({ colour: 'red' }, { retries: 3 })
      expect(result).toMatchObject({ ok: true })
      const taken = result.ok ? result.accepted.release!.payload : undefined
      expect(taken).not.toHaveProperty('colour')
      expect(taken?.hooks[0]).toEqual(commandHook({}, SCRIPT))
    })

    it('is refused where such a key is critical, with what to do', () => {
      const result = judge({}, { only_for: ['ada'], critical: ['only_for'] })
      expect(result).toMatchObject({ ok: false, refusal: { code: 'form' } })
      expect(!result.ok && result.refusal.message).toMatch(
        /"only_for" of hooks\[0\] .* newer version of Holdfast/,
      )
      expect(codeOf({ extra: 1, critical: ['extra'] })).toBe('form')
    })

    it('is taken by a client that knows the critical key', () => {
      expect(codeOf({ critical: ['records'] })).toBe('ok')
      expect(codeOf({}, { matcher: 'x', critical: ['matcher', 'name'] })).toBe('ok')
    })

    it.each([
      ['names a key that is missing', ['gone']],
      ['names an optional key that is missing', ['matcher']],
      ['is empty', []],
      ['is no list', 'records'],
      ['is null', null],
      ['holds a number', [1]],
      ['names a key twice', ['name', 'name']],
      ['names a key of the prototype', ['constructor']],
      ['is endless', Array.from({ length: 101 }, (_, index) => `key ${index}`)],
    ])('is refused where the list %s', (_, critical) => {
      expect(codeOf({}, { critical })).toBe('form')
    })

    it('is refused where the key that is missing belongs to the object around it', () => {
      expect(codeOf({ extra: 1 }, { critical: ['extra'] })).toBe('form')
    })

    it('cannot be made acceptable by taking the critical keys away', () => {
      const team = testTeam()
      const release = team.release({ extra: 1, critical: ['extra'] } as Partial<ReleasePayload>)
      const { critical: _, ...rest } = JSON.parse(Buffer.from(release.payload).toString())
      const stripped = { ...release, payload: Buffer.from(JSON.stringify(rest)) }
      expect(verdict(team.standing(), { release: stripped, lease: team.lease(stripped) })).toBe('signature')
    })

    it('is refused where a known key has a new value', () => {
      expect(codeOf({ records: 'none' })).toBe('form')
      expect(codeOf({}, { mode: 'warn' })).toBe('form')
    })
  })

  it('has a sentence and a remedy for every refusal', () => {
    for (const { meaning, remedy } of Object.values(REFUSALS)) expect(meaning + remedy).toMatch(/\.\S.*\.$/)
  })
})

describe('a lease', () => {
  const code = (change: object, standing: object = {}) => {
    const team = testTeam()
    const release = team.release()
    return verdict(team.standing(standing), { release, lease: team.lease(release, change) })
  }

  it.each([
    ['for another device', { device_id: 'f'.repeat(32) }],
    ['that is over', { not_after: at(NOW - 1) }],
    ['that names another hash', { release_hash: 'a'.repeat(64) }],
    ['that names another number', { release: 2 }],
  ])('%s is refused', (_, change) => expect(code(change)).toBe('lease'))

  it('counts up to and including its last millisecond, as does a release', () => {
    expect(code({ not_after: at(NOW) })).toBe('ok')
    const team = testTeam()
    const release = team.release({ expires_at: at(NOW) })
    expect(verdict(team.standing(), { release, lease: team.lease(release) })).toBe('ok')
  })

  it.each([
    ['an order that is not known', { order: 'burn' }],
    ['a device id that is none', { device_id: 'me' }],
  ])('with %s is refused', (_, change) => expect(code(change)).toBe('form'))

  it('must be newer, or the very same', () => {
    const team = testTeam()
    const release = team.release()
    const lease = team.lease(release, { seq: 9 })
    const standing = take(team.standing(), { release, lease })
    expect(verdict(standing, { release, lease })).toBe('ok')
    expect(verdict(standing, { release, lease: team.lease(release, { seq: 8 }) })).toBe('lease')
    expect(verdict(standing, { release, lease: team.lease(release, { seq: 9, ring: 'x' }) })).toBe('lease')
    expect(verdict(standing, { release, lease: team.lease(release, { seq: 10 }) })).toBe('ok')
  })

  it('of a stolen key that ran to the end of the numbers and of time is overcome by a new trust', () => {
    const team = testTeam()
    const release = team.release({ expires_at: '2099-12-31T00:00:00Z' })
    const far = { seq: 2 ** 53 - 1, issued_at: '2099-01-01T00:00:00Z', not_after: '2099-12-31T00:00:00Z' }
    const standing = take(team.standing(), { release, lease: team.lease(release, far) })
    const next = team.release({ release: 2 })
    expect(verdict(standing, { release: next, lease: team.lease(next) })).toBe('lease')
    const fresh = keys()
    team.chain.push(team.next({ lease_keys: [hexOf(fresh.publicKey)] }))
    const healed = { ...standing, trust: team.trust() }
    expect(verdict(healed, { release: next, lease: team.lease(next) })).toBe('key')
    expect(verdict(healed, { release: next, lease: team.lease(next, {}, fresh.privateKey) })).toBe('ok')
  })

  it('may order to hold, with or without a release', () => {
    const team = testTeam()
    const { standing } = settled(team)
    const result = accept(standing, { lease: team.lease(undefined, { order: 'hold' }), scripts: [] })
    expect(result).toMatchObject({ ok: true, accepted: { order: 'hold', mark: { release: 5 } } })
    expect(result.ok && result.accepted.release).toBeUndefined()
  })

  it('may order to drop all hooks only where trust says so', () => {
    const team = testTeam()
    const { standing, release } = settled(team)
    const lease = team.lease(undefined, { order: 'kill' })
    const killed = take(standing, { lease })
    expect(killed.mark).toMatchObject({ release: 5, hash: hash(release) })
    expect(verdict(killed, { release, lease: team.lease(release) })).toBe('ok')
    const trust = { ...team.trust(), kill_by_server: false }
    expect(verdict({ ...standing, trust }, { lease })).toBe('lease')
  })
})

describe('no downgrade', () => {
  it('an older release is refused, an equal one only with the same text', () => {
    const team = testTeam()
    const { standing, release } = settled(team)
    const offer = (one: Envelope) => accept(standing, { release: one, lease: team.lease(one), scripts: [] })
    expect(offer(release).ok).toBe(true)
    expect(offer(team.release({ release: 6 })).ok).toBe(true)
    expect(offer(team.release({ release: 4 }))).toMatchObject({ refusal: { code: 'downgrade' } })
    const twin = offer(team.release({ release: 5, records: 'all' }))
    expect(twin).toMatchObject({
      refusal: { code: 'downgrade', message: expect.stringContaining('Equivocation') },
    })
  })

  it('a lease may go back only where the active release allows it', () => {
    const team = testTeam()
    const [listed, other] = [team.release({ release: 4 }), team.release({ release: 3 })]
    const { standing, release } = settled(team, { may_revert_to: [hash(listed)] })
    const back = (one: Envelope, from = standing) =>
      verdict(from, { release: one, lease: team.lease(one, { order: 'revert' }) })
    expect(back(other)).toBe('downgrade')
    expect(verdict(standing, { release: listed, lease: team.lease(listed) })).toBe('downgrade')
    expect(back(listed)).toBe('ok')
    expect(back(listed, { ...standing, inForce: undefined })).toBe('downgrade')

    const order = team.lease(listed, { order: 'revert' })
    const reverted = take(standing, { release: listed, lease: order })
    expect(reverted.mark).toMatchObject({ release: 5, hash: hash(release) })
    expect(reverted.inForce?.hash).toBe(hash(listed))
    // From there: the same again, forward to what was left, and not further back.
    expect(verdict(reverted, { release: listed, lease: order })).toBe('ok')
    expect(verdict(reverted, { release: listed, lease: team.lease(listed) })).toBe('ok')
    expect(verdict(reverted, { release, lease: team.lease(release) })).toBe('ok')
    expect(back(other, reverted)).toBe('downgrade')
    // An older lease does not bring the older release back.
    const forward = take(reverted, { release, lease: team.lease(release) })
    expect(verdict(forward, { release: listed, lease: order })).toBe('lease')
  })

  it('the end of the numbers is overcome by a new epoch', () => {
    const team = testTeam()
    const last = team.release({ release: 2 ** 53 - 1 })
    const standing = take(team.standing(), { release: last, lease: team.lease(last) })
    const next = team.release({ release: 2 })
    expect(verdict(standing, { release: next, lease: team.lease(next) })).toBe('downgrade')
    const fresh = keys()
    team.chain.push(team.next({ epoch: 1, release_keys: [hexOf(fresh.publicKey)] }))
    const healed = { ...standing, trust: team.trust() }
    const first = team.release({ epoch: 1, release: 1 }, fresh.privateKey)
    const after = take(healed, { release: first, lease: team.lease(first) })
    expect(after.mark).toMatchObject({ epoch: 1, release: 1 })
    expect(verdict(healed, { release: last, lease: team.lease(last) })).toBe('key')
    const again = team.release({ release: 2 ** 53 - 1 }, fresh.privateKey)
    expect(verdict(after, { release: again, lease: team.lease(again) })).toBe('downgrade')
  })
})

const withSignature = (one: Envelope, change: object): Envelope => ({
  ...one,
  signatures: [{ ...one.signatures[0]!, ...change }],
})

/** Each byte of payload and signature, each sign of type and key id, one at a time. */
function* everyFlip(one: Envelope): Generator<Envelope> {
  const flipped = (bytes: Uint8Array, index: number) => {
    const copy = new Uint8Array(bytes)
    copy[index]! ^= 1 << (index % 8)
    return copy
  }
  const changed = (text: string, index: number) =>
    text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ 1) + text.slice(index + 1)
  for (let index = 0; index < one.payload.length; index++)
    yield { ...one, payload: flipped(one.payload, index) }
  const { keyId, value } = one.signatures[0]!
  for (let index = 0; index < value.length; index++)
    yield withSignature(one, { value: flipped(value, index) })
  for (let index = 0; index < keyId.length; index++)
    yield withSignature(one, { keyId: changed(keyId, index) })
  for (let index = 0; index < one.type.length; index++) yield { ...one, type: changed(one.type, index) }
}
