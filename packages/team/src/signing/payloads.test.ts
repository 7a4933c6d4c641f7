// Every field of every signed text by itself: which values a reader takes, and which it refuses though they are signed.

import {
  envelopeRejection,
  isTeamId,
  isTime,
  LIMITS,
  readLease,
  readRelease,
  readTrust,
  signersOf,
  verifyTrustChain,
} from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { hashOfAction } from '../chain.js'
import { signEnvelope } from './envelope.js'
import { readHead } from './payload.js'
import { bytesOf, keys, testTeam } from './testing/team.js'

const ID = 'a'.repeat(32)
const HASH = 'b'.repeat(64)
const TIME = '2030-01-31T12:00:00.000Z'

const HOOK = {
  id: 1,
  revision: 1,
  name: 'guard',
  hook_step: 'stop',
  type: 'command',
  mode: 'enforce',
  operating_systems: [],
  script_name: 'guard.sh',
  sha256: HASH,
  size: 0,
}
const { script_name: _, sha256: __, size: ___, ...COMMON } = HOOK
const PROMPT = { ...COMMON, type: 'prompt', prompt: 'ok?' }
const RELEASE = {
  team_id: 'acme',
  epoch: 0,
  release: 1,
  trust_version: 1,
  issued_at: TIME,
  expires_at: TIME,
  records: 'managed',
  hooks: [],
  may_revert_to: [],
}
const LEASE = {
  team_id: 'acme',
  device_id: ID,
  seq: 1,
  issued_at: TIME,
  not_after: TIME,
  release: 0,
  release_hash: '',
  ring: '',
  order: 'take',
}
const HEAD = { team_id: 'acme', seq: 0, hash: HASH, at: TIME }
const TRUST = testTeam().first

const textOf = (value: object) => bytesOf(JSON.stringify(value))
const takes = {
  release: (value: object) => readRelease(textOf({ ...RELEASE, ...value })).ok,
  command: (value: object) => readRelease(textOf({ ...RELEASE, hooks: [{ ...HOOK, ...value }] })).ok,
  prompt: (value: object) => readRelease(textOf({ ...RELEASE, hooks: [{ ...PROMPT, ...value }] })).ok,
  lease: (value: object) => readLease(textOf({ ...LEASE, ...value })).ok,
  head: (value: object) => readHead(textOf({ ...HEAD, ...value })).ok,
  trust: (value: object) =>
    !('code' in readTrust({ type: 'trust', payload: textOf({ ...TRUST, ...value }), signatures: [] })),
}
const hashes = (count: number) =>
  Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, '0'))

const TEAM = {
  good: ['a', 'A-1._x', 'x'.repeat(100)],
  bad: ['', '..', '.a', 'a/b', 'a.', 'x'.repeat(101), 1],
}
const WHEN = {
  good: ['2030-01-31T12:00:00Z', TIME],
  bad: ['', 'soon', '2030-01-31', '2030-02-30T00:00:00Z', '2030-01-31T12:00:00+01:00', `${TIME}\n`, 1, null],
}
const FROM_0 = { good: [0, 2 ** 53 - 1], bad: [-1, 0.5, 2 ** 53, '1', null, true] }
const FROM_1 = { good: [1, 2 ** 53 - 1], bad: [0, -1, 1.5, 2 ** 53, '1', null, true] }
const SUM = { good: [HASH], bad: ['', 'b'.repeat(63), 'b'.repeat(65), 'B'.repeat(64), `${HASH}\n`, 1] }
const FLAG = { good: [true, false], bad: ['true', 'false', 0, 1, null] }
const MATCHER = { good: ['', 'x'.repeat(10_000)], bad: ['x'.repeat(10_001), 1, null] }
const TIMEOUT = { good: [0.001, 3600], bad: [0, -1, '1', null, true] }
const LOOP = { good: [null, 0, 5], bad: [-1, 0.5, '1', true] }
const always = {
  id: FROM_1,
  revision: FROM_1,
  name: { good: ['x', 'x'.repeat(200)], bad: ['', 'x'.repeat(201), 1, '\ud800'] },
  hook_step: {
    good: ['stop', 'X9', 'x'.repeat(64)],
    bad: ['', '9x', 'a b', 'a-b', 'a\n', 'x'.repeat(65), 1],
  },
  mode: { good: ['enforce', 'observe'], bad: ['', 'off', 'Enforce', 1, null] },
  operating_systems: {
    good: [[], ['Windows'], ['Macintosh'], ['Linux'], ['Linux', 'Windows', 'Macintosh']],
    bad: [['linux'], ['Linux', 'Linux'], 'Linux', null],
  },
  matcher: MATCHER,
  timeout: TIMEOUT,
  fail_closed: FLAG,
  loop_limit: LOOP,
}

