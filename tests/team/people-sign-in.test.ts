// How members sign in by links and passwords, and how others cannot.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { firstOwnerLink, ownerLink } from '../../packages/server/src/people/invites.js'
import { DATABASES, SQLITE, type TestDatabase, usualItOn } from './databases.js'
import { asked } from './passwords.js'
import { type Browser, newAddress, PASSWORD, startServer, type TestServer } from './people.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const pathOf = (link: string) => new URL(link).pathname

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
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
  const link = async () => server.secret((await firstOwnerLink(server.team))!.link)
  const chain = async () =>
    await server.store.db
      .selectFrom('admin_actions')
      .select(['action', 'actor', 'subject'])
      .orderBy('seq')
      .execute()
  /** In the time format of the library. */
  const moment = (ms: number) => (kind === 'sqlite' ? new Date(ms).toISOString() : new Date(ms)) as Date

  usualIt('the first person becomes the owner, by a link that works once', async () => {
    const first = server.secret(server.ownerLink)
    const second = await link()
    const someone = server.browser()
    const page = await someone.get(pathOf(first))
    expect(page).toMatchObject({ status: 200 })
    expect(page.text).toContain('You become the owner of this team')
    await someone.join(first, { name: 'Olga', email: ' Olga@Example.com ' })

    const { body } = await someone.call('PeopleService/WhoAmI')
    expect(body.member).toMatchObject({
      name: 'Olga',
      email: 'olga@example.com',
      role: 'owner',
      signsInBy: 'password',
    })
    expect((await someone.get('/account')).text).toContain('olga@example.com')
    expect(await firstOwnerLink(server.team)).toBe(null)
    for (const dead of [first, second]) {
      const again = await server.browser().get(pathOf(dead))
      expect(again.status).toBeGreaterThanOrEqual(400)
      expect(again.text).toMatch(/used already|is not valid, or a newer one replaced it/)
    }
    expect((await chain()).filter(({ action }) => action.startsWith('member.'))).toEqual([
      { action: 'member.owner-link', actor: 'server', subject: expect.any(String) },
      { action: 'member.owner-link', actor: 'server', subject: expect.any(String) },
      { action: 'member.join', actor: 'olga@example.com', subject: 'olga@example.com' },
    ])
  })

  usualIt('a failing database is reported as an error and signs no one out', async () => {
    const someone = server.browser()
    await someone.join(server.secret(server.ownerLink), { name: 'Olga', email: 'olga@example.com' })
    await server.store.db.schema.alterTable('session').renameTo('hidden').execute()
    try {
      expect(await someone.call('PeopleService/WhoAmI')).toMatchObject({ status: 503 })
      expect(await someone.get('/')).toMatchObject({ status: 500 })
    } finally {
      await server.store.db.schema.alterTable('hidden').renameTo('session').execute()
    }
    expect(await someone.call('PeopleService/WhoAmI')).toMatchObject({ status: 200 })
  })

  it('of two who open it at once one becomes the owner', async () => {
    const path = pathOf(await link())
    const answers = await Promise.all(
      ['a@example.com', 'b@example.com', 'c@example.com'].map(email =>
        server
          .browser()
          .post(path, { name: 'X', email, password: server.secret(PASSWORD), repeated: PASSWORD }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400])
    expect(await server.store.db.selectFrom('members').select('role').execute()).toEqual([{ role: 'owner' }])
    expect(await server.store.db.selectFrom('user').select('id').execute()).toHaveLength(1)
  })

  usualIt('a link expires after a day, and the administrator of the machine can create another', async () => {
    const path = pathOf(await link())
    server.ahead = 25 * HOUR_MS
    expect((await server.browser().get(path)).text).toContain('has expired')
    server.ahead = 0
    await server.owner()
    const again = server.secret((await ownerLink(server.team)).link)
    await server.browser().join(again, { name: 'Second', email: 'second@example.com' })
    const { body } = await (await server.owner()).call('PeopleService/ListMembers')
    expect(body.members.map(({ role }: { role: string }) => role)).toEqual(['owner', 'owner'])
  })

  usualIt('an invitation is for one address and one role, for three days', async () => {
    const owner = await server.owner()
    const made = await owner.call('PeopleService/InviteMember', { email: 'Ann@example.com', role: 'author' })
    const invited = server.secret(made.body.link)
    expect(Date.parse(made.body.expiresAt) - Date.now()).toBeGreaterThan(71 * HOUR_MS)
    const ann = server.browser()
    const page = await ann.get(pathOf(invited))
    expect(page.text).toContain('olga@example.com invites <strong>ann@example.com</strong> as author')
    server.ahead = 73 * HOUR_MS
    expect((await ann.get(pathOf(invited))).text).toContain('has expired')
    server.ahead = 0
    // The address in the form does not count.
    await ann.join(invited, { name: 'Ann', email: 'boss@example.com' })
    const { body } = await ann.call('PeopleService/WhoAmI')
    expect(body.member).toMatchObject({ email: 'ann@example.com', role: 'author' })
    expect((await server.browser().get(pathOf(invited))).text).toContain('used already')
    const twice = await owner.call('PeopleService/InviteMember', { email: 'ann@example.com', role: 'author' })
    expect(twice).toMatchObject({ code: 'already_exists' })
  })

  usualIt('a newer invitation replaces the older, and one can be withdrawn', async () => {
    const owner = await server.owner()
    const invite = async () => {
      const { body } = await owner.call('PeopleService/InviteMember', {
        email: 'ann@example.com',
        role: 'admin',
      })
      return pathOf(server.secret(body.link))
    }
    const old = await invite()
    const young = await invite()
    const browser = server.browser()
    expect((await browser.get(old)).status).toBe(404)
    expect((await browser.get(young)).status).toBe(200)
    // The id is right and the secret is not.
    expect((await browser.get(young.replace(/.{6}$/, '000000'))).status).toBe(404)
    const { body } = await owner.call('PeopleService/ListMembers')
    const waiting = body.members.find(({ signsInBy }: { signsInBy: string }) => signsInBy === 'invited')
    expect(waiting).toMatchObject({ email: 'ann@example.com', role: 'admin' })
    expect(await owner.call('PeopleService/RemoveMember', { userId: waiting.userId })).toMatchObject({
      status: 200,
    })
    expect((await browser.get(young)).status).toBe(404)
  })

  usualIt('signs in and out', async () => {
    await server.owner()
    const browser = server.browser()
    expect(await browser.get('/')).toMatchObject({ status: 303, location: '/sign-in' })
    expect(await browser.signIn('OLGA@example.com')).toMatchObject({ status: 303, location: '/' })
    expect((await browser.call('PeopleService/WhoAmI')).status).toBe(200)
    const stolen = browser.cookie
    expect(await browser.post('/sign-out', {})).toMatchObject({ status: 303, location: '/sign-in' })
    expect(browser.cookie).toBe('')
    // A copied session is revoked as well.
    expect(
      await server.call('PeopleService/WhoAmI', {}, { cookie: stolen, origin: server.url }),
    ).toMatchObject({
      code: 'unauthenticated',
    })
  })

  usualIt('says the same of a wrong password and of an address that nobody has', async () => {
    await server.owner()
    const wrong = await server.browser().signIn('olga@example.com', 'not the password')
    const nobody = await server.browser().signIn('nobody@example.com', 'not the password')
    for (const { status, text } of [wrong, nobody]) {
      expect(status).toBe(401)
      expect(text).toContain('The email address or the password is wrong.')
    }
    await server.people.flush()
    const rows = await server.store.db
      .selectFrom('refused_calls')
      .select(['what', 'who'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { what: 'sign-in', who: 'olga@example.com' },
      { what: 'sign-in', who: 'somebody unknown' },
    ])
    expect((await chain()).map(({ action }) => action)).not.toContain('sign-in')
  })

  usualIt('passwords are hashed at the full price, also of an address that nobody has', async () => {
    await server.owner()
    for (const email of ['olga@example.com', 'nobody@example.com']) {
      asked.length = 0
      await server.browser().signIn(email, 'not my password')
      expect(asked).toEqual([expect.objectContaining({ N: 16_384, r: 16, p: 1 })])
    }
  })

  it('does not reveal whether an address belongs to a member', async () => {
    await server.owner()
    const pages = []
    for (const email of ['olga@example.com', 'nobody@example.com']) {
      const { status, text } = await server.browser().signIn(email, 'not the password')
      pages.push({ status, text: text.replaceAll(email, 'ADDRESS') })
    }
    expect(pages[0]!.status).toBe(401)
    expect(pages[0]).toEqual(pages[1])
  })

  it('locks an account after ten failures, wherever they come from, and opens it again', async () => {
    await server.owner()
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => server.browser().signIn('olga@example.com', 'a guess at random')),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 401)).toHaveLength(10)
    expect(statuses.filter(status => status === 429)).toHaveLength(15)
    const locked = await server.browser().signIn('olga@example.com')
    expect(locked.status).toBe(429)
    expect(locked.text).toMatch(/Too many failed sign-ins. Try again in 1\d minutes/)
    // It survives a restart, because it is in the database.
    await server.store.db
      .updateTable('limits')
      .set({ expire: Date.now() - 1 })
      .execute()
    expect((await server.browser().signIn('olga@example.com')).status).toBe(303)
  })

  usualIt('a success resets the count of failures', async () => {
    await server.owner()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 7; i++) await server.browser().signIn('olga@example.com', 'a guess at random')
      expect((await server.browser().signIn('olga@example.com')).status).toBe(303)
    }
  })

  it('a session ends a week after its start, however much it is used', async () => {
    const owner = await server.owner()
    const { db } = server.store
    const end = moment(Date.now() + 3 * DAY_MS)
    await db.updateTable('session').set({ expiresAt: end }).execute()
    const response = await fetch(`${server.url}/holdfast.team.v1.PeopleService/WhoAmI`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: owner.cookie, origin: server.url },
      body: '{}',
    })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([])
    const { expiresAt } = await db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow()
    expect(new Date(expiresAt).getTime()).toBe(new Date(end).getTime())

    await db
      .updateTable('session')
      .set({ expiresAt: moment(Date.now() - 1000) })
      .execute()
    expect(await owner.call('PeopleService/WhoAmI')).toMatchObject({ code: 'unauthenticated' })
    expect(await owner.get('/')).toMatchObject({ status: 303, location: '/sign-in' })
  })

  usualIt('changes the password, and ends every other session', async () => {
    const owner = await server.owner()
    const other = server.browser()
    await other.signIn('olga@example.com')
    const wrong = await owner.post('/password', {
      current: server.secret('not the password'),
      password: 'a much better one',
    })
    expect(wrong).toMatchObject({ status: 400 })
    expect(wrong.text).toContain('the current password was wrong')
    const short = await owner.post('/password', { current: PASSWORD, password: 'short' })
    expect(short.text).toContain('Use 12 characters or more')
    const next = server.secret('a much better one')
    expect(await owner.post('/password', { current: PASSWORD, password: next })).toMatchObject({
      status: 303,
    })
    expect((await owner.call('PeopleService/WhoAmI')).status).toBe(200)
    expect((await other.call('PeopleService/WhoAmI')).code).toBe('unauthenticated')
    expect((await server.browser().signIn('olga@example.com')).status).toBe(401)
    expect((await server.browser().signIn('olga@example.com', next)).status).toBe(303)
  })
})

