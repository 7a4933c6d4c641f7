// Invalid requests, and the responses to them.

import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../packages/server/src/store/expired.js'
import { DATABASES, POSTGRES, SQLITE, type TestDatabase, usualItOn } from './databases.js'
import { atFullMinute, type Browser, newAddress, startServer, type TestServer } from './people.js'

const DAY_MS = 86_400_000

describe('garbage', () => {
  let database: TestDatabase
  let server: TestServer
  let owner: Browser
  beforeAll(async () => {
    database = await SQLITE.create()
    server = await startServer(database)
    owner = await server.owner()
  })
  afterAll(async () => {
    expect(server.logged.filter(line => line.includes('"level":"error"'))).toEqual([])
    await server.close()
    await database.drop()
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Basic b2xnYTpvbGdh',
    'Bearer hfd_0000000000000000_',
    `Bearer hfd_${'0'.repeat(16)}_${'0'.repeat(64)}`,
    `Bearer hfp_${'0'.repeat(16)}_${'0'.repeat(64)}`,
    `Bearer hfp_${'0'.repeat(16)}_${'0'.repeat(64)}_${'0'.repeat(64)}`,
    `Bearer HFP_${'0'.repeat(16)}_${'0'.repeat(64)}`,
    `Bearer hfi_${'0'.repeat(16)}_${'0'.repeat(64)}`,
    `Bearer ${'x'.repeat(7000)}`,
    'Bearer \u00e4\u00f6',
    "Bearer ' or 1=1 --",
  ])('the Authorization header %j is nobody’s', async authorization => {
    const answer = await server.call(
      'PeopleService/WhoAmI',
      {},
      { authorization, 'x-forwarded-for': newAddress() },
    )
    expect(answer).toMatchObject({
      status: 401,
      code: 'unauthenticated',
      message: expect.stringMatching(/\.$/),
    })
    // And not the cookie that comes along.
    const both = { authorization, cookie: owner.cookie, origin: server.url, 'x-forwarded-for': newAddress() }
    expect((await server.call('PeopleService/WhoAmI', {}, both)).code).toBe('unauthenticated')
  })

  it.each([
    'holdfast.session_token',
    'holdfast.session_token=',
    'holdfast.session_token=%',
    'holdfast.session_token=%E0%A4%A; x',
    `holdfast.session_token=${'x'.repeat(8000)}`,
    'holdfast.session_token=a.b; holdfast.session_token=c.d',
    '=; ;;; = ;',
    '__proto__=x; constructor=y; holdfast.session_token=__proto__',
  ])('the cookie %j is nobody’s', async cookie => {
    const answer = await server.call('PeopleService/WhoAmI', {}, { cookie, origin: server.url })
    expect(answer).toMatchObject({ code: 'unauthenticated' })
    const page = await fetch(`${server.url}/`, { headers: { cookie }, redirect: 'manual' })
    expect(page.headers.get('location')).toBe('/sign-in')
  })

  it.each([
    ['JSON in place of a form', 'application/json', '{}'],
    ['no type', '', 'email=x'],
    ['a file', 'multipart/form-data; boundary=x', '--x--'],
  ])('%s is refused', async (_, type, body) => {
    const response = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      headers: { origin: server.url, 'content-type': type },
      body,
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Expected a form')
  })

  it.each([
    '',
    '&&&==&',
    'email=%&password=%zz',
    'email=%00@x.org&password=%00',
    'email=a@b.c&email=d@e.f&password=x',
    `email=${'a'.repeat(10_000)}@x.org&password=y`,
    `email=a@b.c&password=${'p'.repeat(10_000)}`,
    'email=%ED%A0%80@x.org&password=x',
    'email=a@b.c',
  ])('the form %j is answered in words', async body => {
    const response = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      headers: {
        origin: server.url,
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': newAddress(),
      },
      body,
    })
    expect([400, 401]).toContain(response.status)
    expect(await response.text()).toContain('role="alert"')
  })

  it('a form that does not end is not read to the end', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    let said = ''
    socket.on('data', data => {
      said += data
    })
    const closed = new Promise(resolve => socket.on('close', resolve))
    socket.on('error', () => {})
    socket.write(
      `POST /sign-in HTTP/1.1\r\nhost: x\r\norigin: ${server.url}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 999999999\r\n\r\n`,
    )
    const feed = setInterval(() => socket.write('x'.repeat(4096)), 1)
    await closed
    clearInterval(feed)
    expect(said).toMatch(/^HTTP\/1\.1 413 /)
    expect(said).toContain('More than 16384 bytes were sent')
  })

  it.each([
    ['GET', '/join/'],
    ['GET', '/join/..%2f..%2fetc'],
    ['GET', `/join/${'x'.repeat(5000)}`],
    ['GET', '/join/hfi_%00'],
    ['POST', '/join/x'],
    ['PUT', '/sign-in'],
    ['DELETE', '/'],
    ['POST', '/style.css'],
    ['GET', '/sign-out'],
    ['GET', '/device/approve'],
    ['GET', '/device/code'],
    ['OPTIONS', '/sign-in'],
    ['GET', '/sign-in/../../x'],
    ['GET', '/constructor'],
    ['GET', '/__proto__'],
  ])('%s %s', async (method, path) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        origin: server.url,
        cookie: owner.cookie,
        'content-type': 'application/x-www-form-urlencoded',
      },
      redirect: 'manual',
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
  })

  it.each([
    'GET //evil.example HTTP/1.1',
    'GET http://evil.example/sign-in HTTP/1.1',
    'GET * HTTP/1.1',
    'GET ? HTTP/1.1',
  ])('the line %j ends nothing', async line => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.end(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`)
    let said = ''
    for await (const part of socket) said += part
    expect(said).toMatch(/^HTTP\/1\.1 [34]\d\d /)
    expect((await owner.call('PeopleService/WhoAmI')).status).toBe(200)
  })

  it.each([
    ['no JSON', 'application/json', '{'],
    ['a list', 'application/json', '[]'],
    ['a field that does not exist', 'application/json', '{"secret":1}'],
    ['a number in place of a text', 'application/json', '{"email":5}'],
    ['broken protobuf', 'application/proto', Buffer.from([0xff, 0xff, 0xff])],
    ['no UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ])('a call with %s is refused, and nothing happens', async (_, type, body) => {
    const response = await fetch(`${server.url}/holdfast.team.v1.PeopleService/InviteMember`, {
      method: 'POST',
      headers: { 'content-type': type, cookie: owner.cookie, origin: server.url },
      body,
    })
    const said = (await response.json()) as { code: string; message: string }
    // What the library reports as its own failure is a fault of the sender.
    expect(said.code).toBe(type === 'application/proto' ? 'internal' : 'invalid_argument')
    expect(said.message).toMatch(/\w{3}/)
    expect(
      await server.store.db.selectFrom('invites').select('id').where('email', '<>', '').execute(),
    ).toEqual([])
  })

  it('a call that is too large is refused', async () => {
    const answer = await owner.call('PeopleService/InviteMember', { email: 'x'.repeat(5 * 1024 * 1024) })
    expect(answer.status).toBe(429)
    expect(answer.code).toBe('resource_exhausted')
  })

  it('who shows many unknown tokens is no longer looked up; who is known goes on', async () => {
    atFullMinute(server)
    const headers = { 'x-forwarded-for': newAddress() }
    const device = await server.device()
    const known = { ...headers, authorization: `Bearer ${device.token}` }
    expect((await server.call('DeviceService/RenewToken', {}, known)).status).toBe(200)
    const fake = () =>
      `Bearer hfd_${Math.random().toString(16).slice(2).padEnd(16, '0').slice(0, 16)}_${'0'.repeat(64)}`
    const said = new Set<string>()
    for (let i = 0; i < 65; i++) {
      said.add(
        (await server.call('DeviceService/RenewToken', {}, { ...headers, authorization: fake() })).message,
      )
    }
    expect([...said]).toEqual([
      'This server does not know the token. Sign in again, or create a new one.',
      'Too many unknown tokens came from your address. Try again in a minute.',
    ])
    expect((await server.call('DeviceService/RenewToken', {}, known)).status).toBe(200)
    // Also after its cache was cleared, as whenever any token changes: one unauthenticated caller must not lock out
    // everybody at its address.
    server.team.hub.changed('tokens')
    expect((await server.call('DeviceService/RenewToken', {}, known)).status).toBe(200)
    expect(
      (await server.call('DeviceService/RenewToken', {}, { ...known, 'x-forwarded-for': newAddress() }))
        .status,
    ).toBe(200)
    for (const { body } of [await server.call('DeviceService/RenewToken', {}, known)])
      server.secret(body.token)
  })

  it('polls with unknown tokens count against the address that they come from, and no other', async () => {
    atFullMinute(server)
    const { token } = await server.device()
    const url = `${server.url}/holdfast.team.v1.DeviceService/GetTeamHooks?encoding=json&message=%7B%7D&connect=v1`
    const poll = async (bearer: string, address: string) => {
      const headers = { authorization: `Bearer ${bearer}`, 'x-forwarded-for': address, 'if-none-match': '*' }
      const response = await fetch(url, { headers })
      await response.body?.cancel()
      return response.status
    }
    const here = newAddress()
    const guess = (index: number) => `hfd_${index.toString(16).padStart(16, '0')}_${'0'.repeat(64)}`
    const guesses = await Promise.all(Array.from({ length: 61 }, (_, index) => poll(guess(index), here)))
    expect(new Set(guesses)).toEqual(new Set([401]))
    expect([await poll(token, here), await poll(token, newAddress())]).toEqual([401, 304])
  })

  it('only the last address of a forwarded list counts', async () => {
    const headers = { 'x-forwarded-for': `1.1.1.1, evil, ${newAddress()}` }
    server.ahead += 61_000
    await server.call('RolloutService/Publish', {}, headers)
    await server.people.flush()
    const row = await server.store.db
      .selectFrom('refused_calls')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      what: 'RolloutService/Publish',
      who: headers['x-forwarded-for'].split(', ')[2],
    })
  })
})

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let server: TestServer
  beforeEach(async () => {
    database = await create()
    server = await startServer(database)
    return async () => {
      await server.close()
      await database.drop()
    }
  })
  const refusedRows = async () => {
    const { count } = await server.store.db
      .selectFrom('refused_calls')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  usualIt('stores at most a hundred refused calls a minute', async () => {
    atFullMinute(server)
    await Promise.all(Array.from({ length: 150 }, () => server.call('PeopleService/WhoAmI')))
    await server.people.flush()
    expect(await refusedRows()).toBe(100)
    server.ahead += 61_000
    await server.call('PeopleService/WhoAmI')
    await server.people.flush()
    expect(await refusedRows()).toBe(101)
    expect(server.logged.join()).toContain('"dropped":50')
  })

  it('what is over is swept away, and the rest stays', async () => {
    const owner = await server.owner()
    const token = await server.token(owner)
    const { db } = server.store
    const old = { what: 'x', who: 'y', detail: '' }
    await db
      .insertInto('refused_calls')
      .values({ ...old, at: Date.now() - 91 * DAY_MS })
      .execute()
    for (let i = 0; i < 11; i++) {
      const rows = Array.from({ length: 1000 }, () => ({ ...old, at: Date.now() }))
      await db.insertInto('refused_calls').values(rows).execute()
    }
    await db.insertInto('limits').values({ key: 'old', points: 1, expire: 5 }).execute()
    const past = (kind === 'sqlite' ? new Date(5).toISOString() : new Date(5)) as Date
    const other = server.browser()
    await other.signIn('olga@example.com')
    const [first] = await db.selectFrom('session').select('id').execute()
    await db.updateTable('session').set({ expiresAt: past }).where('id', '=', first!.id).execute()
    await deleteExpired(server.team.store, server.team.now())
    expect(await refusedRows()).toBe(10_000)
    expect(await db.selectFrom('limits').select('key').where('key', '=', 'old').execute()).toEqual([])
    expect(await db.selectFrom('session').select('id').execute()).toHaveLength(1)
    expect((await server.call('PeopleService/WhoAmI', {}, { authorization: `Bearer ${token}` })).status).toBe(
      200,
    )
  })

  usualIt('reports an internal error by number only, without details', async () => {
    const path = new URL(server.secret(server.ownerLink)).pathname
    await server.store.db.schema.alterTable('invites').renameTo('lost').execute()
    const seen = await server.browser().get(path)
    expect(seen.status).toBe(500)
    const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(seen.text)!
    expect(seen.text).not.toMatch(/invites|select|sql/i)
    expect(server.logged.find(line => line.includes(id!))).toContain('/join/…')
  })
})

it('two servers on one database: what one takes back, the other no longer takes', async () => {
  const database = await POSTGRES.create()
  const one = await startServer(database)
  const other = await startServer(database)
  try {
    const owner = await one.owner()
    const device = await one.device()
    const header = `Bearer ${device.token}`
    expect(await other.people.identifyDevice(header)).toMatchObject({ deviceId: device.id })
    expect(other.people.identifyDevice(header)).toMatchObject({ deviceId: device.id })
    await owner.call('DevicesService/RevokeDevice', { id: device.id })
    await expect.poll(() => other.people.identifyDevice(header), { timeout: 5_000 }).toBe(undefined)

    // The same cookie is valid for both, and wrong guesses at one count for the other.
    expect(
      (await other.call('PeopleService/WhoAmI', {}, { cookie: owner.cookie, origin: other.url })).status,
    ).toBe(200)
    const guess = (server: TestServer) => server.browser().signIn('olga@example.com', 'a guess at random')
    for (let i = 0; i < 5; i++) await Promise.all([guess(one), guess(other)])
    expect((await other.browser().signIn('olga@example.com')).status).toBe(429)
  } finally {
    await one.close()
    await other.close()
    await database.drop()
  }
})
