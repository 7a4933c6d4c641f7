// Signing in with an identity provider: a small real one, on this machine.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addressIn, checkedIssuer, directoryIn, type Oidc } from '../../packages/server/src/people/oidc.js'
import { ANY_DATABASE, SQLITE, type TestDatabase } from './databases.js'
import { type Browser, type Seen, startServer, type TestServer } from './people.js'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const CLIENT = 'holdfast-client'

interface Person {
  sub: string
  email?: string
  email_verified?: boolean | string
  name?: string
}

/** Signs in the configured user at once, and follows the rules unless configured to break one. */
class Issuer {
  url = ''
  person: Person = { sub: '1', email: 'ann@corp.example', email_verified: true, name: 'Ann' }
  /** Replaces claims of the ID token. */
  lie: Record<string, unknown> = {}
  breaks: '' | 'signature' | 'none' | 'error' | 'down' | 'no token' = ''
  readonly asked: URLSearchParams[] = []
  readonly secret = `client-secret-${randomBytes(8).toString('hex')}`
  readonly #codes = new Map<string, URLSearchParams>()
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url!, this.url)
      const json = (value: object, status = 200) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(value))
      }
      if (this.breaks === 'down') return void response.destroy()
      if (url.pathname === '/.well-known/openid-configuration') {
        return json({
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/jwks`,
        })
      }
      if (url.pathname === '/jwks') {
        return json({
          keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }],
        })
      }
      if (url.pathname === '/authorize') return this.#authorize(url.searchParams, response)
      if (url.pathname === '/token') return void this.#token(request, json)
      json({}, 404)
    })
  }

  #authorize(asked: URLSearchParams, response: import('node:http').ServerResponse) {
    this.asked.push(asked)
    const back = new URL(asked.get('redirect_uri')!)
    back.searchParams.set('state', asked.get('state')!)
    if (this.breaks === 'error') {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', '<b>call this number</b>')
    } else {
      const code = randomBytes(16).toString('hex')
      this.#codes.set(code, asked)
      back.searchParams.set('code', code)
      back.searchParams.set('iss', this.url)
    }
    response.writeHead(302, { location: back.href })
    response.end()
  }

  async #token(request: AsyncIterable<Buffer>, json: (value: object, status?: number) => void) {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const form = new URLSearchParams(Buffer.concat(parts).toString())
    const asked = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isFine =
      asked?.get('code_challenge') === challenge &&
      asked.get('code_challenge_method') === 'S256' &&
      form.get('client_secret') === this.secret &&
      form.get('client_id') === CLIENT
    if (!isFine) return json({ error: 'invalid_grant' }, 400)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: this.url,
      aud: CLIENT,
      iat: now,
      exp: now + 300,
      nonce: asked.get('nonce'),
      ...this.person,
      ...this.lie,
    }
    const token = this.breaks === 'no token' ? {} : { id_token: this.#idToken(claims) }
    json({ access_token: 'issuer-access-token-of-ann', token_type: 'Bearer', expires_in: 300, ...token })
  }

  #idToken(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = this.breaks === 'none' ? { alg: 'none' } : { alg: 'RS256', kid: 'k' }
    const text = `${part(header)}.${part(claims)}`
    if (this.breaks === 'none') return `${text}.`
    const key = this.breaks === 'signature' ? otherKeys.privateKey : keys.privateKey
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
  }

  async open(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let issuer: Issuer
  const open = async () => {
    issuer = new Issuer()
    await issuer.open()
    database = await create()
  }
  const close = async () => {
    await server.close()
    await issuer.close()
    await database.drop()
  }
  const start = async (more: Partial<Oidc> = {}, passwords = true) => {
    const oidc = { issuer: issuer.url, clientId: CLIENT, clientSecret: issuer.secret, ...more }
    server = await startServer(database, { oidc, passwords })
    server.secret(issuer.secret)
    server.secret('issuer-access-token-of-ann')
  }
  const invite = async (email: string, role: string) => {
    const { body } = await (await server.owner()).call('PeopleService/InviteMember', { email, role })
    return server.secret(body.link)
  }
  /** The redirects of a browser, to the provider and back; returns the final page. */
  const signIn = async (browser: Browser, next = '/'): Promise<Seen> => {
    const away = await browser.get(`/sign-in/oidc?next=${encodeURIComponent(next)}`)
    if (away.status !== 303) return away
    const there = await fetch(away.location, { redirect: 'manual' })
    const back = new URL(there.headers.get('location')!)
    expect(back.origin).toBe(server.url)
    return browser.get(`${back.pathname}${back.search}`)
  }
  const users = () => server.store.db.selectFrom('user').select('email').orderBy('email').execute()
  const mustFail = async () => {
    const browser = server.browser()
    let seen = await signIn(browser)
    if (seen.location) {
      expect(seen.location).toBe('/sign-in/failed')
      seen = await browser.get(seen.location)
    }
    expect(seen.status).toBeGreaterThanOrEqual(400)
    expect(seen.text).toMatch(/could not be verified|failed or took too long|does not answer/)
    expect(seen.text).not.toContain('call this number')
    expect(browser.cookie).not.toContain('session_token')
    expect(await users()).toHaveLength(1)
  }

  describe('on one server', () => {
    beforeAll(async () => {
      await open()
      await start({ allowedDomains: ['corp.example'] })
      await server.owner()
    })
    afterAll(close)
    beforeEach(() => {
      issuer.lie = {}
      issuer.breaks = ''
    })

    it.each([
      [
        'an address that is not verified',
        { email_verified: false },
        'does not confirm that your email address is verified',
      ],
      [
        'an address without a statement about it',
        { email_verified: undefined },
        'does not confirm that your email',
      ],
      [
        'an address that is verified "false"',
        { email_verified: 'false' },
        'does not confirm that your email',
      ],
      [
        'an address that is verified in other letters',
        { email_verified: 'TRUE' },
        'does not confirm that your email',
      ],
      ['an address with a number instead', { email_verified: 1 }, 'does not confirm that your email'],
      ['no address', { email: undefined }, 'did not provide your email address'],
      ['another nonce', { nonce: 'other' }, 'could not be verified'],
      ['no nonce', { nonce: undefined }, 'could not be verified'],
      ['another audience', { aud: 'someone-else' }, 'could not be verified'],
      ['another issuer', { iss: 'https://evil.example' }, 'could not be verified'],
      ['a time that is over', { exp: 1 }, 'could not be verified'],
      ['nobody', { sub: '' }, 'could not be verified'],
    ])('%s is refused', async (_, lie, sentence) => {
      issuer.lie = lie
      const browser = server.browser()
      const seen = await signIn(browser)
      expect(seen.status).toBe(403)
      expect(seen.text).toContain(sentence)
      expect(browser.cookie).not.toContain('session_token')
      expect(await users()).toHaveLength(1)
    })

    it('stores the state of a sign-in as a hash', async () => {
      const { location } = await server.browser().get('/sign-in/oidc')
      const state = new URL(location).searchParams.get('state')!
      expect(state.length).toBeGreaterThanOrEqual(32)
      const { rows } = await sql<{ identifier: string }>`select identifier from verification`.execute(
        server.store.db,
      )
      expect(rows.length).toBeGreaterThan(0)
      for (const { identifier } of rows) expect(identifier).not.toContain(state)
    })

    it('refuses an ID token without a nonce for a sign-in that was started without one', async () => {
      issuer.lie = { nonce: undefined }
      const browser = server.browser()
      const away = await browser.get('/sign-in/oidc')
      const back = new URL((await fetch(away.location, { redirect: 'manual' })).headers.get('location')!)
      const { db } = server.store
      const { rows } = await sql<{ id: string; value: string }>`select id, value from verification`.execute(
        db,
      )
      const started = rows.filter(({ value }) => value.includes('"nonce":'))
      expect(started.length).toBeGreaterThan(0)
      for (const { id, value } of started) {
        const { nonce: _, ...rest } = JSON.parse(value)
        await sql`update verification set value = ${JSON.stringify(rest)} where id = ${id}`.execute(db)
      }
      const seen = await browser.get(`${back.pathname}${back.search}`)
      expect(seen.status).toBe(403)
      expect(seen.text).toContain('its nonce does not match')
      expect(browser.cookie).not.toContain('session_token')
      expect(await users()).toHaveLength(1)
    })

    it.each(['signature', 'none', 'no token', 'error'] as const)(
      'an issuer that breaks the rules (%s) lets nobody in',
      async breaks => {
        issuer.breaks = breaks
        await mustFail()
      },
    )

    it('an answer counts once, and only in the browser that asked', async () => {
      const victim = server.browser()
      const attacker = server.browser()
      const away = await attacker.get('/sign-in/oidc')
      const back = new URL((await fetch(away.location, { redirect: 'manual' })).headers.get('location')!)
      const stolen = `${back.pathname}${back.search}`
      // The attacker’s response in the victim’s browser would sign the victim in as the attacker.
      expect((await victim.get(stolen)).location).toBe('/sign-in/failed')
      expect(victim.cookie).not.toContain('session_token')
      const forged = `${back.pathname}?code=x&state=${'x'.repeat(32)}`
      expect((await victim.get(forged)).location).toBe('/sign-in/failed')
      expect((await victim.get(back.pathname)).location).toBe('/sign-in/failed')
    })
  })

  describe('on a server of its own', () => {
    beforeEach(open)
    afterEach(close)

    it('admits an invited address in the role of its invitation', async () => {
      await start()
      const link = await invite('ann@corp.example', 'author')
      const page = await server.browser().get(new URL(link).pathname)
      expect(page.text).toContain('/sign-in/oidc')
      const ann = server.browser()
      // Some providers send it as a string.
      issuer.person = { sub: 'a', email: 'Ann@Corp.example', email_verified: 'true', name: 'Ann <Lee>' }
      expect(await signIn(ann, '/device?user_code=BCDF-GHJK')).toMatchObject({
        status: 303,
        location: '/device?user_code=BCDF-GHJK',
      })
      const { body } = await ann.call('PeopleService/WhoAmI')
      expect(body.member).toMatchObject({
        email: 'ann@corp.example',
        name: 'Ann <Lee>',
        role: 'author',
        signsInBy: 'oidc',
      })
      const asked = issuer.asked[0]!
      expect(asked.get('code_challenge_method')).toBe('S256')
      expect(asked.get('nonce')).toMatch(/^[\w-]{43}$/)
      expect(asked.get('scope')!.split(' ').toSorted()).toEqual(['email', 'openid', 'profile'])
      const last = await server.store.db
        .selectFrom('admin_actions')
        .select(['action', 'actor', 'body'])
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow()
      expect(last).toMatchObject({ action: 'member.join', actor: 'ann@corp.example' })
      expect(Buffer.from(last.body).toString()).toContain('"way":"oidc"')
      // The link is used up; the next sign-in needs none.
      expect((await server.browser().get(new URL(link).pathname)).text).toContain('used already')
      const again = server.browser()
      expect(await signIn(again)).toMatchObject({ status: 303, location: '/' })
      const { text } = await again.get('/account')
      expect(text).toContain('Sign out')
      expect(text).not.toContain('Change the password')
      expect(await users()).toHaveLength(2)
    })

    it('an unknown user is refused with a message, and nothing about them is stored', async () => {
      await start()
      await server.owner()
      const eve = server.browser()
      issuer.person = { sub: 'e', email: 'eve@evil.example', email_verified: true, name: 'Eve' }
      const seen = await signIn(eve)
      expect(seen.status).toBe(403)
      expect(seen.text).toContain(
        'eve@evil.example is not a member of this team. Ask an admin to invite this address.',
      )
      expect(eve.cookie).not.toContain('session_token')
      expect(await users()).toEqual([{ email: 'olga@example.com' }])
      await server.people.flush()
      const [row] = await server.store.db.selectFrom('refused_calls').selectAll().execute()
      expect(row).toMatchObject({ what: 'sign-in', detail: expect.stringContaining('eve@evil.example') })
    })

    it('an allowed domain needs no invitation, and is only that domain', async () => {
      await start({ allowedDomains: ['Corp.example'], defaultRole: 'author' })
      await server.owner()
      const ann = server.browser()
      expect((await signIn(ann)).status).toBe(303)
      expect((await ann.call('PeopleService/WhoAmI')).body.member.role).toBe('author')
      for (const email of ['x@evilcorp.example', 'x@sub.corp.example', 'x@corp.example.evil.org']) {
        issuer.person = { sub: email, email, email_verified: true, name: 'X' }
        expect((await signIn(server.browser())).status, email).toBe(403)
      }
    })

    it('who has a password signs in as the same person', async () => {
      await start()
      const ann = await server.member('admin', 'ann@corp.example')
      const { userId } = (await ann.call('PeopleService/WhoAmI')).body.member
      const browser = server.browser()
      expect((await signIn(browser)).status).toBe(303)
      expect((await browser.call('PeopleService/WhoAmI')).body.member).toMatchObject({
        userId,
        role: 'admin',
      })
    })

    it('an address that changed hands is not the member who had it; a member whose address changed still is', async () => {
      await start()
      await invite('ann@corp.example', 'admin')
      const ann = server.browser()
      expect((await signIn(ann)).status).toBe(303)
      const { userId } = (await ann.call('PeopleService/WhoAmI')).body.member
      issuer.person = {
        sub: 'new colleague',
        email: 'ann@corp.example',
        email_verified: true,
        name: 'Another Ann',
      }
      const other = await signIn(server.browser())
      expect(other.status).toBe(403)
      expect(other.text).toContain('under another account of the issuer')
      issuer.person = { sub: '1', email: 'ann.lee@corp.example', email_verified: true, name: 'Ann' }
      const again = server.browser()
      expect((await signIn(again)).status).toBe(303)
      expect((await again.call('PeopleService/WhoAmI')).body.member.userId).toBe(userId)
    })

    it('who was removed does not come back by themselves', async () => {
      await start()
      await invite('ann@corp.example', 'author')
      const ann = server.browser()
      await signIn(ann)
      const { userId } = (await ann.call('PeopleService/WhoAmI')).body.member
      await (await server.owner()).call('PeopleService/RemoveMember', { userId })
      expect((await signIn(server.browser())).text).toContain('was removed from this team')
    })

    const remove = async (browser: Browser) => {
      const { userId } = (await browser.call('PeopleService/WhoAmI')).body.member
      const owner = await server.owner()
      expect((await owner.call('PeopleService/RemoveMember', { userId })).status).toBe(200)
    }

    it('an allowed domain does not let a removed member in again, also under another address', async () => {
      await start({ allowedDomains: ['corp.example'] })
      await server.owner()
      const ann = server.browser()
      expect((await signIn(ann)).status).toBe(303)
      const token = await server.token(ann)
      await remove(ann)
      expect((await ann.call('PeopleService/WhoAmI')).code).toBe('unauthenticated')
      const headers = { authorization: `Bearer ${token}` }
      expect((await server.call('PeopleService/WhoAmI', {}, headers)).code).toBe('unauthenticated')
      for (const person of [
        { sub: '1', email: 'ann@corp.example' },
        { sub: '1', email: 'ann.lee@corp.example' },
        { sub: '2', email: 'ann@corp.example' },
      ]) {
        issuer.person = { ...person, email_verified: true, name: 'Ann' }
        const seen = await signIn(server.browser())
        expect(seen.status).toBe(403)
        expect(seen.text).toContain('was removed from this team. Ask an admin for a new invitation.')
      }
      // Nobody else is locked out by it.
      issuer.person = { sub: '3', email: 'bob@corp.example', email_verified: true, name: 'Bob' }
      expect((await signIn(server.browser())).status).toBe(303)
    })

    it('an invitation from before the removal does not count, a new one does', async () => {
      await start({ allowedDomains: ['corp.example'] })
      await server.owner()
      const before = await invite('ann@corp.example', 'admin')
      const ann = server.browser()
      // The first sign-in uses up the invitation; an unused one waits for another address of hers.
      const { db } = server.store
      await db.updateTable('invites').set({ email: 'later@corp.example' }).execute()
      await signIn(ann)
      await db.updateTable('invites').set({ email: 'ann@corp.example' }).execute()
      await remove(ann)
      expect((await server.browser().get(new URL(before).pathname)).status).toBe(404)
      expect((await signIn(server.browser())).text).toContain('was removed from this team')
      await invite('ann@corp.example', 'auditor')
      const again = server.browser()
      expect((await signIn(again)).status).toBe(303)
      expect((await again.call('PeopleService/WhoAmI')).body.member.role).toBe('auditor')
    })

    it('a session by the issuer ends after a day, however much it is used', async () => {
      await start({ allowedDomains: ['corp.example'] })
      await server.owner()
      const ann = server.browser()
      await signIn(ann)
      const ends = async () => {
        const rows = await server.store.db
          .selectFrom('session')
          .innerJoin('user', 'user.id', 'session.userId')
          .select('session.expiresAt')
          .where('user.email', '=', 'ann@corp.example')
          .execute()
        return rows.map(({ expiresAt }) => new Date(expiresAt).getTime())
      }
      const [first] = await ends()
      expect(Math.abs(first! - Date.now() - 86_400_000)).toBeLessThan(3_600_000)
      expect((await ann.call('PeopleService/WhoAmI')).status).toBe(200)
      expect(await ends()).toEqual([first])
    })

    it('without passwords, people sign in by the issuer only, the first owner included', async () => {
      await start({}, false)
      const link = new URL(server.secret(server.ownerLink)).pathname
      const olga = server.browser()
      const page = await olga.get(link)
      expect(page.text).not.toContain('type="password"')
      issuer.person = { sub: 'o', email: 'olga@corp.example', email_verified: true, name: 'Olga' }
      expect((await signIn(server.browser())).text).toContain('This team has no owner yet')
      expect(await olga.post(link, { email: 'olga@corp.example' })).toMatchObject({
        status: 303,
        location: '/sign-in/oidc',
      })
      issuer.person = { sub: 'e', email: 'eve@corp.example', email_verified: true, name: 'Eve' }
      expect((await signIn(server.browser())).status).toBe(403)
      issuer.person = { sub: 'o', email: 'olga@corp.example', email_verified: true, name: 'Olga' }
      expect((await signIn(olga)).status).toBe(303)
      expect((await olga.call('PeopleService/WhoAmI')).body.member.role).toBe('owner')
      expect((await server.browser().get('/sign-in')).text).not.toContain('type="password"')
      const refused = await server.browser().signIn('olga@corp.example', 'whatever it may be')
      expect(refused.text).toContain('Passwords are off')
      expect(refused.status).toBe(401)
      expect((await olga.get('/account')).text).not.toContain('Change the password')
      expect((await olga.post('/password', { current: 'x', password: 'y' })).status).toBe(403)
    })

    it('without passwords, the password of a member opens nothing', async () => {
      await start()
      await server.member('admin', 'ann@corp.example')
      await server.close()
      await start({}, false)
      expect((await server.browser().signIn('ann@corp.example')).text).toContain('Passwords are off')
      const ann = server.browser()
      expect((await signIn(ann)).status).toBe(303)
      expect((await ann.call('PeopleService/WhoAmI')).body.member.role).toBe('admin')
    })

    it('a team without an owner lets nobody in', async () => {
      await start({ allowedDomains: ['corp.example'] })
      server.secret(server.ownerLink)
      expect((await signIn(server.browser())).text).toContain('This team has no owner yet')
    })

    it('an issuer that does not answer lets nobody in', async () => {
      await start({ allowedDomains: ['corp.example'] })
      await server.owner()
      issuer.breaks = 'down'
      await mustFail()
    })
  })
})

describe('without an issuer', () => {
  it('its pages lead to the password', async () => {
    const database = await SQLITE.create()
    const server = await startServer(database)
    const browser = server.browser()
    expect(await browser.get('/sign-in/oidc')).toMatchObject({ status: 303, location: '/sign-in' })
    expect(await browser.get('/api/auth/oauth2/callback/oidc?code=x&state=y')).toMatchObject({
      location: '/sign-in',
    })
    await server.close()
    await database.drop()
  })

  it('passwords cannot be off without an issuer', async () => {
    const database = await SQLITE.create()
    await expect(startServer(database, { passwords: false })).rejects.toThrow('needs an issuer')
    await database.drop()
  })

  it('an issuer that is no URL is rejected at the start', async () => {
    const database = await SQLITE.create()
    const oidc = { issuer: 'corp', clientId: 'x', clientSecret: 'y' }
    await expect(startServer(database, { oidc })).rejects.toThrow('The OIDC issuer "corp" is not an address.')
    await database.drop()
  })
})

describe('issuers of the market', () => {
  const TENANT = 'https://login.microsoftonline.com/8d3b1f2a-0c4e-4b57-9a51-1f2e3d4c5b6a/v2.0'
  const GOOGLE = 'https://accounts.google.com'
  const OKTA = 'https://corp.okta.com/oauth2/default'

  it.each([
    'http://login.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.example',
    'ftp://login.example.com',
    'https://login.example.com/?x=y',
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/consumers/v2.0',
  ])('%s is refused at the start', issuer => {
    expect(() => checkedIssuer(issuer)).toThrow(/must be an https|serves every organisation/)
  })

  it.each([
    TENANT,
    GOOGLE,
    OKTA,
    'https://login.example.com/realms/corp',
    'http://localhost:8080/realms/corp',
  ])('%s is accepted', issuer => expect(checkedIssuer(issuer)).toBe(issuer))

  it('Entra vouches for the addresses of its tenant without email_verified', () => {
    expect(addressIn({ email: 'Ann@corp.example' }, TENANT)).toBe('ann@corp.example')
    expect(addressIn({ preferred_username: 'ann@corp.example' }, TENANT)).toBe('ann@corp.example')
    for (const claims of [
      { email: 'a@b.example', email_verified: false },
      { email: 'a@b.example', xms_edov: false },
      { preferred_username: 'no address' },
    ])
      expect(() => addressIn(claims, TENANT)).toThrow()
  })

  it.each([GOOGLE, OKTA, 'https://login.example.com/realms/corp'])('%s has to verify the address', issuer => {
    expect(addressIn({ email: 'ann@corp.example', email_verified: true }, issuer)).toBe('ann@corp.example')
    expect(() => addressIn({ email: 'ann@corp.example' }, issuer)).toThrow('does not confirm')
    expect(() => addressIn({ preferred_username: 'ann@corp.example' }, issuer)).toThrow(
      'did not provide your email address',
    )
  })

  it('Google counts for a domain only with the directory of that domain', () => {
    expect(directoryIn({ hd: 'Corp.example' }, GOOGLE)).toBe('corp.example')
    expect(directoryIn({}, GOOGLE)).toBe('')
    expect(directoryIn({}, OKTA)).toBeUndefined()
  })
})