describe('authentication', () => {
  let database: TestDatabase
  let server: TestServer
  let owner: Browser
  beforeAll(async () => {
    database = await SQLITE.create()
    server = await startServer(database)
    owner = await server.owner()
  })
  afterAll(async () => {
    await server.close()
    await database.drop()
  })

  const elsewhere: [string, Record<string, string>][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['an origin that is hidden', { origin: 'null' }],
    ['a site that is ours in part', { 'sec-fetch-site': 'same-site' }],
    ['another site, in the browser’s own words', { 'sec-fetch-site': 'cross-site' }],
    ['nowhere', { origin: '' }],
  ]

  it.each(elsewhere)('forms from %s do not count', async (_, headers) => {
    const paths = [
      '/sign-in',
      '/sign-out',
      '/password',
      '/device',
      '/device/approve',
      '/device/deny',
      '/join/x',
    ]
    for (const path of paths) {
      const seen = await owner.post(path, { email: 'olga@example.com', password: PASSWORD }, headers)
      expect(seen.status, path).toBe(403)
      expect(seen.text).toContain('does not come from a page of')
      expect(seen.headers.getSetCookie()).toEqual([])
    }
    expect((await owner.call('PeopleService/WhoAmI')).status).toBe(200)
  })

  it.each(elsewhere)('calls with a cookie from %s do not count', async (_, headers) => {
    const answer = await owner.call(
      'PeopleService/InviteMember',
      { email: 'x@example.com', role: 'owner' },
      headers,
    )
    expect(answer).toMatchObject({ code: 'permission_denied' })
    expect(answer.message).toContain('does not come from a page of')
  })

  it('the browser’s own word is enough, under whatever name the server was reached', async () => {
    const headers = { origin: 'http://localhost:4000', 'sec-fetch-site': 'same-origin' }
    expect((await owner.call('PeopleService/WhoAmI', {}, headers)).status).toBe(200)
    const browser = server.browser()
    const form = { email: 'olga@example.com', password: PASSWORD }
    expect((await browser.post('/sign-in', form, headers)).status).toBe(303)
  })

  it('what changes nothing can be asked by GET, and only that', async () => {
    const get = (method: string) =>
      fetch(`${server.url}/holdfast.team.v1.${method}?connect=v1&encoding=json&message=%7B%7D`, {
        headers: { cookie: owner.cookie },
      })
    expect((await get('PeopleService/WhoAmI')).status).toBe(200)
    expect((await get('PeopleService/CreateToken')).status).toBe(405)
  })

  it('a cookie is kept from scripts and from other sites', async () => {
    const { headers } = await server.browser().signIn('olga@example.com')
    const [cookie] = headers.getSetCookie()
    expect(cookie).toMatch(/^holdfast\.session_token=/)
    expect(cookie!.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
    ])
    expect(headers.getSetCookie()).toHaveLength(1)
  })

  it('a cookie that was changed, or is another server’s, is nobody’s', async () => {
    const [name, value] = owner.cookie.split('=') as [string, string]
    const [token, signature] = decodeURIComponent(value).split('.') as [string, string]
    const forged = [
      `${token}.AAAA${signature.slice(4)}`,
      `${token}x.${signature}`,
      token,
      `.${signature}`,
      '%',
      '%00',
      'x'.repeat(3000),
      '',
    ]
    for (const one of forged) {
      const answer = await server.call(
        'PeopleService/WhoAmI',
        {},
        { cookie: `${name}=${one === '%' ? one : encodeURIComponent(one)}`, origin: server.url },
      )
      expect(answer.code, one.slice(0, 60)).toBe('unauthenticated')
    }
  })

  it.each([
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/device?user_code=BCDF-GHJK', '/device?user_code=BCDF-GHJK'],
    ['/a\r\nset-cookie: x=y', '/'],
  ])('after signing in, %s leads to %s', async (next, location) => {
    const form = { email: 'olga@example.com', password: PASSWORD, next }
    expect(await server.browser().post('/sign-in', form)).toMatchObject({ status: 303, location })
  })

  it('asks to sign in first, and comes back', async () => {
    const seen = await server.browser().get('/device?user_code=BCDF-GHJK')
    expect(seen).toMatchObject({ status: 303, location: '/sign-in?next=%2Fdevice%3Fuser_code%3DBCDF-GHJK' })
    const page = await server.browser().get(seen.location)
    expect(page.text).toContain('name="next" value="/device?user_code=BCDF-GHJK"')
  })

  it.each([
    'sign-up/email',
    'sign-in/email',
    'get-session',
    'update-user',
    'change-email',
    'change-password',
    'device',
    'device/approve',
    'device/code',
    'device/token',
    'delete-user',
    'list-sessions',
    'ok',
    'error',
    'sign-in/social',
    'sign-in/oauth2',
    'reset-password/x',
  ])('the library’s own %s is not offered', async path => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${server.url}/api/auth/${path}`, {
        method,
        headers: { 'content-type': 'application/json', cookie: owner.cookie, origin: server.url },
        ...(method === 'POST'
          ? { body: JSON.stringify({ email: 'x@example.com', password: PASSWORD, name: 'x' }) }
          : {}),
      })
      expect(response.status).toBe(404)
    }
  })

  it.each([
    [{ password: 'eleven char', repeated: 'eleven char' }, 'Use 12 characters or more'],
    [{ password: 'a'.repeat(300), repeated: 'a'.repeat(300) }, 'longer than 256'],
    [{ password: 'aaaaaaaaaaaaaaaa', repeated: 'aaaaaaaaaaaaaaaa' }, 'too easy to guess'],
    [{ password: 'new@example.com', repeated: 'new@example.com' }, 'too easy to guess'],
    [{ repeated: 'something else' }, 'The two passwords differ'],
    [{ name: '' }, 'The name is missing'],
    [{ name: 'x'.repeat(101) }, 'longer than 100'],
    [{ name: 'Ann\u202e' }, 'cannot be displayed'],
  ])('joining with %j is refused in words, and the link still holds', async (wrong, sentence) => {
    const { body } = await owner.call('PeopleService/InviteMember', {
      email: 'new@example.com',
      role: 'author',
    })
    const form = { name: 'New', password: PASSWORD, repeated: PASSWORD, ...wrong }
    const seen = await server.browser().post(pathOf(server.secret(body.link)), form)
    expect(seen.status).toBe(400)
    expect(seen.text).toContain(sentence)
    expect((await server.browser().get(pathOf(body.link))).status).toBe(200)
  })

  it.each([
    '',
    'ann',
    'ann@',
    '@example.com',
    'a b@example.com',
    'ann@example.com\n',
    `${'a'.repeat(250)}@x.org`,
    '<a>@b.c',
  ])('nobody is invited as %j', async email => {
    const answer = await owner.call('PeopleService/InviteMember', {
      email: email === 'ann@example.com\n' ? 'ann@exa\nmple.com' : email,
      role: 'author',
    })
    expect(answer).toMatchObject({ code: 'invalid_argument' })
  })

  it('the library’s own limit holds, too: three sign-ins in ten seconds from one address', async () => {
    const browser = server.browser({ address: newAddress() })
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await browser.signIn('olga@example.com')).status)
    expect(statuses).toEqual([303, 303, 303, 429])
  })

  it('a network that failed often is shut, whatever account it tries', async () => {
    const address = newAddress()
    const { db } = server.store
    await db.deleteFrom('limits').execute()
    await server.browser({ address }).signIn('nobody@example.com', 'a guess at random')
    const mine = await db.selectFrom('limits').select('key').where('key', 'like', 'sign-in-from:%').execute()
    expect(mine).toHaveLength(1)
    await db
      .updateTable('limits')
      .set({ points: 51, expire: Date.now() + 60_000 })
      .where('key', '=', mine[0]!.key)
      .execute()
    const seen = await server.browser({ address }).signIn('olga@example.com')
    expect(seen.status).toBe(429)
    expect(seen.text).toContain('Try again in 1 minute.')
  })

  it('pages hold no script, and show what people typed as text', async () => {
    const { body } = await owner.call('PeopleService/InviteMember', {
      email: 'eve@example.com',
      role: 'author',
    })
    const eve = server.browser()
    await eve.join(server.secret(body.link), { name: '<script>alert(1)</script> "&\'' })
    const { text, headers } = await eve.get('/account')
    // Except for the one file that knows the chosen theme.
    expect(text.replace('<script src="/theme.js"></script>', '')).not.toContain('<script')
    expect(text).toContain('&#60;script&#62;alert(1)&#60;/script&#62; &#34;&#38;&#39;')
    expect(text).toContain('Harbour &#60;b&#62;works&#60;/b&#62;')
    expect(headers.get('content-security-policy')!.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('strict-transport-security')).toBe(null)
    const echoed = await eve.post('/sign-in', { email: '"><script>', password: 'x' })
    expect(echoed.text).toContain('value="&#34;&#62;&#60;script&#62;"')
  })

  it('the stylesheet is a file of its own', async () => {
    const { status, text, headers } = await server.browser().get('/style.css')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(text).toContain('var(--surface)')
    const tokens = await server.browser().get('/tokens.css')
    expect(tokens.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(tokens.text).toContain('color-scheme: light dark')
    expect(tokens.text).toContain('--surface:')
  })
})

describe('behind https', () => {
  it('cookies are for https only', async () => {
    const database = await SQLITE.create()
    const server = await startServer(database, { url: 'https://team.example' })
    try {
      expect(server.ownerLink).toMatch(/^https:\/\/team\.example\/join\/hfi_/)
      await server.owner()
      const { headers } = await server.browser().signIn('olga@example.com')
      expect(headers.getSetCookie()[0]).toMatch(/^__Secure-holdfast\.session_token=.*; Secure/)
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
      const wrong = await (await server.owner()).post('/sign-out', {}, { origin: server.url })
      expect(wrong.status).toBe(403)
    } finally {
      await server.close()
      await database.drop()
    }
  })
})

it('counts the sign-ins of each server of a process on its own', async () => {
  const databases = [await SQLITE.create(), await SQLITE.create()]
  const [first, second] = [await startServer(databases[0]!), await startServer(databases[1]!)]
  const address = newAddress()
  await first.owner()
  const tries = Array.from({ length: 5 }, () => first.browser({ address }).signIn('olga@example.com'))
  expect((await Promise.all(tries)).map(({ status }) => status)).toContain(429)
  const olga = second.browser({ address })
  await olga.join(second.secret(second.ownerLink), { name: 'Olga', email: 'olga@example.com' })
  expect((await olga.call('PeopleService/WhoAmI')).status).toBe(200)
  for (const server of [first, second]) await server.close()
  for (const database of databases) await database.drop()
})
