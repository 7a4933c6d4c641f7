// The kill switch and an agent that requires the team: real server, real device, real engine.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import {
  DevicesService,
  KeysService,
  RolloutService,
  readTrust,
  signEnvelope,
  type TrustPayload,
  writeTrust,
} from '@holdfast/team'
import { aroundOf, enrol, sync } from '@holdfast/team/device'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SQLITE, type TestDatabase } from './databases.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const DENIES = `#!/bin/sh\ncat > /dev/null\necho '{"permission":"deny","user_message":"No."}'\n`

let database: TestDatabase
let server: TestServer
let home: string
let owner: ReturnType<typeof callerOf>
beforeEach(async () => {
  database = await SQLITE.create()
  home = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-kill-')))
  server = await startTestServer(database.url)
  owner = callerOf(server.url, await seatMember(server, 'owner'))
  await publishHook(server, owner, DENIES)
  const { secret } = await owner(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
  expect(await enrol(around(), { server: server.url, proof: { enrolmentKey: secret } })).toMatchObject({
    ok: true,
  })
  expect(await synced()).toMatchObject({ kind: 'updated', inForce: { killed: false } })
})
afterEach(async () => {
  await server.close()
  await database.drop()
  rmSync(home, { recursive: true, force: true })
})

const around = () => aroundOf({ home, clientVersion: '0.1.0', deviceName: 'laptop', platform: 'linux' })
const synced = () => sync(around(), server.team.id)
const kill = (on: boolean) => owner(RolloutService).setKillSwitch({ on, reason: 'they hang' })

async function fired(required: readonly 'team'[]): Promise<string> {
  const enterpriseDir = join(home, 'none')
  const hooks = await openHooks({ workspaceRoots: [], home, enterpriseDir, watch: false, required })
  try {
    const verdict = await hooks.fire('beforeShellExecution', { command: 'ls', cwd: home })
    return `${verdict.permission} ${JSON.stringify(verdict)}`
  } finally {
    hooks.close()
  }
}

async function changeKeys(change: Partial<TrustPayload>): Promise<void> {
  const { chain } = await owner(KeysService).getTrust({})
  const old = readTrust(chain.at(-1)!) as TrustPayload
  const payload = writeTrust({ ...old, version: old.version + 1, ...change })
  const { type, signatures } = signEnvelope('trust', payload, server.rootKeys[0]!)
  await owner(KeysService).submitTrust({
    trust: { type, payload, signatures: signatures.map(one => ({ ...one })) },
  })
}

it('leaves a required team missing, unless the root metadata says otherwise', async () => {
  expect(await fired(['team'])).toMatch(/^deny .*No\./)
  await kill(true)
  expect(await synced()).toMatchObject({ inForce: { killed: true } })
  expect(await fired([])).not.toMatch(/^deny/)
  expect(await fired(['team'])).toMatch(/^deny .*the kill switch of the team is on/)
  await changeKeys({ kill_satisfies_required: true })
  await synced()
  expect(await fired(['team'])).not.toMatch(/^deny/)
  await changeKeys({ kill_satisfies_required: false })
  await synced()
  expect(await fired(['team'])).toMatch(/^deny .*the kill switch of the team is on/)
  await kill(false)
  expect(await synced()).toMatchObject({ inForce: { killed: false } })
  expect(await fired(['team'])).toMatch(/^deny .*No\./)
})

it('takes no hooks away where the root metadata does not allow it, even if the database says so', async () => {
  await changeKeys({ kill_by_server: false })
  await expect(kill(true)).rejects.toThrow(/does not allow the kill switch/)
  await server.team.store.db.updateTable('team').set({ killed: 1 }).execute()
  server.team.hub.changed('releases')
  expect(await synced()).toMatchObject({ inForce: { killed: false, hooks: 1 } })
  expect(await fired(['team'])).toMatch(/^deny .*No\./)
})
