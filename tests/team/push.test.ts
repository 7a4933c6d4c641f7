// Changes reach whoever waits for them: over two processes' worth of servers on one database, over streams, and by polls
// that cost no query.

import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { DeviceService, DevicesService, HooksService, PeopleService, RolloutService } from '@holdfast/team'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { newDeviceId } from './people.js'
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

  it('a stream says that something changed, and ends with the server', async () => {
    const bearer = await token()
    const stream = callerOf(server.url, bearer)(DeviceService).watch({})[Symbol.asyncIterator]()
    const { value: first } = await stream.next()
    const next = stream.next()
    await publish(server.url)
    expect((await next).value.epoch).toBeGreaterThan(first.epoch)
    const end = stream.next().then(
      ({ done }) => (done ? 'ended' : 'went on'),
      () => 'ended',
    )
    await server.close()
    expect(await end).toBe('ended')
    server = await startTestServer(database.url)
  })

  usualIt('gRPC clients are served on the same port', async () => {
    const transport = createGrpcTransport({
      baseUrl: server.url,
      interceptors: [
        next => request => {
          request.header.set('authorization', `Bearer ${admin}`)
          return next(request)
        },
      ],
    })
    expect(await createClient(PeopleService, transport).whoAmI({})).toMatchObject({
      member: { role: 'admin' },
    })
  })

  if (kind === 'sqlite') return

  it('what one server published another hands out, and its streams say so', async () => {
    const other = await startTestServer(database.url)
    try {
      const bearer = await token()
      const etag = (await poll(other.url, bearer)).headers.get('etag')!
      expect((await poll(other.url, bearer, etag)).status).toBe(304)
      const stream = callerOf(other.url, bearer)(DeviceService).watch({})[Symbol.asyncIterator]()
      await stream.next()
      const next = stream.next()
      await publish(server.url)
      await next
      expect((await poll(other.url, bearer, etag)).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  it('a listener that is cut off hears what it missed', async () => {
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
      // The maintenance jobs of the server ask now and then.
      expect(asked.mock.calls.length).toBeLessThan(60)
    } finally {
      asked.mockRestore()
    }
  })
})
