// A device that calls without end has to wait, at low cost; a well-behaved device never has to.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { DeviceService, DevicesService, RolloutService } from '@holdfast/team'
import { type Around, aroundOf, enrol, type SyncResult, sync, watchTeam } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MOST_BATCHES, MOST_CALLS } from '../../packages/server/src/access/rate-limit.js'
import { runsEverything } from '../scope.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const SCRIPT = `#!/bin/sh\ncat > /dev/null\necho '{}'\n`
const HOOKS = '/holdfast.team.v1.DeviceService/GetTeamHooks'
const ASKED = `${HOOKS}?connect=v1&encoding=json&message=%7B%7D`

const TURNS = runsEverything ? 20 : 4

let database: TestDatabase
let server: TestServer
let folder: string
let admin: ReturnType<typeof callerOf>
beforeEach(async () => {
  database = await SQLITE.create()
  server = await startTestServer(database.url)
  folder = mkdtempSync(join(tmpdir(), 'holdfast-turns-'))
  admin = callerOf(server.url, await seatMember(server, 'admin'))
})
afterEach(async () => {
  await server.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

let homes = 0
async function laptop() {
  const { secret } = await admin(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
  const home = join(folder, `home-${++homes}`)
  mkdirSync(home)
  const around = aroundOf({ home, clientVersion: '0.1.0', deviceName: `laptop ${homes}` })
  const enrolled = await enrol(around, { server: server.url, proof: { enrolmentKey: secret } })
  if (!enrolled.ok) throw new Error('not enrolled')
  return { around, token: enrolled.enrolment.token }
}
const asking = (token: string, more: Record<string, string> = {}) =>
  fetch(server.url + ASKED, { headers: { authorization: `Bearer ${token}`, ...more } })

/** The cheapest call that counts: the limit per minute must be reached also on a slow machine. */
const babble = (token: string, method: string) => () =>
  fetch(`${server.url}/holdfast.team.v1.DeviceService/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{',
  })

/** Calls until the first refusal; returns the number of accepted ones. */
async function loop(ask: () => Promise<Response>, most: number): Promise<[number, Response]> {
  // On a very busy machine a minute may end meanwhile.
  for (let count = 0; count <= 3 * most; count += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    const refused = answers.filter(({ status }) => status === 429)
    const rest = answers.filter(answer => !refused.includes(answer))
    for (const { status } of rest) expect([200, 400]).toContain(status)
    if (refused[0]) return [count + rest.length, refused[0]]
  }
  throw new Error(`${3 * most} calls, and none was refused`)
}

/** Behaves like our client: keeps its hooks, and waits as long as the server asks. */
async function staysAndWaits(around: Around) {
  await publishHook(server, admin, `${SCRIPT}# more\n`, { id: 1 })
  const refused = await sync(around, server.team.id)
  expect(refused).toMatchObject({
    kind: 'failed',
    problem: { code: 'server', message: expect.stringContaining('Try again in') },
    inForce: { release: 1 },
  })
  expect(refused.waitMs).toBeGreaterThan(0)
  expect(refused.waitMs).toBeLessThanOrEqual(60_000)
  const asked: number[] = []
  const sleeps: number[] = []
  const patient = {
    ...around,
    random: () => 0,
    sleep: (ms: number, signal?: AbortSignal) => {
      sleeps.push(ms)
      return around.sleep(ms, signal)
    },
  }
  const watching = watchTeam(patient, server.team.id, {
    atOnce: true,
    onSync: () => asked.push(Date.now()),
  })
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(1)
  // Regardless of the events it receives meanwhile.
  server.team.hub.changed('releases')
  await expect.poll(() => sleeps.some(ms => ms > 1000 && ms <= 60_000), { timeout: 20_000 }).toBe(true)
  await new Promise(resolve => setTimeout(resolve, 300))
  await watching.stop()
  expect(asked).toHaveLength(1)
}

describe('a device that fetches without end', () => {
  it('gets a retry time in every wire format, before its body is read, and no other device does', async () => {
    await publishHook(server, admin, SCRIPT)
    const [rogue, honest] = [await laptop(), await laptop()]
    expect(await sync(rogue.around, server.team.id)).toMatchObject({ kind: 'updated' })
    const etag = (await asking(rogue.token)).headers.get('etag')!
    const [count, refused] = await loop(babble(rogue.token, 'GetTeamHooks'), MOST_CALLS)
    // Three calls came before: a sync fetches and reports.
    expect(count).toBeGreaterThanOrEqual(MOST_CALLS - 3)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(await refused.json()).toEqual({
      code: 'resource_exhausted',
      message: expect.stringMatching(
        /^This device has called 240 times within a minute. Try again in \d+ s\.$/,
      ),
    })
    // Other calls, binary ones, and the streams of older clients.
    const again = callerOf(server.url, rogue.token)(DeviceService)
    const streamed = async () => {
      for await (const _ of again.watch({})) return 'heard'
      return 'ended'
    }
    for (const call of [() => again.report({}), () => again.getTeamHooks({}), streamed]) {
      const error = ConnectError.from(await call().catch(error => error))
      expect(error.code).toBe(Code.ResourceExhausted)
      expect(Number(error.metadata.get('retry-after'))).toBeGreaterThan(0)
    }
    // A body is announced, and never arrives.
    const answered = await new Promise<number>((resolve, reject) => {
      const call = request(server.url + HOOKS, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${rogue.token}`,
          'content-type': 'application/proto',
          'content-length': 3_000_000,
        },
      })
      call.on('response', response => {
        resolve(response.statusCode!)
        call.destroy()
      })
      call.on('error', reject)
      call.flushHeaders()
    })
    expect(answered).toBe(429)
    // Cheap calls do not count: nothing is new.
    expect((await asking(rogue.token, { 'if-none-match': etag })).status).toBe(304)
    // Its records are counted separately, and all other devices are served.
    expect(await again.sendRecords({ segment: 's', from: 0, to: 0 })).toMatchObject({ ackedTo: 0 })
    expect((await asking(honest.token)).status).toBe(200)
    // The server logs it once for its administrator.
    await server.people.flush()
    const rows = await server.team.store.db.selectFrom('refused_calls').selectAll().execute()
    expect(rows.map(({ what, detail }) => [what, detail])).toEqual([
      ['DeviceService/GetTeamHooks', expect.stringContaining('240 times')],
    ])
    await staysAndWaits(rogue.around)
  })

  it('sends batches no more often than anybody has reason to', async () => {
    const { token } = await laptop()
    const [count, refused] = await loop(babble(token, 'SendRecords'), MOST_BATCHES)
    expect(count).toBeGreaterThanOrEqual(MOST_BATCHES)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('a device that behaves is never refused', () => {
  it('while one release after another is halted and resumed, and its polls come and go', async () => {
    const { hookId } = await publishHook(server, admin, SCRIPT)
    const { number } = await publishHook(server, admin, `${SCRIPT}# more\n`, { id: hookId })
    const { around } = await laptop()
    const results: SyncResult[] = []
    const options = { atOnce: true, onSync: (result: SyncResult) => results.push(result) }
    const eager = { ...around, random: () => 0 }
    // As in practice: several windows of one machine are open.
    const all = [1, 2, 3].map(() => watchTeam(eager, server.team.id, options))
    const has = async (release: number) =>
      expect
        .poll(async () => (await admin(DevicesService).listDevices({})).devices[0]!.release, {
          timeout: 30_000,
          interval: 10,
        })
        .toBe(release)
    await has(number)
    for (let turn = 0; turn < TURNS; turn++) {
      await admin(RolloutService).halt({ number, reason: 'a storm' })
      await has(number - 1)
      await admin(RolloutService).resume({ number })
      await has(number)
      if (turn % 5 > 0) continue
      await all.shift()!.stop()
      all.push(watchTeam(eager, server.team.id, options))
    }
    for (const one of all) await one.stop()
    expect(results.length).toBeGreaterThan(2 * TURNS)
    expect(results.filter(({ kind }) => kind === 'failed')).toEqual([])
  })
})
