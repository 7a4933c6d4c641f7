// Keys that the server has, keys that it has not, and keys that follow one another.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DevicesService,
  generateKeys,
  HooksService,
  KeysService,
  RolloutService,
  signPayload,
} from '@holdfast/team'
import { aroundOf, enrol, readStatus, sync } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase } from './databases.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

describe.each(DATABASES)('$kind', ({ create }) => {
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
    await call(HooksService).checkDraft({ id: hook!.id })
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
