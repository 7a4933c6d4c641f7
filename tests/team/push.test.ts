// Changes reach the devices that wait for them, also through another server on the same database, and polls without a
// change cost no query.

import { DeviceService, DevicesService, HooksService, RolloutService } from '@holdfast/team'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { newDeviceId } from './people.js'
import { poll as waiting, waitingPolls } from './polls.js'
import { callerOf, passDraft, seatMember, startTestServer, type TestServer } from './server.js'

describe.each(DATABASES)('$kind', ({ kind, create }) => {
  // Each database notifies in its own way; responses to polls are the same.
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let server: TestServer
  let admin = ''
  beforeAll(async () => {
    database = await create()
    server = await startTestServer(database.url)
    admin = await seatMember(server, 'admin')
  })
  afterAll(async () => {
    await server.close()
    await database.drop()
  })

  let published = 0
  const publish = async (url: string) => {
    const name = `hook-${++published}`
    const call = callerOf(url, admin)
    const draft = {
      hookStep: 'stop',
      scriptName: `${name}.sh`,
      scriptContent: '#!/bin/sh\necho "{}"\n',
      isActive: true,
    }
    const { hook } = await call(HooksService).saveDraft({ name, draft })
    await passDraft(server.team, hook!.id)
    const drafts = [{ hookId: hook!.id, draftVersion: hook!.draftVersion }]
    await call(RolloutService).publish({ drafts, note: name, skipRings: true })
  }
  const token = async (id = newDeviceId()) => {
    const { secret } = await callerOf(
      server.url,
      admin,
    )(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
    const facts = { name: 'laptop', operatingSystem: 'Linux' }
    const proof = { case: 'enrolmentKey', value: secret } as const
    return (await callerOf(server.url, null)(DeviceService).enrol({ proof, deviceId: id, facts })).token
  }
  const PATH = '/holdfast.team.v1.DeviceService/GetTeamHooks?connect=v1&encoding=json&message=%7B%7D'
  const poll = (url: string, bearer: string, etag?: string) =>
    fetch(url + PATH, {
      headers: { authorization: `Bearer ${bearer}`, ...(etag ? { 'if-none-match': etag } : {}) },
    })

  it('a poll is answered with 304 until something changes for this device', async () => {
    const bearer = await token()
    const first = await poll(server.url, bearer)
    const etag = first.headers.get('etag')!
    expect(first.status).toBe(200)
    expect((await poll(server.url, bearer, etag)).status).toBe(304)
    await publish(server.url)
    const second = await poll(server.url, bearer, etag)
    expect(second.status).toBe(200)
    const { release } = (await second.json()) as { release: { payload: string } }
    const { hooks } = JSON.parse(Buffer.from(release.payload, 'base64').toString())
    expect(hooks).toHaveLength(published)
    expect((await poll(server.url, bearer, second.headers.get('etag')!)).status).toBe(304)
    expect(
      (await poll(server.url, `${bearer.slice(0, -1)}${bearer.endsWith('0') ? '1' : '0'}`, etag)).status,
    ).toBe(401)
    expect((await poll(server.url, 'nonsense', etag)).status).toBe(401)
  })

  usualIt('a poll matches its tag as proxies pass it on: weak, or in a list', async () => {
    const bearer = await token()
    const etag = (await poll(server.url, bearer)).headers.get('etag')!
    const inside = etag.slice(1, -1)
    for (const same of [`W/${etag}`, `"a", ${etag}`, `"a",W/${etag} , "b"`, `"a,b", ${etag}`, '*', ' * ']) {
      const answer = await poll(server.url, bearer, same)
      expect([same, answer.status, answer.headers.get('etag')]).toEqual([same, 304, etag])
    }
    const garbage = [
      inside,
      `w/${etag}`,
      `"${inside}x"`,
      `"x${inside}"`,
      `"a${etag}`,
      '"',
      'W/',
      ',,,',
      '"*"',
    ]
    for (const other of [...garbage, `${etag}x`, '"a", '.repeat(2000)]) {
      expect([other, (await poll(server.url, bearer, other)).status]).toEqual([other, 200])
    }
  })

  usualIt('a revoked token is rejected immediately, also on a poll', async () => {
    const id = newDeviceId()
    const bearer = await token(id)
    const etag = (await poll(server.url, bearer)).headers.get('etag')!
    expect((await poll(server.url, bearer, etag)).status).toBe(304)
    await callerOf(server.url, admin)(DevicesService).revokeDevice({ id, reason: 'stolen' })
    expect((await poll(server.url, bearer, etag)).status).toBe(401)
  })

  it('a poll that waits is answered with a change, and ends with the server', async () => {
    const bearer = await token()
    const etag = (await poll(server.url, bearer)).headers.get('etag')!
    const next = waiting(server.url, bearer, etag)
    await expect.poll(() => waitingPolls(server.url), { timeout: 30_000 }).toBe(1)
    await publish(server.url)
    expect((await next).status).toBe(200)
    const end = waiting(server.url, bearer, (await next).headers.get('etag')!)
    await expect.poll(() => waitingPolls(server.url), { timeout: 30_000 }).toBe(1)
    await server.close()
    expect((await end).status).toBe(503)
    server = await startTestServer(database.url)
  })

  usualIt('a token that is renewed evicts no other token', async () => {
    const id = newDeviceId()
    const [old, other] = [await token(id), await token()]
    const etag = (await poll(server.url, other)).headers.get('etag')!
    const waits = waiting(server.url, other, etag)
    await expect.poll(() => waitingPolls(server.url), { timeout: 30_000 }).toBe(1)
    const { token: renewed } = await callerOf(server.url, old)(DeviceService).renewToken({})
    expect((await poll(server.url, renewed)).status).toBe(200)
    expect((await poll(server.url, old, etag)).status).toBe(401)
    // Synchronous: from the cache.
    expect(server.people.identifyDevice(`Bearer ${other}`)).toMatchObject({ kind: 'device' })
    expect(await waitingPolls(server.url)).toBe(1)
    await publish(server.url)
    expect((await waits).status).toBe(200)
  })

  if (kind === 'sqlite') return

  it('what one server published answers the polls that wait at another', async () => {
    const other = await startTestServer(database.url)
    try {
      const bearer = await token()
      const etag = (await poll(other.url, bearer)).headers.get('etag')!
      expect((await poll(other.url, bearer, etag)).status).toBe(304)
      const next = waiting(other.url, bearer, etag)
      await expect.poll(() => waitingPolls(other.url), { timeout: 30_000 }).toBe(1)
      await publish(server.url)
      expect((await next).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  it('a listener that lost its connection receives what it missed', async () => {
    const bearer = await token()
    const etag = (await poll(server.url, bearer)).headers.get('etag')!
    const other = await startTestServer(database.url)
    try {
      expect((await poll(other.url, bearer, etag)).status).toBe(304)
      const client = new pg.Client({ connectionString: inject('postgres') })
      await client.connect()
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast listen' and datname = $1",
        [new URL(database.url).pathname.slice(1)],
      )
      await client.end()
      await publish(server.url)
      await expect
        .poll(async () => (await poll(other.url, bearer, etag)).status, { timeout: 10_000 })
        .toBe(200)
    } finally {
      await other.close()
    }
  })

  it('polls that find nothing new ask the database nothing', async () => {
    const bearer = await token()
    const etag = (await poll(server.url, bearer)).headers.get('etag')!
    await poll(server.url, bearer, etag)
    const asked = vi.spyOn(pg.Client.prototype, 'query')
    try {
      await poll(server.url, bearer)
      expect(asked).toHaveBeenCalled()
      asked.mockClear()
      for (let count = 0; count < 300; count++)
        expect((await poll(server.url, bearer, etag)).status).toBe(304)
      // The maintenance jobs of the server send queries now and then.
      expect(asked.mock.calls.length).toBeLessThan(60)
    } finally {
      asked.mockRestore()
    }
  })
})
