// What gets signed, by which key, and what the server publishes, pins and kills. Each case differs from an accepted
// one in one way only.

import { create } from '@bufbuild/protobuf'
import {
  envelopeRejection,
  GetTeamHooksRequestSchema,
  generateKeys,
  type KeyPair,
  keyIdOf,
  keysOf,
  readLease,
  readSignatures,
  readTrust,
  signEnvelope,
  signPayload,
  TeamHookSchema,
  type TrustPayload,
  writeRelease,
  writeTrust,
} from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { draftOf } from '../../packages/server/src/hooks/content.js'
import { markFit, saveDraft } from '../../packages/server/src/hooks/drafts.js'
import { publish } from '../../packages/server/src/hooks/publish.js'
import { createKeys, keyOptionsProblem } from '../../packages/server/src/rollout/create-keys.js'
import { messageIn, openDelivery } from '../../packages/server/src/rollout/delivery.js'
import { firstTrust, heldKey, signingKey, trustIn } from '../../packages/server/src/rollout/keys.js'
import { pin, setKillSwitch, unpin } from '../../packages/server/src/rollout/orders.js'
import { envelopeIn, payloadIn, releaseOf } from '../../packages/server/src/rollout/releases.js'
import { prepareKey, submitTrust } from '../../packages/server/src/rollout/rotate.js'
import { rollBack } from '../../packages/server/src/rollout/send.js'
import { situationOf } from '../../packages/server/src/rollout/situation.js'
import { signRelease, stepRelease } from '../../packages/server/src/rollout/steps.js'
import { ROLLOUT } from '../../packages/server/src/setup.js'
import { DAY } from './records.js'
import { codeOf, NOW, openRows, type Rows } from './rows.js'

let rows: Rows
let owner: Person
let admin: Person
beforeEach(async () => {
  rows = await openRows()
  owner = await rows.seat('owner')
  admin = await rows.seat('admin')
})
afterEach(() => rows.close())

const db = () => rows.team.store.db
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
const trust = () => trustIn(db())
const set = (change: object) =>
  db()
    .updateTable('team')
    .set({ rollout: JSON.stringify({ ...ROLLOUT, ...change }) })
    .execute()

async function drafted(name: string, by = admin) {
  const draft = draftOf(
    create(TeamHookSchema, {
      hookStep: 'stop',
      scriptName: `${name}.sh`,
      scriptContent: '#!/bin/sh\n',
      isActive: true,
    }),
  )
  const { hook } = await saveDraft(rows.team, by, { id: 0, name, draft, base: 0 })
  return hook
}
const send = (hook: { id: number; draft_version: number }, by = admin, change: object = {}) =>
  publish(rows.team, by, {
    drafts: [{ hookId: hook.id, draftVersion: hook.draft_version }],
    remove: [],
    note: '',
    skipRings: true,
    ...change,
  })
async function published(name: string) {
  const hook = await drafted(name)
  await markFit(rows.team, hook)
  return send(hook)
}

/** The next version of the root metadata, signed elsewhere. */
async function submitted(change: Partial<TrustPayload>, ...signers: KeyPair['privateKey'][]) {
  const old = await trust()
  const payload = writeTrust({ ...old, version: old.version + 1, ...change })
  return codeOf(submitTrust(rows.team, owner, signEnvelope('trust', payload, ...signers)))
}

