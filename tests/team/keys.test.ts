// Keys that the server has, keys that it has not, and keys that follow one another.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DevicesService,
  generateKeys,
  HooksService,
  KeysService,
  publicKeyOf,
  RolloutService,
  readTrust,
  type SealSignature,
  seal,
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

  it('a device follows new keys by itself, and takes what the new one signs', async () => {
    await start()
    await enrolled()
    await publish('one')
    await sync(around(), server.team.id)
    for (const use of ['release', 'lease', 'root']) await call(KeysService).rotateKeys({ use })
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
    await call(KeysService).rotateKeys({ use: 'release', newEpoch: true })
    await publish('two')
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
  })

  it('a device that comes after the release key was changed takes what was published before', async () => {
    await start()
    await publish('one')
    await publish('two')
    await call(KeysService).rotateKeys({ use: 'release', newEpoch: true })
    await enrolled()
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    await call(RolloutService).halt({ number: 2, reason: 'no' })
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })

  it('with a new release key elsewhere, what is out waits for its signature, too', async () => {
    await start()
    await publish('one')
    await call(KeysService).rotateKeys({ use: 'release', publicKey: elsewhere.publicKey })
    const { seal } = await call(RolloutService).getRelease({ number: 1 })
    const signature = signPayload('release', seal!.payload, elsewhere.privateKey)
    await call(RolloutService).sign({ number: 1, signature })
    await expect(call(RolloutService).sign({ number: 1, signature })).rejects.toThrow(/signed/)
    await enrolled()
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })

  const submit = (payload: Uint8Array, signatures: readonly SealSignature[]) =>
    call(KeysService).submitTrust({
      trust: { type: 'trust', payload, signatures: signatures.map(({ keyId, value }) => ({ keyId, value })) },
    })

  /** A trust version that an owner makes at home. */
  const submitted = async (change: (trust: TrustPayload) => TrustPayload, ...signers: Uint8Array[]) => {
    const { chain } = await call(KeysService).getTrust({})
    const old = readTrust(chain.at(-1)!) as TrustPayload
    const payload = writeTrust(change({ ...old, version: old.version + 1 }))
    return submit(payload, seal('trust', payload, ...signers).signatures)
  }

  it('with the root key elsewhere every key can still be changed', async () => {
    await start()
    await enrolled()
    await publish('one')
    await sync(around(), server.team.id)
    const recovery = server.recoveryKey!
    const root = generateKeys()
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    const publicRecovery = hex(publicKeyOf(recovery))
    const roots = [hex(root.publicKey), publicRecovery]
    await submitted(trust => ({ ...trust, roots }), root.privateKey, recovery)
    for (const use of ['lease', 'release'] as const) {
      const { version, unsigned } = await call(KeysService).rotateKeys({ use })
      expect(version).toBe(use === 'lease' ? 3 : 4)
      const signatures = [signPayload('trust', unsigned!.payload, root.privateKey)]
      await submit(unsigned!.payload, signatures)
    }
    await publish('two')
    expect(await sync(around(), server.team.id)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    const next = generateKeys()
    const { unsigned } = await call(KeysService).rotateKeys({ use: 'root', publicKey: next.publicKey })
    expect((readTrust(unsigned!) as TrustPayload).roots).toEqual([publicRecovery, hex(next.publicKey)])
  })

  it('a recovery key that took the place of the first one stays when the root key is changed', async () => {
    await start()
    const next = generateKeys()
    const key = Buffer.from(next.publicKey).toString('hex')
    const first = Buffer.from(publicKeyOf(server.recoveryKey!)).toString('hex')
    await submitted(
      trust => ({ ...trust, roots: trust.roots.map(one => (one === first ? key : one)) }),
      server.recoveryKey!,
      next.privateKey,
    )
    await call(KeysService).rotateKeys({ use: 'root' })
    const { chain } = await call(KeysService).getTrust({})
    expect((readTrust(chain.at(-1)!) as TrustPayload).roots).toContain(key)
  })

  it('a root key that goes elsewhere is signed for by both, here and there', async () => {
    await start()
    const next = generateKeys()
    const { version, unsigned } = await call(KeysService).rotateKeys({
      use: 'root',
      publicKey: next.publicKey,
    })
    expect(version).toBe(2)
    expect(unsigned!.signatures).toHaveLength(1)
    const signatures = [...unsigned!.signatures, signPayload('trust', unsigned!.payload, next.privateKey)]
    expect(await submit(unsigned!.payload, signatures)).toMatchObject({
      version: 2,
    })
    const { keys } = await call(KeysService).getTrust({})
    expect(keys.filter(({ use, retired }) => use === 'root' && !retired).map(({ kept }) => kept)).toEqual([
      'elsewhere',
    ])
  })

  it('a trust version under which this server could sign nothing is refused', async () => {
    await start()
    const stranger = Buffer.from(generateKeys().publicKey).toString('hex')
    await expect(
      submitted(trust => ({ ...trust, lease_keys: [stranger] }), server.recoveryKey!),
    ).rejects.toThrow(/lease key/)
  })

  it('the kill switch is refused where no device would follow it', async () => {
    await start()
    await submitted(trust => ({ ...trust, kill_by_server: false }), server.recoveryKey!)
    await expect(call(RolloutService).setKillSwitch({ on: true, reason: 'r' })).rejects.toThrow(/no device/)
  })

  it('who changes keys at the same time does so one after the other', async () => {
    await start()
    const said = await Promise.allSettled(
      ['release', 'lease', 'root', 'release'].map(use => call(KeysService).rotateKeys({ use })),
    )
    expect(said.map(one => (one.status === 'rejected' ? String(one.reason) : 'ok'))).toEqual(
      Array(4).fill('ok'),
    )
    expect((await call(KeysService).getTrust({})).chain).toHaveLength(5)
  })

  it('refuses weak keys, and a lease key elsewhere', async () => {
    await start()
    const keys = call(KeysService)
    await expect(keys.rotateKeys({ use: 'release', publicKey: new Uint8Array(32) })).rejects.toThrow(/weak/)
    await expect(keys.rotateKeys({ use: 'release', publicKey: new Uint8Array(31) })).rejects.toThrow(
      /32 bytes/,
    )
    await expect(keys.rotateKeys({ use: 'lease', publicKey: elsewhere.publicKey })).rejects.toThrow(
      /always on the server/,
    )
    await expect(keys.rotateKeys({ use: 'nonsense' })).rejects.toThrow(/expected release, lease, root/)
  })

  it('another secret than the one the keys were hidden with is refused at the start', async () => {
    await start()
    await server.close()
    await expect(startTestServer(database.url, { secret: Buffer.alloc(32, 8) })).rejects.toThrow(/Restore it/)
    server = await startTestServer(database.url)
  })
})
