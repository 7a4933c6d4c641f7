// A user admits a device by its code.

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { type Browser, newAddress, newDeviceId, PASSWORD, startServer, type TestServer } from './people.js'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const FACTS = { name: 'laptop', operatingSystem: 'Macintosh', osVersion: '15', clientVersion: '0.1.0' }

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON answer holds is for the test to say
  body: any
}

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let server: TestServer
  beforeAll(async () => {
    database = await create()
    server = await startServer(database)
  })
  afterAll(async () => {
    await server.close()
    await database.drop()
  })

  const post = async (
    path: string,
    body: object | string,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const response = await fetch(`${server.url}/device/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': newAddress(), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }
  const askForCode = async (more: object = {}, headers?: Record<string, string>) => {
    const facts = { client_id: 'holdfast', device_name: 'Ann’s laptop', operating_system: 'Macintosh' }
    const said = await post('code', { ...facts, ...more }, headers)
    if (said.body.device_code) server.secret(said.body.device_code)
    return said.body as { device_code: string; user_code: string }
  }
  const redeem = async (device_code: string): Promise<Reply> => {
    const said = await post('token', { grant_type: GRANT, device_code, client_id: 'holdfast' })
    if (said.body.access_token) server.secret(said.body.access_token)
    return said
  }
  /** As if the device had waited as long as required. */
  const wait = () => sql`update "deviceCode" set "lastPolledAt" = null`.execute(server.store.db)
  const approve = async (browser: Browser, user_code: string) => {
    await browser.post('/device', { user_code })
    return browser.post('/device/approve', { user_code })
  }
  const enrol = (accessToken: string, deviceId = newDeviceId()) =>
    server.call('DeviceService/Enrol', { accessToken, deviceId, facts: FACTS })
  const devicesOf = (email: string) =>
    server.store.db.selectFrom('devices').select('id').where('enrolled_by', '=', email).execute()
  /** In the time format of the library. */
  const moment = (ms: number) => (kind === 'sqlite' ? new Date(ms).toISOString() : new Date(ms)) as Date

  it('asks, shows, is approved, redeems and enrols', async () => {
    const ann = await server.member('author', 'ann@example.com')
    const address = newAddress()
    const code = await askForCode({}, { 'x-forwarded-for': address })
    expect(code).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${server.url}/device`,
      verification_uri_complete: `${server.url}/device?user_code=${code.user_code}`,
      expires_in: 600,
      interval: 5,
      fingerprint: server.fingerprint,
    })
    expect((await redeem(code.device_code)).body).toMatchObject({ error: 'authorization_pending' })
    expect((await redeem(code.device_code)).body).toMatchObject({ error: 'slow_down' })

    const first = await ann.get(`/device?user_code=${code.user_code}`)
    expect(first.text).toContain(`value="${code.user_code}"`)
    const page = await ann.post('/device', { user_code: code.user_code.toLowerCase() })
    expect(page.status).toBe(200)
    for (const shown of [
      'Ann’s laptop',
      'Macintosh',
      address,
      code.user_code,
      /<dd>20\d\d-\d\d-\d\d [\d:]{8} UTC<\/dd>/,
    ]) {
      expect(page.text).toMatch(shown)
    }
    expect(page.text).toContain(server.fingerprint.slice(0, 4))
    expect((await ann.post('/device/approve', { user_code: code.user_code })).text).toContain(
      'may join the team',
    )

    await wait()
    const { status, body } = await redeem(code.device_code)
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
    })
    expect(body.expires_in).toBeLessThanOrEqual(300)
    // It is valid for Enrol only.
    const bearer = await server.call(
      'PeopleService/WhoAmI',
      {},
      { authorization: `Bearer ${body.access_token}` },
    )
    expect(bearer.code).toBe('unauthenticated')

    const deviceId = newDeviceId()
    const enrolled = await enrol(body.access_token, deviceId)
    expect(enrolled.status).toBe(200)
    server.secret(enrolled.body.token)
    const { body: found } = await ann.call('DevicesService/GetDevice', { id: deviceId })
    expect(found.device).toMatchObject({ enrolledBy: 'ann@example.com', facts: FACTS })
    expect(await enrol(body.access_token)).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('Run "holdfast login" again'),
    })
    expect((await redeem(code.device_code)).body).toMatchObject({ error: 'invalid_grant' })
    const last = await server.store.db
      .selectFrom('admin_actions')
      .select(['action', 'actor', 'subject'])
      .orderBy('seq', 'desc')
      .executeTakeFirst()
    expect(last).toEqual({ action: 'device.enrol', actor: 'ann@example.com', subject: deviceId })
  })

  it('is redeemed once, and enrols once, however many try at the same time', async () => {
    const ann = await server.member('author', 'twice@example.com')
    const { device_code, user_code } = await askForCode()
    await approve(ann, user_code)
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(device_code)))
    const good = answers.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    for (const { body } of answers.filter(({ status }) => status !== 200)) {
      expect(['invalid_grant', 'slow_down']).toContain(body.error)
    }
    const enrolled = await Promise.all(Array.from({ length: 6 }, () => enrol(good[0]!.body.access_token)))
    for (const { body } of enrolled) if (body.token) server.secret(body.token)
    expect(enrolled.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await devicesOf('twice@example.com')).toHaveLength(1)
  })

  usualIt('a browser session cannot enrol a device, whatever its user agent', async () => {
    const ann = await server.member('author', 'posing@example.com')
    const own = ann.cookie.split('=')[1]!
    const other = server.browser()
    const form = { email: 'posing@example.com', password: PASSWORD }
    await other.post('/sign-in', form, { 'user-agent': 'holdfast login' })
    const posing = other.cookie.split('=')[1]!
    for (const value of [own, posing]) {
      const token = decodeURIComponent(value).split('.')[0]!
      expect((await enrol(token)).code).toBe('unauthenticated')
    }
    expect((await other.call('PeopleService/WhoAmI')).status).toBe(200)
  })

  usualIt('is denied', async () => {
    const ann = await server.member('author')
    const { device_code, user_code } = await askForCode()
    await ann.post('/device', { user_code })
    expect((await ann.post('/device/deny', { user_code })).text).toContain('was rejected')
    expect((await redeem(device_code)).body).toMatchObject({ error: 'access_denied' })
    expect((await approve(ann, user_code)).status).toBe(400)
  })

  it('is over after ten minutes', async () => {
    const ann = await server.member('author')
    const { device_code, user_code } = await askForCode()
    await server.store.db
      .updateTable('deviceCode')
      .set({ expiresAt: moment(Date.now() - 1000) })
      .execute()
    expect((await ann.post('/device', { user_code })).text).toContain('No device waits with this code')
    expect((await redeem(device_code)).body).toMatchObject({ error: 'expired_token' })
  })

  usualIt('cannot be approved without a review, without a sign-in, or by another user', async () => {
    const ann = await server.member('author')
    const eve = await server.member('author')
    const { device_code, user_code } = await askForCode()
    const unseen = await ann.post('/device/approve', { user_code })
    expect(unseen.status).toBe(400)
    expect(await server.browser().post('/device/approve', { user_code })).toMatchObject({
      location: '/sign-in',
    })

    expect((await ann.post('/device', { user_code })).status).toBe(200)
    const second = await eve.post('/device', { user_code })
    expect(second.text).toContain('Another user opened this code first')
    expect((await eve.post('/device/approve', { user_code })).status).toBe(400)
    expect((await eve.post('/device/deny', { user_code })).status).toBe(400)
    expect((await redeem(device_code)).body).toMatchObject({ error: 'authorization_pending' })
    expect((await ann.post('/device/approve', { user_code })).text).toContain('may join the team')
  })

  usualIt('cannot be bound to a user in advance', async () => {
    const ann = await server.member('author')
    const { body } = await ann.call('PeopleService/WhoAmI')
    const code = await askForCode({ user_id: body.member.userId, userId: body.member.userId })
    expect(code.user_code).toBeTruthy()
    const rows = await server.store.db
      .selectFrom('deviceCode')
      .select('userId')
      .where('userId', '=', body.member.userId)
      .execute()
    expect(rows).toEqual([])
  })

  usualIt('limits guesses of codes by account and by network', async () => {
    const eve = await server.member('author')
    const mallory = await server.member('author')
    const { user_code } = await askForCode()
    const guess = () =>
      Array.from({ length: 8 }, () => 'BCDFGHJKLMNPQRSTVWXZ'[Math.floor(Math.random() * 20)]).join('')
    const tried = await Promise.all(
      Array.from({ length: 30 }, () => eve.post('/device', { user_code: guess() })),
    )
    const looked = tried.filter(({ text }) => text.includes('No device waits')).length
    const stopped = tried.filter(({ text }) => text.includes('Too many wrong codes')).length
    expect(looked).toBeLessThanOrEqual(10)
    expect(looked + stopped).toBe(30)
    // The right code does not help any more, and neither does another account from the same address.
    expect((await eve.post('/device', { user_code })).text).toContain('Too many wrong codes')
    expect((await eve.post('/device/approve', { user_code })).text).toContain('Too many wrong codes')
    const there = { 'x-forwarded-for': eve.address }
    expect((await mallory.post('/device', { user_code }, there)).text).toContain('Too many wrong codes')
    expect((await mallory.post('/device', { user_code })).status).toBe(200)
  })

  usualIt('rejects codes of locked and removed accounts', async () => {
    const owner = await server.owner()
    const ann = await server.member('author', 'locked@example.com')
    const locked = await askForCode()
    await approve(ann, locked.user_code)
    await Promise.all(
      Array.from({ length: 10 }, () => server.browser().signIn('locked@example.com', 'a guess at random')),
    )
    expect((await redeem(locked.device_code)).body).toEqual({
      error: 'access_denied',
      error_description: 'The account is locked. Try again later.',
    })
    await server.store.db.deleteFrom('limits').execute()

    const redeemed = await askForCode()
    await approve(ann, redeemed.user_code)
    const { body } = await redeem(redeemed.device_code)
    const late = await askForCode()
    await approve(ann, late.user_code)
    const { userId } = (await ann.call('PeopleService/WhoAmI')).body.member
    expect((await owner.call('PeopleService/RemoveMember', { userId })).status).toBe(200)
    expect((await redeem(late.device_code)).status).toBe(400)
    expect((await enrol(body.access_token)).code).toBe('unauthenticated')
    expect(await devicesOf('locked@example.com')).toEqual([])
  })

  usualIt('rejects the id of another user’s device, and accepts a new id with the same sign-in', async () => {
    const signIn = async (browser: Browser) => {
      const { device_code, user_code } = await askForCode()
      await approve(browser, user_code)
      return (await redeem(device_code)).body.access_token as string
    }
    const ann = await server.member('author')
    const bob = await server.member('author')
    const deviceId = newDeviceId()
    const first = await enrol(await signIn(ann), deviceId)
    server.secret(first.body.token)
    const bobs = await signIn(bob)
    expect(await enrol(bobs, deviceId)).toMatchObject({ code: 'already_exists' })
    const second = await enrol(bobs)
    expect(second.status).toBe(200)
    server.secret(second.body.token)
    const again = await enrol(await signIn(ann), deviceId)
    expect(again.status).toBe(200)
    expect(server.secret(again.body.token)).not.toBe(first.body.token)
    const { body } = await ann.call('DevicesService/GetDevice', { id: deviceId })
    expect(body.device.looksCloned).toBe(true)
  })

  usualIt('shows the name that a device reports as plain text', async () => {
    const ann = await server.member('author')
    const { user_code } = await askForCode({ device_name: '<img src=x onerror=alert(1)>' })
    const { text } = await ann.post('/device', { user_code })
    expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;')
    expect(text).not.toContain('<img src=x')
  })

  usualIt.each([
    ['no name', 'code', { client_id: 'holdfast', operating_system: 'Linux' }, 'invalid_request'],
    [
      'a name with a line break',
      'code',
      { client_id: 'holdfast', device_name: 'a\nb', operating_system: 'x' },
      'invalid_request',
    ],
    [
      'another client',
      'code',
      { client_id: 'other', device_name: 'x', operating_system: 'x' },
      'invalid_client',
    ],
    ['a text that is not JSON', 'code', '{', 'invalid_request'],
    ['a list', 'code', '[]', 'invalid_request'],
    ['nothing', 'token', '', 'invalid_request'],
    [
      'another grant',
      'token',
      { grant_type: 'password', device_code: 'x', client_id: 'holdfast' },
      'invalid_request',
    ],
    [
      'a code that nobody gave',
      'token',
      { grant_type: GRANT, device_code: 'x', client_id: 'holdfast' },
      'invalid_grant',
    ],
    ['another client', 'token', { grant_type: GRANT, device_code: 'x', client_id: 'other' }, 'invalid_grant'],
    [
      'too much',
      'token',
      { grant_type: GRANT, device_code: 'x'.repeat(20_000), client_id: 'holdfast' },
      'invalid_request',
    ],
  ])('%s for a %s is refused in words', async (_, path, body, error) => {
    const said = await post(path, body)
    expect(said.status).toBeGreaterThanOrEqual(400)
    expect(said.status).toBeLessThan(500)
    expect(said.body).toEqual({ error, error_description: expect.stringMatching(/\w{3}/) })
  })

  usualIt('accepts form bodies as in RFC 8628', async () => {
    const form = new URLSearchParams({ client_id: 'holdfast', device_name: 'x', operating_system: 'Linux' })
    const said = await post('code', form.toString(), { 'content-type': 'application/x-www-form-urlencoded' })
    expect(said.status).toBe(200)
    server.secret(said.body.device_code)
    const token = new URLSearchParams({
      grant_type: GRANT,
      client_id: 'holdfast',
      device_code: said.body.device_code,
    })
    const again = await post('token', token.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(again.body).toMatchObject({ error: 'authorization_pending' })
  })

  usualIt('limits an address to thirty codes a minute', async () => {
    const headers = { 'x-forwarded-for': newAddress() }
    for (let i = 0; i < 30; i++) expect((await askForCode({}, headers)).user_code).toBeTruthy()
    const said = await post(
      'code',
      { client_id: 'holdfast', device_name: 'x', operating_system: 'x' },
      headers,
    )
    expect(said).toMatchObject({ status: 429, body: { error: 'slow_down' } })
  })
})