describe('rotation', () => {
  it.each(['release', 'lease'] as const)(
    'of the %s key keeps the others and erases the old one',
    async use => {
      const before = await trust()
      await rows.rotate(owner, use)
      const after = await trust()
      const lists = { release: 'release_keys', lease: 'lease_keys', root: 'roots' } as const
      for (const [name, list] of Object.entries(lists)) {
        if (name === use) expect(after[list]).not.toEqual(before[list])
        else expect(after[list]).toEqual(before[list])
      }
      expect(after).toMatchObject({ version: 2, epoch: 0 })
      const valid = new Set([...after.roots, ...after.release_keys, ...after.lease_keys])
      const keys = await db().selectFrom('team_keys').selectAll().execute()
      for (const key of keys) {
        const isValid = valid.has(hex(new Uint8Array(key.public_key)))
        expect(key.retired_at === null).toBe(isValid)
        if (!isValid) expect(key.private_key).toBeNull()
      }
      expect(keys.filter(({ retired_at }) => retired_at !== null)).toHaveLength(1)
      expect(await signingKey(db(), rows.team.secrets, 'release')).not.toBeNull()
      expect(await signingKey(db(), rows.team.secrets, 'lease')).not.toBeNull()
    },
  )

  it('never takes a key that the team had before, whatever it was for', async () => {
    const elsewhere = generateKeys()
    await rows.rotate(owner, 'release', { publicKey: elsewhere.publicKey })
    await rows.rotate(owner, 'release')
    const { roots, lease_keys } = await trust()
    const known = [hex(elsewhere.publicKey), ...roots, ...lease_keys]
    for (const key of known) {
      expect(await codeOf(rows.changeKeys(owner, { release_keys: [key] }))).toBe('exists')
      if (!roots.includes(key))
        expect(await codeOf(rows.changeKeys(owner, { roots: [...roots, key] }))).toBe('exists')
    }
    expect(await trust()).toMatchObject({ version: 3 })
  })

  it('erases what was prepared for another proposal, which is never taken later', async () => {
    const left = hex(await prepareKey(rows.team, owner, 'release'))
    await rows.rotate(owner, 'release')
    const kept = await db().selectFrom('team_keys').selectAll().where('private_key', 'is not', null).execute()
    expect(kept.map(({ use }) => use).sort()).toEqual(['lease', 'release'])
    expect(await codeOf(rows.changeKeys(owner, { release_keys: [left] }))).toBe('exists')
  })

  it('lets the new key sign what the old one signed, and keeps the old signature', async () => {
    await published('one')
    await rows.release(2, { state: 'halted', signatures: '[]' })
    const keysBefore = keysOf((await trust()).release_keys)
    await rows.rotate(owner, 'release')
    const release = envelopeIn(await releaseOf(db(), 1))
    const expected = { type: 'release', keys: keysOf((await trust()).release_keys) } as const
    expect(envelopeRejection(release, expected)).toBeUndefined()
    expect(envelopeRejection(release, { type: 'release', keys: keysBefore })).toBeUndefined()
    expect((await releaseOf(db(), 2)).signatures).toBe('[]')
  })

  it('signs no release that was changed in the database', async () => {
    await published('one')
    await published('two')
    await published('three')
    const forged = writeRelease({ ...payloadIn(await releaseOf(db(), 1)), records: 'all' })
    await db().updateTable('releases').set({ payload: forged }).where('number', '=', 1).execute()
    const other = await releaseOf(db(), 3)
    const payload = new Uint8Array(other.payload)
    const { signatures } = other
    await db().updateTable('releases').set({ payload, signatures }).where('number', '=', 2).execute()
    const before = await Promise.all([1, 2].map(async number => (await releaseOf(db(), number)).signatures))
    await rows.rotate(owner, 'release')
    expect(await Promise.all([1, 2].map(async number => (await releaseOf(db(), number)).signatures))).toEqual(
      before,
    )
    expect(JSON.parse((await releaseOf(db(), 3)).signatures)).toHaveLength(2)
  })
})

