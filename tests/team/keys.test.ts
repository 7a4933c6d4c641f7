// Keys on the server, offline keys, and key rotation.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DevicesService,
  type EnvelopeSignature,
  generateKeys,
  HooksService,
  KeysService,
  RolloutService,
  readTrust,
  signEnvelope,
  signPayload,
  type TrustPayload,
  writeTrust,
} from '@holdfast/team'
import { aroundOf, enrol, readStatus, sync } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { callerOf, passDraft, seatMember, startTestServer, type TestServer } from './server.js'

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let home: string
  let owner = ''
  const elsewhere = generateKeys()
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  beforeEach(async () => {
    database = await create()
    home = mkdtempSync(join(tmpdir(), 'holdfast-device-'))
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
    rmSync(home, { recursive: true, force: true })
  })

  const start = async (more: object = {}) => {
    server = await startTestServer(database.url, more)
    owner = await seatMember(server, 'owner')
  }
  const call = <S extends Parameters<ReturnType<typeof callerOf>>[0]>(service: S) =>
    callerOf(server.url, owner)(service)
  const around = () => aroundOf({ home, clientVersion: '0.1.0', deviceName: 'laptop', platform: 'linux' })
  const enrolled = async () => {
    const { secret } = await call(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
    expect(await enrol(around(), { server: server.url, proof: { enrolmentKey: secret } })).toMatchObject({
      ok: true,
    })
  }
  const publish = async (name: string) => {
    const draft = {
      hookStep: 'stop',
      scriptName: `${name}.sh`,
      scriptContent: '#!/bin/sh\necho "{}"\n',
      isActive: true,
    }
    const { hook } = await call(HooksService).saveDraft({ name, draft })
    await passDraft(server.team, hook!.id)
    return call(RolloutService).publish({
      drafts: [{ hookId: hook!.id, draftVersion: hook!.draftVersion }],
      note: name,
      skipRings: true,
    })
  }

  it('a release whose key is elsewhere waits for it, and takes no other', async () => {
    await start({ releaseKey: elsewhere.publicKey })
    await enrolled()
    const { release, unsigned } = await publish('one')
    expect(release).toMatchObject({ number: 1, state: 'unsigned' })
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'unchanged' })
    const rollout = call(RolloutService)
    const wrong = signPayload('release', unsigned!.payload, generateKeys().privateKey)
    await expect(rollout.sign({ number: 1, signature: wrong })).rejects.toThrow(/may not sign/)
    await expect(publish('two')).rejects.toThrow(/waits for its signature/)
    const right = signPayload('release', unsigned!.payload, elsewhere.privateKey)
    expect(await rollout.sign({ number: 1, signature: right })).toMatchObject({ release: { state: 'done' } })
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })

  const submit = (payload: Uint8Array, signatures: readonly EnvelopeSignature[]) =>
    call(KeysService).submitTrust({
      trust: { type: 'trust', payload, signatures: signatures.map(({ keyId, value }) => ({ keyId, value })) },
    })
  const newest = async () => readTrust((await call(KeysService).getTrust({})).chain.at(-1)!) as TrustPayload
  const nextOf = async (change: Partial<TrustPayload>) => {
    const old = await newest()
    return writeTrust({ ...old, version: old.version + 1, ...change })
  }
  /** Root metadata that is created and signed offline. */
  const changeKeys = async (change: Partial<TrustPayload>, ...signers: Uint8Array[]) => {
    const payload = await nextOf(change)
    return submit(payload, signEnvelope('trust', payload, ...signers).signatures)
  }
  const prepared = async (use: 'release' | 'lease') =>
    hex((await call(KeysService).prepareKey({ use })).publicKey)
  const rotate = async (use: 'release' | 'lease', newEpoch = false) => {
    const keys = [await prepared(use)]
    const { epoch } = await newest()
    return changeKeys(
      {
        ...(use === 'release' ? { release_keys: keys } : { lease_keys: keys }),
        epoch: epoch + Number(newEpoch),
      },
      server.rootKeys[0]!,
    )
  }

  it('a device follows new keys by itself, and takes what the new one signs', async () => {
    await start()
    await enrolled()
    await publish('one')
    await sync(around(), server.team.id)
    for (const use of ['release', 'lease'] as const) await rotate(use)
    const root = generateKeys()
    await changeKeys(
      { roots: [(await newest()).roots[1]!, hex(root.publicKey)] },
      server.rootKeys[0]!,
      root.privateKey,
    )
    await publish('two')
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    expect(readStatus(around(), server.team.id)).toMatchObject({ trustVersion: 4 })
    const { keys } = await call(KeysService).getTrust({})
    expect(keys.filter(({ retired }) => retired).map(({ kept }) => kept)).toEqual([
      'elsewhere',
      'elsewhere',
      'elsewhere',
    ])
  })

  it('a new epoch begins the numbers again', async () => {
    await start()
    await enrolled()
    await publish('one')
    await sync(around(), server.team.id)
    await rotate('release', true)
    await publish('two')
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
  })

  it('a device that comes after the release key was changed takes what was published before', async () => {
    await start()
    await publish('one')
    await publish('two')
    await rotate('release', true)
    await enrolled()
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    await call(RolloutService).halt({ number: 2, reason: 'no' })
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })

  it('with a new release key elsewhere, what is out waits for its signature, too', async () => {
    await start()
    await publish('one')
    await changeKeys({ release_keys: [hex(elsewhere.publicKey)] }, server.rootKeys[1]!)
    const { seal } = await call(RolloutService).getRelease({ number: 1 })
    const signature = signPayload('release', seal!.payload, elsewhere.privateKey)
    await call(RolloutService).sign({ number: 1, signature })
    await expect(call(RolloutService).sign({ number: 1, signature })).rejects.toThrow(/signed/)
    await enrolled()
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })

  describe('an attacker with the token of an owner', () => {
    const mine = generateKeys()

    it('cannot bring the release key, or any other key, to the server', async () => {
      await start({ releaseKey: elsewhere.publicKey })
      const before = await newest()
      const here = await prepared('release')
      const lease = await prepared('lease')
      const { privateKey } = mine
      const tries: Partial<TrustPayload>[] = [
        { release_keys: [here] },
        { release_keys: [...before.release_keys, hex(mine.publicKey)] },
        { lease_keys: [lease] },
        { roots: [hex(mine.publicKey)] },
        { roots: [...before.roots, hex(mine.publicKey)], root_threshold: 1 },
        { kill_by_server: true },
        { kill_satisfies_required: true },
        {},
      ]
      for (const change of tries) {
        await expect(changeKeys(change, privateKey), JSON.stringify(change)).rejects.toThrow(
          /may not sign|is not signed/,
        )
        await expect(submit(await nextOf(change), []), JSON.stringify(change)).rejects.toThrow(/not signed/)
      }
      // Neither do all keys of the server.
      const rows = await server.team.store.db.selectFrom('team_keys').selectAll().execute()
      const held = rows.flatMap(({ private_key }) =>
        private_key ? [server.team.secrets.decrypt(new Uint8Array(private_key))] : [],
      )
      expect(held).toHaveLength(3)
      for (const change of tries) await expect(changeKeys(change, ...held)).rejects.toThrow(/may not sign/)
      expect(await newest()).toEqual(before)
    })

    it('publishes nothing that devices take, and signs nothing', async () => {
      await start({ releaseKey: elsewhere.publicKey })
      await enrolled()
      const { unsigned } = await publish('one')
      await prepared('release')
      const rows = await server.team.store.db.selectFrom('team_keys').selectAll().execute()
      for (const { private_key } of rows) {
        if (!private_key) continue
        const key = server.team.secrets.decrypt(new Uint8Array(private_key))
        const signature = signPayload('release', unsigned!.payload, key)
        await expect(call(RolloutService).sign({ number: 1, signature })).rejects.toThrow(/may not sign/)
      }
      expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'unchanged' })
      await expect(call(RolloutService).setKillSwitch({ on: true, reason: 'r' })).rejects.toThrow(
        /does not allow the kill switch/,
      )
    })

    it('with one stolen root key of two that are needed, changes nothing', async () => {
      await start({ rootThreshold: 2 })
      const [stolen, other] = server.rootKeys as [Uint8Array, Uint8Array]
      const roots = [hex(mine.publicKey), hex(generateKeys().publicKey)]
      for (const change of [{ root_threshold: 1 }, { roots }, { roots, root_threshold: 1 }, { epoch: 7 }]) {
        await expect(changeKeys(change, stolen, mine.privateKey)).rejects.toThrow(/2 are needed/)
        await expect(changeKeys(change, stolen, stolen)).rejects.toThrow(/2 are needed/)
      }
      expect(await changeKeys({ epoch: 1 }, stolen, other)).toMatchObject({ version: 2 })
    })
  })

  it('a team whose root keys are elsewhere lets no device in before they signed', async () => {
    const roots = [generateKeys(), generateKeys()]
    await start({ rootKeys: roots.map(({ publicKey }) => publicKey), releaseKey: elsewhere.publicKey })
    expect(server.rootKeys).toEqual([])
    await expect(call(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })).rejects.toThrow(
      /root keys have not signed/,
    )
    await expect(publish('one')).rejects.toThrow(/root keys have not signed/)
    const { unsigned, fingerprint } = await call(KeysService).getTrust({})
    expect(fingerprint).toBe(server.fingerprint)
    const { payload } = unsigned!
    await expect(
      submit(payload, signEnvelope('trust', payload, roots[0]!.privateKey).signatures),
    ).rejects.toThrow(/Every root key must sign/)
    const signers = roots.map(({ privateKey }) => privateKey)
    expect(await submit(payload, signEnvelope('trust', payload, ...signers).signatures)).toMatchObject({
      version: 1,
    })
    await enrolled()
    expect((await call(KeysService).getTrust({})).unsigned).toBeUndefined()
  })

  it('root metadata under which this server could sign nothing is refused', async () => {
    await start()
    const unknownKeys = hex(generateKeys().publicKey)
    await expect(changeKeys({ lease_keys: [unknownKeys] }, server.rootKeys[0]!)).rejects.toThrow(/lease key/)
  })

  it('the kill switch is refused where no device would follow it', async () => {
    await start()
    await changeKeys({ kill_by_server: false }, server.rootKeys[0]!)
    await expect(call(RolloutService).setKillSwitch({ on: true, reason: 'r' })).rejects.toThrow(
      /devices would ignore it/,
    )
    expect(await call(RolloutService).getRolloutSettings({})).toMatchObject({ mayKill: false })
  })

  it('who changes keys at the same time does so one after the other', async () => {
    await start()
    const payload = await nextOf({ epoch: 1 })
    const said = await Promise.allSettled(
      server.rootKeys.map(key => submit(payload, signEnvelope('trust', payload, key).signatures)),
    )
    expect(said.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await call(KeysService).getTrust({})).chain).toHaveLength(2)
  })

  it('refuses weak keys and other uses', async () => {
    await start()
    await expect(changeKeys({ release_keys: ['00'.repeat(32)] }, server.rootKeys[0]!)).rejects.toThrow(/weak/)
    await expect(call(KeysService).prepareKey({ use: 'root' })).rejects.toThrow(/expected release or lease/)
  })

  it('another secret than the one the keys were hidden with is refused at the start', async () => {
    await start()
    await server.close()
    await expect(startTestServer(database.url, { secret: Buffer.alloc(32, 8) })).rejects.toThrow(/Restore it/)
    server = await startTestServer(database.url)
  })
})
