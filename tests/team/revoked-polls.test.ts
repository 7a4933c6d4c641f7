// Revocation ends waiting polls and open pages: at once on this server, and within seconds on the others of its
// database.

import { connect } from 'node:net'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AuditService, DeviceService, DevicesService } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTokens } from '../../packages/server/src/access/tokens.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { newDeviceId, startServer as startPeople } from './people.js'
import { poll, waitingPath, waitingPolls } from './polls.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

/** Far from half an hour, and from the interval of the heartbeat. */
const SOON_MS = 4000

const within = <T>(work: Promise<T>): Promise<T | 'still open'> =>
  Promise.race([
    work,
    new Promise<'still open'>(resolve => setTimeout(resolve, SOON_MS, 'still open').unref()),
  ])

describe.each(ANY_DATABASE)('$kind', ({ kind, create }) => {
  let database: TestDatabase
  let server: TestServer
  let other: TestServer
  let admin: ReturnType<typeof callerOf>
  beforeEach(async () => {
    database = await create()
    server = await startTestServer(database.url)
    other = kind === 'postgres' ? await startTestServer(database.url) : server
    admin = callerOf(server.url, await seatMember(server, 'admin'))
  })
  afterEach(async () => {
    if (other !== server) await other.close()
    await server.close()
    await database.drop()
  })

  const newKey = async () => admin(DevicesService).createEnrolmentKey({ maxUses: 9, hours: 1 })
  const enrol = async (key: string, deviceId = newDeviceId()) => {
    const facts = { name: 'laptop', operatingSystem: 'Linux' }
    const proof = { case: 'enrolmentKey', value: key } as const
    const { token } = await callerOf(server.url, null)(DeviceService).enrol({ proof, deviceId, facts })
    return { id: deviceId, token }
  }
  /** A poll that waits: resolves with the status that ends it. */
  const listen = async (url: string, token: string) => {
    const etag = (await poll(url, token)).headers.get('etag')!
    const before = await waitingPolls(url)
    const leaving = new AbortController()
    const over = poll(url, token, etag, leaving.signal).then(
      ({ status }) => status,
      () => 0,
    )
    await expect.poll(() => waitingPolls(url), { timeout: 10_000 }).toBe(before + 1)
    return { over, leave: () => leaving.abort() }
  }

  it('a revoked device gets nothing more, and the polls of the others wait', async () => {
    const { secret } = await newKey()
    const [gone, stays] = [await enrol(secret), await enrol(secret)]
    const polls = []
    for (const { url } of [server, other])
      for (const { token } of [gone, stays]) polls.push(await listen(url, token))
    await admin(DevicesService).revokeDevice({ id: gone.id, reason: 'stolen' })
    const ended = await Promise.all(polls.map(({ over }) => within(over)))
    expect(ended).toEqual([401, 'still open', 401, 'still open'])
    for (const { leave } of polls) leave()
  })

  it('nor does one that leaves, that enrols again, or whose key is revoked with all its devices', async () => {
    const [first, second] = [await newKey(), await newKey()]
    const devices = [await enrol(first.secret), await enrol(first.secret), await enrol(second.secret)]
    const polls = []
    for (const { token } of devices) polls.push(await listen(other.url, token))
    await callerOf(server.url, devices[0]!.token)(DeviceService).leave({})
    await enrol(first.secret, devices[1]!.id)
    await admin(DevicesService).revokeEnrolmentKey({ id: second.key!.id, withDevices: true })
    expect(await Promise.all(polls.map(({ over }) => within(over)))).toEqual([401, 401, 401])
  })

  it('nor one that was revoked while it still asked', async () => {
    const { id, token } = await enrol((await newKey()).secret)
    const etag = (await poll(other.url, token)).headers.get('etag')!
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1')
    const over = new Promise<string>(resolve => {
      let received = ''
      socket.on('data', bytes => {
        received += bytes
        if (received.includes('\r\n')) resolve(received.split('\r\n')[0]!)
      })
      socket.on('close', () => resolve('closed'))
    })
    const lines = [`GET ${waitingPath()} HTTP/1.1`, 'host: x', `authorization: Bearer ${token}`]
    socket.write(`${lines.join('\r\n')}\r\nif-none-match: ${etag}\r\n`)
    await admin(DevicesService).revokeDevice({ id, reason: 'stolen' })
    socket.write('\r\n')
    expect(await within(over)).toContain('401')
    socket.destroy()
  })

  it('nor one whose token ends by the clock alone', async () => {
    const own = await create()
    const people = await startPeople(own)
    try {
      const device = await people.device()
      const etag = (await poll(people.url, device.token)).headers.get('etag')!
      const over = poll(people.url, device.token, etag, undefined, 1)
      await expect.poll(() => waitingPolls(people.url), { timeout: 10_000 }).toBe(1)
      people.ahead += 91 * 86_400_000
      expect((await over).status).toBe(401)
    } finally {
      await people.close()
      await own.drop()
    }
  })

  it('nor one that was revoked without a notification', async () => {
    const { id, token } = await enrol((await newKey()).secret)
    const { db } = server.team.store
    const noted = { device() {}, member() {}, token() {}, flush: async () => {} }
    const tokens = openTokens(server.team, noted, 50)
    try {
      expect(await tokens.device(`Bearer ${token}`, '')).toMatchObject({ deviceId: id })
      // From the cache from now on.
      expect(tokens.device(`Bearer ${token}`, '')).toMatchObject({ deviceId: id })
      const told = new Promise<string>(resolve => tokens.onChange(resolve))
      await db.updateTable('devices').set({ revoked_at: 1 }).where('id', '=', id).execute()
      expect(await told).toBe(id)
      expect(tokens.device(`Bearer ${token}`, '')).toBeUndefined()
    } finally {
      tokens.close()
    }
  })

  it('who changes the password ends the pages of every other session at once', async () => {
    const own = await create()
    const people = await startPeople(own)
    try {
      await people.owner()
      const thief = people.browser()
      await thief.signIn('olga@example.com')
      const transport = createConnectTransport({
        baseUrl: people.url,
        httpVersion: '1.1',
        interceptors: [
          next => request => {
            request.header.set('cookie', thief.cookie)
            request.header.set('sec-fetch-site', 'same-origin')
            return next(request)
          },
        ],
      })
      const stream = createClient(AuditService, transport).watchTeam({})[Symbol.asyncIterator]()
      await stream.next()
      const over = (async () => {
        while (!(await stream.next()).done);
      })().catch(String)
      const owner = await people.owner()
      const changed = await owner.post('/password', {
        current: 'correct horse battery',
        password: people.secret('another horse entirely'),
      })
      expect(changed.location).toContain('changed')
      expect(await within(over)).toMatch(/unauthenticated/)
    } finally {
      await people.close()
      await own.drop()
    }
  })
})