describe('a trust version from elsewhere', () => {
  it('is taken as devices would take it, and otherwise changes nothing', async () => {
    const [root] = rows.rootKeys
    const unknownKeys = generateKeys()
    const refused = [
      await submitted({}, unknownKeys.privateKey),
      await submitted({}),
      await submitted({ version: 1 }, root!),
      await submitted({ version: 3 }, root!),
      await submitted({ team_id: 'other' }, root!),
      await submitted({ roots: [hex(unknownKeys.publicKey)] }, root!),
      await submitted({ lease_keys: [hex(unknownKeys.publicKey)] }, root!),
      await submitted({ lease_keys: [] }, root!),
      await submitted({ release_keys: ['00'.repeat(32)] }, root!),
    ]
    expect(refused).toEqual(refused.map(() => 'invalid'))
    expect(await trust()).toMatchObject({ version: 1 })
    expect(await submitted({ epoch: 2 }, root!)).toBe('ok')
    expect(await submitted({ epoch: 1 }, root!)).toBe('invalid')
    expect(await trust()).toMatchObject({ version: 2, epoch: 2 })
  })

  it('retires keys that it no longer names, and destroys them', async () => {
    const release = generateKeys()
    expect(await submitted({ release_keys: [hex(release.publicKey)] }, rows.rootKeys[0]!)).toBe('ok')
    expect(await signingKey(db(), rows.team.secrets, 'release')).toBeNull()
    const keys = await db().selectFrom('team_keys').selectAll().where('use', '=', 'release').execute()
    expect(keys.find(({ id }) => id === keyIdOf(release.publicKey))).toMatchObject({ retired_at: null })
    expect(keys.find(({ id }) => id !== keyIdOf(release.publicKey))).toMatchObject({ private_key: null })
  })
})

it('a key is held only if it is named and its private half is here', async () => {
  const { roots, release_keys } = await trust()
  const held = async (keys: readonly string[]) =>
    (await heldKey(db(), rows.team.secrets, keys))?.publicKey ?? null
  expect(await held(release_keys)).toBe(release_keys[0])
  expect(await held(roots)).toBeNull()
  expect(await held([hex(generateKeys().publicKey)])).toBeNull()
  expect(await held([])).toBeNull()
})

describe('a new team', () => {
  const created = async (options: object) => {
    await rows.empty('team_keys', 'trust')
    const { store, secrets } = rows.team
    return codeOf(
      createKeys(store, secrets, { teamId: rows.team.id, teamName: 'Acme', now: NOW, ...options }),
    )
  }

  it('takes sound keys only', async () => {
    expect(await created({ releaseKey: new Uint8Array(32) })).toBe('invalid')
    expect(await created({ releaseKey: new Uint8Array(31) })).toBe('invalid')
    expect(await created({ rootKeys: [generateKeys().publicKey, new Uint8Array(32)] })).toBe('invalid')
    const { publicKey } = generateKeys()
    expect(await created({ releaseKey: publicKey })).toBe('ok')
    expect(await trust()).toMatchObject({ release_keys: [hex(publicKey)], version: 1 })
    expect(await signingKey(db(), rows.team.secrets, 'release')).toBeNull()
  })

  it.each([
    [{}, true],
    [{ releaseKey: generateKeys().publicKey }, false],
    [{ releaseKey: generateKeys().publicKey, killByServer: true }, true],
    [{ killByServer: false }, false],
  ])('lets the server use the kill switch with %o: %s', async (options, kill_by_server) => {
    expect(await created(options)).toBe('ok')
    expect(await trust()).toMatchObject({ kill_by_server })
  })

  it.each([
    [{}, true],
    [{ rootThreshold: 2 }, true],
    [{ rootThreshold: 3 }, false],
    [{ rootThreshold: 0 }, false],
    [{ rootKeys: [generateKeys().publicKey] }, false],
    [{ rootKeys: Array(2).fill(generateKeys().publicKey) }, false],
    [{ rootKeys: [1, 2, 3].map(() => generateKeys().publicKey), rootThreshold: 2 }, true],
  ])('judges the options %#', (options, isGood) => {
    expect(keyOptionsProblem(options) === undefined).toBe(isGood)
  })

  it('whose root keys are elsewhere has no keys until each of them signed', async () => {
    const roots = [generateKeys(), generateKeys(), generateKeys()]
    expect(await created({ rootKeys: roots.map(({ publicKey }) => publicKey), rootThreshold: 2 })).toBe('ok')
    expect(await codeOf(trust())).toBe('not-now')
    expect(await codeOf(prepareKey(rows.team, owner, 'lease'))).toBe('ok')
    const hook = await drafted('one')
    await markFit(rows.team, hook)
    expect(await codeOf(send(hook))).toBe('not-now')
    const { payload } = (await firstTrust(db()))!
    const submit = (...signers: KeyPair[]) =>
      codeOf(
        submitTrust(
          rows.team,
          owner,
          signEnvelope('trust', payload, ...signers.map(({ privateKey }) => privateKey)),
        ),
      )
    expect(await submit(roots[0]!)).toBe('invalid')
    expect(await submit(roots[0]!, roots[1]!)).toBe('invalid')
    expect(await submit(generateKeys(), generateKeys(), generateKeys())).toBe('invalid')
    expect(await codeOf(trust())).toBe('not-now')
    expect(await submit(...roots)).toBe('ok')
    expect(await trust()).toMatchObject({ version: 1, root_threshold: 2 })
    expect(await codeOf(send(hook))).toBe('ok')
    expect(await submit(...roots)).toBe('invalid')
  })

  it('takes no other first version than the one that was made', async () => {
    const roots = [generateKeys(), generateKeys()]
    await created({ rootKeys: roots.map(({ publicKey }) => publicKey) })
    const first = readTrust((await firstTrust(db()))!) as TrustPayload
    const payload = writeTrust({ ...first, kill_by_server: false })
    const signers = roots.map(({ privateKey }) => privateKey)
    expect(await codeOf(submitTrust(rows.team, owner, signEnvelope('trust', payload, ...signers)))).toBe(
      'invalid',
    )
  })
})

