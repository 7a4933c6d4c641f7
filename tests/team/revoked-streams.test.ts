// Whoever may no longer listen stops hearing: at once on this server, and within seconds on the others of its database.

import { connect } from 'node:net'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AuditService, DeviceService, DevicesService } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstOf } from '../scope.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { newDeviceId, startServer as startPeople } from './people.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

/** Far from half an hour, and from the beat of the heart. */
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
  /** A stream that was heard of once; when it is over, its promise says so. With a deadline Connect itself carries it. */
  const listen = async (url: string, token: string, timeoutMs?: number) => {
    const leaving = new AbortController()
    const options = { signal: leaving.signal, ...(timeoutMs ? { timeoutMs } : {}) }
    const stream = callerOf(url, token)(DeviceService).watch({}, options)[Symbol.asyncIterator]()
    await stream.next()
    const over = (async () => {
      while (!(await stream.next()).done);
      return 'over' as const
    })().catch(error => String(error))
    return { over, leave: () => leaving.abort() }
  }

  const WAYS = [
    ['as every device asks', undefined],
    ['through Connect', 60_000],
  ] as const
  it.each(firstOf(WAYS))(
    'a revoked device receives nothing more, and the others do (%s)',
    async (_, timeoutMs) => {
      const { secret } = await newKey()
      const [gone, stays] = [await enrol(secret), await enrol(secret)]
      const streams = await Promise.all(
        [server, other].flatMap(({ url }) => [gone, stays].map(({ token }) => listen(url, token, timeoutMs))),
      )
      await admin(DevicesService).revokeDevice({ id: gone.id, reason: 'stolen' })
      const ended = await Promise.all(streams.map(({ over }) => within(over)))
      expect(ended).toEqual(['over', 'still open', 'over', 'still open'])
      for (const { leave } of streams) leave()
    },
  )

  it('nor does one that leaves, that is enrolled anew, or whose key is revoked with all its devices', async () => {
    const [first, second] = [await newKey(), await newKey()]
    const devices = [await enrol(first.secret), await enrol(first.secret), await enrol(second.secret)]
    const streams = await Promise.all(devices.map(({ token }) => listen(other.url, token)))
    await callerOf(server.url, devices[0]!.token)(DeviceService).leave({})
    await enrol(first.secret, devices[1]!.id)
    await admin(DevicesService).revokeEnrolmentKey({ id: second.key!.id, withDevices: true })
    expect(await Promise.all(streams.map(({ over }) => within(over)))).toEqual(['over', 'over', 'over'])
  })

  it('nor one that was revoked while it still asked', async () => {
    const { id, token } = await enrol((await newKey()).secret)
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1')
    const over = new Promise<string>(resolve => {
      let heard = ''
      socket.on('data', bytes => {
        heard += bytes
        if (heard.includes('\r\n0\r\n')) resolve('over')
      })
      socket.on('close', () => resolve('over'))
    })
    socket.write(
      `POST /holdfast.team.v1.DeviceService/Watch HTTP/1.1\r\nhost: x\r\ncontent-type: application/connect+json\r\nauthorization: Bearer ${token}\r\ncontent-length: 7\r\n\r\n\0\0\0\0`,
    )
    await new Promise(resolve => setTimeout(resolve, 200))
    await admin(DevicesService).revokeDevice({ id, reason: 'stolen' })
    await new Promise(resolve => setTimeout(resolve, 200))
    socket.write(Buffer.from([2, 0x7b, 0x7d]))
    expect(await within(over)).toBe('over')
    socket.destroy()
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
