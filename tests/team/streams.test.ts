// A user with an open page receives each change at once, by cookie or by token, and no longer than access lasts.

import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AuditService, DevicesService } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { type Browser, startServer, type TestServer } from './people.js'

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  beforeEach(async () => {
    database = await create()
    server = await startServer(database)
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })

  const callerOf = (headers: Record<string, string>) =>
    createConnectTransport({
      baseUrl: server.url,
      httpVersion: '1.1',
      interceptors: [
        next => request => {
          for (const [name, value] of Object.entries(headers)) request.header.set(name, value)
          return next(request)
        },
      ],
    })
  const pageOf = (browser: Browser, more: Record<string, string> = {}) => ({
    cookie: browser.cookie,
    'sec-fetch-site': 'same-origin',
    ...more,
  })
  const watching = (headers: Record<string, string>) =>
    createClient(AuditService, callerOf(headers)).watchTeam({})[Symbol.asyncIterator]()
  type Stream = ReturnType<typeof watching>
  /** The next change of this kind; other messages do not matter. */
  const heard = async (stream: Stream, what: string) => {
    for (;;) {
      const { value, done } = await stream.next()
      if (done) throw new Error('the stream ended')
      if (value.what === what) return value
    }
  }
  const ended = async (stream: Stream): Promise<string> => {
    try {
      while (!(await stream.next()).done);
      return 'ended'
    } catch (error) {
      return String(error)
    }
  }

  it('a page is notified of changes by its cookie, without their content', async () => {
    const auditor = await server.member('auditor')
    const stream = watching(pageOf(auditor))
    expect((await stream.next()).value).toMatchObject({ what: '', epoch: 0 })
    await server.device()
    const { $typeName: _, ...said } = await heard(stream, 'devices')
    expect(said).toEqual({ what: 'devices', epoch: expect.any(Number) })
    await stream.return?.(undefined)
    await expect(watching(pageOf(auditor, { 'sec-fetch-site': 'cross-site' })).next()).rejects.toThrow(
      /does not come from a page/,
    )
    const device = await server.device()
    await expect(watching({ authorization: `Bearer ${device.token}` }).next()).rejects.toThrow(
      /device cannot/,
    )
  })

  it('ends for who is removed', async () => {
    const owner = await server.owner()
    const auditor = await server.member('auditor')
    const stream = watching(pageOf(auditor))
    await stream.next()
    const end = ended(stream)
    const { body } = await auditor.call('PeopleService/WhoAmI')
    await owner.call('PeopleService/RemoveMember', { userId: body.member.userId })
    expect(await end).toMatch(/unauthenticated/)
  })

  it('ends with the token', async () => {
    const owner = await server.owner()
    const token = await server.token(owner)
    const stream = watching({ authorization: `Bearer ${token}` })
    await stream.next()
    const end = ended(stream)
    await owner.call('PeopleService/RevokeToken', { id: token.split('_')[1] })
    expect(await end).toMatch(/was revoked/)
  })

  it('ends for who signs out', async () => {
    const auditor = await server.member('auditor')
    const stream = watching(pageOf(auditor))
    await stream.next()
    const end = ended(stream)
    await auditor.post('/sign-out', {})
    expect(await end).toMatch(/unauthenticated/)
  })

  it('goes on for the others', async () => {
    const owner = await server.owner()
    const [one, other] = [await server.member('auditor'), await server.member('auditor')]
    const stream = watching(pageOf(one))
    await stream.next()
    const { body } = await other.call('PeopleService/WhoAmI')
    await owner.call('PeopleService/RemoveMember', { userId: body.member.userId })
    await heard(stream, 'people')
    await server.device()
    expect(await heard(stream, 'devices')).toMatchObject({ what: 'devices' })
    await createClient(DevicesService, callerOf(pageOf(one))).listDevices({})
    await stream.return?.(undefined)
  })
})