describe('a release signed elsewhere', () => {
  const key = generateKeys()
  const sign = (number: number, signer = key, payload?: Uint8Array) =>
    releaseOf(db(), number).then(row => {
      const signature = signPayload('release', payload ?? new Uint8Array(row.payload), signer.privateKey)
      return codeOf(signRelease(rows.team, admin, number, signature))
    })
  beforeEach(() => rows.rotate(owner, 'release', { publicKey: key.publicKey }))

  it('needs the release key and its own bytes, once', async () => {
    expect(await published('one')).toMatchObject({ state: 'unsigned', signatures: '[]' })
    expect(await sign(1, generateKeys())).toBe('invalid')
    expect(await sign(1, key, Buffer.from('{}'))).toBe('invalid')
    const typed = signPayload('lease', new Uint8Array((await releaseOf(db(), 1)).payload), key.privateKey)
    expect(await codeOf(signRelease(rows.team, admin, 1, typed))).toBe('invalid')
    expect(await releaseOf(db(), 1)).toMatchObject({ state: 'unsigned', signatures: '[]' })
    expect(await sign(1)).toBe('ok')
    expect(await sign(1)).toBe('not-now')
    const row = await releaseOf(db(), 1)
    expect(row.state).toBe('done')
    expect(readSignatures(JSON.parse(row.signatures)).map(({ keyId }) => keyId)).toEqual([
      keyIdOf(key.publicKey),
    ])
  })

  it('keeps this signature when the server has a release key again', async () => {
    await published('one')
    await sign(1)
    await rows.rotate(owner, 'release')
    const row = await releaseOf(db(), 1)
    const signers = readSignatures(JSON.parse(row.signatures)).map(({ keyId }) => keyId)
    expect(signers).toEqual([keyIdOf(key.publicKey), ...keysOf((await trust()).release_keys).map(keyIdOf)])
  })

  it('waits alone: nothing is published or rolled back before it', async () => {
    await published('one')
    await sign(1)
    await published('two')
    const hook = await drafted('three')
    await markFit(rows.team, hook)
    expect(await codeOf(send(hook))).toBe('not-now')
    expect(await codeOf(rollBack(rows.team, admin, { to: 1, note: '' }))).toBe('not-now')
    await stepRelease(rows.team, admin, 2, 'halt')
    expect(await sign(2)).toBe('not-now')
    expect(await codeOf(rollBack(rows.team, admin, { to: 2, note: '' }))).toBe('not-now')
    expect(await codeOf(rollBack(rows.team, admin, { to: 9, note: '' }))).toBe('missing')
    expect(await codeOf(rollBack(rows.team, admin, { to: 1, note: '' }))).toBe('ok')
  })

  it('of an older numbering is not signed any more', async () => {
    await published('one')
    const other = generateKeys()
    await rows.rotate(owner, 'release', { publicKey: other.publicKey, newEpoch: true })
    expect(await sign(1, other)).toBe('not-now')
    await stepRelease(rows.team, admin, 1, 'halt')
    await published('two')
    expect(await sign(2, other)).toBe('ok')
  })
})