const FIELDS: Record<
  keyof typeof takes,
  Record<string, { good: readonly unknown[]; bad: readonly unknown[] }>
> = {
  release: {
    team_id: TEAM,
    epoch: FROM_0,
    release: FROM_1,
    trust_version: FROM_1,
    issued_at: WHEN,
    expires_at: WHEN,
    records: { good: ['managed', 'all'], bad: ['', 'none', 'All', 1, null] },
    hooks: { good: [[]], bad: [null, {}, [null], ['x'], [[]]] },
    may_revert_to: {
      good: [[], hashes(100)],
      bad: [hashes(101), [HASH, HASH], ['b'.repeat(63)], HASH, null],
    },
  },
  command: {
    ...always,
    type: { good: ['command'], bad: ['prompt', 'Command', '', null] },
    script_name: { good: ['guard.sh', 'x'.repeat(1000)], bad: ['x'.repeat(1001), 1, null] },
    sha256: SUM,
    size: FROM_0,
    prompt: { good: [], bad: ['ok?', null] },
    model: { good: [], bad: ['m', null] },
  },
  prompt: {
    ...always,
    type: { good: ['prompt'], bad: ['command', ''] },
    prompt: { good: ['x', 'x'.repeat(100_000)], bad: ['', 'x'.repeat(100_001), 1, null] },
    model: { good: ['', 'x'.repeat(200)], bad: ['x'.repeat(201), 1, null] },
    script_name: { good: [], bad: ['guard.sh', null] },
    sha256: { good: [], bad: [HASH, null] },
    size: { good: [], bad: [0, null] },
  },
  lease: {
    team_id: TEAM,
    device_id: {
      good: [ID],
      bad: ['', 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(32), 'g'.repeat(32), 1],
    },
    seq: FROM_1,
    issued_at: WHEN,
    not_after: WHEN,
    release: FROM_0,
    release_hash: { good: ['', HASH], bad: ['b'.repeat(63), 'b'.repeat(65), 'B'.repeat(64), 1, null] },
    ring: { good: ['', 'x'.repeat(100)], bad: ['x'.repeat(101), 1, null] },
    order: { good: ['take', 'revert', 'hold', 'kill'], bad: ['', 'Take', 'burn', 1, null] },
    audit_head: {
      good: [{ type: 'head', payload: '', signatures: [] }],
      bad: [{}, [], null, 'x', { type: 'head', payload: '!', signatures: [] }],
    },
  },
  head: { team_id: TEAM, seq: FROM_0, hash: SUM, at: WHEN },
  trust: {
    team_id: TEAM,
    version: FROM_1,
    epoch: FROM_0,
    roots: { good: [TRUST.roots], bad: [[], ['00'], null, TRUST.roots[0]] },
    release_keys: { good: [[], TRUST.release_keys], bad: [['00'], null, TRUST.release_keys[0]] },
    lease_keys: { good: [[], TRUST.lease_keys], bad: [['00'], null, TRUST.lease_keys[0]] },
    kill_by_server: FLAG,
    issued_at: WHEN,
    root_threshold: { good: [1, 2], bad: [0, 3, 1.5, '1', null] },
    kill_satisfies_required: FLAG,
  },
}
const OPTIONAL = new Set([
  'root_threshold',
  'kill_satisfies_required',
  'matcher',
  'timeout',
  'fail_closed',
  'loop_limit',
  'model',
  'audit_head',
])

describe.each(Object.entries(FIELDS))('a %s', (name, fields) => {
  const take = takes[name as keyof typeof takes]

  it.each(Object.entries(fields))('has the field %s in its own form only', (field, { good, bad }) => {
    expect(take({})).toBe(true)
    for (const value of good) expect(take({ [field]: value }), JSON.stringify(value).slice(0, 80)).toBe(true)
    expect(bad.length).toBeGreaterThan(0)
    for (const value of bad) expect(take({ [field]: value }), JSON.stringify(value).slice(0, 80)).toBe(false)
    // JSON leaves out what is undefined.
    const isForbidden = good.length === 0
    expect(take({ [field]: undefined })).toBe(isForbidden || OPTIONAL.has(field))
  })

  it('has no other critical field', () => {
    for (const field of ['extra', 'constructor', 'toString', 'x', 'x-extra']) {
      expect(take({ [field]: 1 }), field).toBe(true)
      expect(take({ [field]: 1, critical: [field] }), field).toBe(false)
    }
  })
})