describe('publishing', () => {
  it('needs a draft as it was checked and seen', async () => {
    const hook = await drafted('one')
    expect(await codeOf(send(hook))).toBe('not-now')
    await markFit(rows.team, hook)
    expect(await codeOf(send({ ...hook, draft_version: 0 }))).toBe('stale')
    expect(await codeOf(send({ ...hook, id: 99 }))).toBe('missing')
    expect(await codeOf(send(hook, admin, { drafts: [] }))).toBe('invalid')
    expect(await codeOf(send(hook, admin, { remove: [hook.id] }))).toBe('missing')
    expect(await codeOf(send(hook))).toBe('ok')
    expect(await codeOf(send(hook))).toBe('not-now')
  })

  it('under four eyes needs another person than the author', async () => {
    await set({ fourEyes: true })
    const hook = await drafted('one')
    await markFit(rows.team, hook)
    expect(await codeOf(send(hook, admin))).toBe('not-now')
    expect(await codeOf(send(hook, owner))).toBe('ok')
    await set({})
    const second = await drafted('two')
    await markFit(rows.team, second)
    expect(await codeOf(send(second, admin))).toBe('ok')
  })

  it('goes through the rings unless it skips them, or there is one', async () => {
    const state = async (name: string, change: object) => {
      const hook = await drafted(name)
      await markFit(rows.team, hook)
      const { state, ring } = await send(hook, admin, change)
      return `${state} ${ring}`
    }
    expect(await state('one', { skipRings: false })).toBe('rolling 0')
    expect(await state('two', { skipRings: true })).toBe('done 2')
    await set({ rings: [{ name: 'all', share: 1 }] })
    expect(await state('three', { skipRings: false })).toBe('done 0')
  })
})

describe('a pin', () => {
  const pinned = (change: object = {}) =>
    codeOf(
      pin(rows.team, admin, {
        kind: 'device',
        whom: 'd',
        release: 1,
        until: NOW + DAY,
        reason: '',
        ...change,
      }),
    )

  it('needs an end within a year, a device that exists, and a signed release that can be reached', async () => {
    await rows.device('d')
    await published('one')
    await rows.release(2, { state: 'unsigned', signatures: '[]' })
    expect(await pinned({ until: NOW })).toBe('invalid')
    expect(await pinned({ until: Number.NaN })).toBe('invalid')
    expect(await pinned({ until: NOW + 366 * DAY })).toBe('invalid')
    expect(await pinned({ whom: '' })).toBe('invalid')
    expect(await pinned({ whom: 'unknown' })).toBe('missing')
    expect(await pinned({ release: 2 })).toBe('not-now')
    expect(await pinned({ release: 3 })).toBe('missing')
    expect(await pinned()).toBe('ok')
    expect(await pinned({ kind: 'group', whom: 'unknown' })).toBe('ok')
    await db().deleteFrom('releases').where('number', '=', 2).execute()
    await set({ revertDepth: 1 })
    await published('two')
    expect(await pinned()).toBe('ok')
    await published('three')
    expect(await pinned()).toBe('not-now')
    expect(await pinned({ release: 2 })).toBe('ok')
  })

  it('replaces and ends the one of the same device or group alone', async () => {
    await rows.device('d')
    await published('one')
    await pinned()
    await pinned({ kind: 'group', whom: 'd' })
    await pinned({ kind: 'group', whom: 'g' })
    await pinned({ until: NOW + 2 * DAY })
    const pins = async () =>
      (await db().selectFrom('pins').selectAll().orderBy('kind').orderBy('whom').execute()).map(
        ({ kind, whom, until }) => `${kind} ${whom} ${(until - NOW) / DAY}`,
      )
    expect(await pins()).toEqual(['device d 2', 'group d 1', 'group g 1'])
    await unpin(rows.team, admin, 'device', 'd')
    expect(await pins()).toEqual(['group d 1', 'group g 1'])
    expect(await codeOf(unpin(rows.team, admin, 'device', 'd'))).toBe('missing')
  })
})

describe('the kill switch', () => {
  const kill = (isOn: boolean, reason: string) =>
    codeOf(setKillSwitch(rows.team, admin, { isOn: isOn, reason: reason, isEmergency: false }))
  const killed = async () => (await db().selectFrom('team').select('killed').executeTakeFirstOrThrow()).killed

  it('needs a reason to be turned on, and none to be turned off', async () => {
    expect([await kill(true, ''), await killed()]).toEqual(['invalid', 0])
    expect([await kill(true, 'bad day'), await killed()]).toEqual(['ok', 1])
    expect([await kill(false, ''), await killed()]).toEqual(['ok', 0])
  })

  it('is left to the server by trust alone, but can always be turned off', async () => {
    await kill(true, 'bad day')
    expect(await submitted({ kill_by_server: false }, rows.rootKeys[0]!)).toBe('ok')
    expect([await kill(false, ''), await killed()]).toEqual(['ok', 0])
    expect([await kill(true, 'again'), await killed()]).toEqual(['not-now', 0])
  })
})

describe('a lease', () => {
  const DEVICE = '0123456789abcdef0123456789abcdef'
  /** The highest number that each device has accepted. */
  const accepted = new Map<string, number>()
  const lease = async (id = DEVICE) => {
    const device = await db().selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const leaseSeq = BigInt(accepted.get(id) ?? 0)
    const request = create(GetTeamHooksRequestSchema, { leaseSeq })
    const answer = messageIn(await openDelivery(rows.team)(device, await situationOf(rows.team), request))
    const { lease_keys } = await trust()
    expect(envelopeRejection(answer.lease!, { type: 'lease', keys: keysOf(lease_keys) })).toBeUndefined()
    const read = readLease(answer.lease!.payload)
    if (!read.ok) throw new Error(read.message)
    accepted.set(id, read.value.seq)
    return { ...read.value, sent: answer.release !== undefined }
  }
  beforeEach(() => {
    accepted.clear()
    return rows.device(DEVICE)
  })

  it('names the device, the release and an end in seven days', async () => {
    expect(await lease()).toMatchObject({ order: 'hold', release: 0, release_hash: '', sent: false })
    const { hash } = await published('one')
    expect(await lease()).toMatchObject({
      device_id: DEVICE,
      team_id: rows.team.id,
      order: 'take',
      release: 1,
      release_hash: hash,
      not_after: new Date(NOW + 7 * DAY).toISOString(),
      sent: true,
    })
  })

  it('has a number that rises for each device, also when the clock is set back', async () => {
    const other = DEVICE.replace('0', '1')
    await rows.device(other)
    const seqs = [(await lease()).seq, (await lease()).seq]
    rows.clock.now -= DAY
    seqs.push((await lease()).seq)
    rows.clock.now += 2 * DAY
    seqs.push((await lease()).seq)
    expect(seqs).toEqual([NOW, NOW + 1, NOW + 2, NOW + DAY])
    expect((await lease(other)).seq).toBe(NOW + DAY)
    // A device cannot drive the numbers to their end.
    accepted.set(DEVICE, Number.MAX_SAFE_INTEGER)
    expect((await lease()).seq).toBe(NOW + DAY)
    accepted.set(DEVICE, -5)
    expect((await lease()).seq).toBe(NOW + DAY)
  })

  it('orders to go back from a halted release, and to drop all hooks when killed', async () => {
    const { hash } = await published('one')
    await published('two')
    expect(await lease()).toMatchObject({ order: 'take', release: 2 })
    await stepRelease(rows.team, admin, 2, 'halt')
    expect(await lease()).toMatchObject({ order: 'revert', release: 1, release_hash: hash })
    await setKillSwitch(rows.team, admin, { isOn: true, reason: 'bad day', isEmergency: false })
    expect(await lease()).toMatchObject({
      order: 'kill',
      release: 0,
      release_hash: '',
      sent: false,
    })
  })
})