it('a hook without a type is refused', () => {
  const { type: _type, ...untyped } = HOOK
  expect(readRelease(textOf({ ...RELEASE, hooks: [untyped] })).ok).toBe(false)
  expect(readRelease(textOf({ ...RELEASE, hooks: [{ ...untyped, __proto__: null }] })).ok).toBe(false)
})

it('times and ids are matched completely', () => {
  for (const time of ['2030-01-31T24:00:00Z', '2030-13-01T00:00:00Z', ` ${TIME}`, '2030-01-31t12:00:00Z'])
    expect(isTime(time), time).toBe(false)
  for (const id of ['a\n', 'a\0', 'ä', '-a', '_a', 'a\\b', 'a:b']) expect(isTeamId(id), id).toBe(false)
})

describe('limits', () => {
  it('are those that the documents promise', () => {
    expect(LIMITS).toEqual({
      payload: { trust: 65_536, release: 1_048_576, lease: 65_536, head: 4096 },
      signatures: 16,
      trustVersions: 1024,
      hooks: 500,
      prompt: 100_000,
      matcher: 10_000,
      name: 200,
      script: 1_048_576,
      scripts: 16_777_216,
      answer: 25_165_824,
    })
  })

  const key = keys()
  it.each([
    ['trust', 65_536],
    ['release', 1_048_576],
    ['lease', 65_536],
    ['head', 4096],
  ] as const)('allow a %s of %i bytes, and not one more', (type, most) => {
    const codeOf = (length: number) =>
      envelopeRejection(signEnvelope(type, new Uint8Array(length), key.privateKey), {
        type,
        keys: [key.publicKey],
      })?.code
    expect(codeOf(most)).toBeUndefined()
    expect(codeOf(most + 1)).toBe('size')
  })

  it('allow 16 signatures', () => {
    const signers = Array.from({ length: 17 }, keys)
    const by = (count: number) =>
      signEnvelope('lease', bytesOf('{}'), ...signers.slice(0, count).map(({ privateKey }) => privateKey))
    const expected = { type: 'lease', keys: signers.map(({ publicKey }) => publicKey) } as const
    expect(envelopeRejection(by(16), expected)).toBeUndefined()
    expect(envelopeRejection(by(17), expected)?.code).toBe('form')
  })

  it('allow a chain of 1024 trust versions to be read, and not one more', () => {
    const team = testTeam()
    const chain = (length: number) => Array(length).fill(team.chain[0]!)
    // The second is not the next version, which is found only where the chain is read.
    expect(verifyTrustChain(undefined, team.fingerprint, chain(1024)).refusal?.code).toBe('trust')
    expect(verifyTrustChain(undefined, team.fingerprint, chain(1025)).refusal?.code).toBe('size')
  })
})

describe('signers', () => {
  const [one, other] = [keys(), keys()]
  const envelope = signEnvelope('trust', bytesOf('{}'), one.privateKey)
  const ids = (change: object, ...known: (typeof one)[]) => [
    ...signersOf(
      { ...envelope, ...change },
      known.map(({ publicKey }) => publicKey),
    ),
  ]

  it('are the known keys whose signature fits', () => {
    expect(ids({}, one, other)).toEqual([envelope.signatures[0]!.keyId])
    expect(ids({}, other)).toEqual([])
    expect(ids({}, ...[])).toEqual([])
    expect(ids({ payload: bytesOf('[]') }, one)).toEqual([])
    expect(ids({ type: 'lease' }, one)).toEqual([])
    const { keyId } = signEnvelope('trust', bytesOf('{}'), other.privateKey).signatures[0]!
    const borrowed = [{ keyId, value: envelope.signatures[0]!.value }]
    expect(ids({ signatures: borrowed }, one, other)).toEqual([])
    expect(ids({ signatures: [{ ...envelope.signatures[0]!, value: new Uint8Array(63) }] }, one)).toEqual([])
  })
})

it('an entry of the log has the hash that the documents describe', () => {
  // printf 'holdfast-audit-v1\0' + prev (bytes) + seq (8 bytes) + length (4 bytes) + body, by sha256sum.
  expect(hashOfAction('', 1, bytesOf('{"seq":1}'))).toBe(
    'ec4accb18643e4fb56f7df10e72929489d47b0078a5ea756346a298b02f7ab0f',
  )
  expect(hashOfAction('ab'.repeat(32), 258, bytesOf('{}'))).toBe(
    'c523af81afdd7c3931c14ed89fcf1602a533eb0a95115a405867ddbf81151998',
  )
})
