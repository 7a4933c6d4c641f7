// A password and a second factor: codes of an authenticator app at the sign-in of a real server.

import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase } from './databases.js'
import { type Browser, PASSWORD, startServer, type TestServer } from './people.js'

/** RFC 6238, implemented a second time: SHA-1, six digits, thirty seconds. */
function codeFor(secret: string, at = Date.now()): string {
  let bits = ''
  for (const letter of secret.replace(/=+$/, ''))
    bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const offset = hash.at(-1)! & 15
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

describe.each(DATABASES)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let owner: Browser
  beforeEach(async () => {
    database = await create()
    server = await startServer(database)
    owner = await server.owner()
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })
  const PAGE = '/account/second-factor'
  const setUp = async () => {
    const page = await owner.post(PAGE, { action: 'start', password: PASSWORD })
    const [secret, ...backup] = [...page.text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code]) => code!)
    server.secret(secret!)
    expect(backup).toHaveLength(10)
    return { secret: secret!, backup: backup.map(code => server.secret(code)) }
  }
  const switchOn = async () => {
    const made = await setUp()
    const page = await owner.post(PAGE, { action: 'confirm', code: codeFor(made.secret) })
    expect(page.text).toContain('The second factor is on.')
    return made
  }
  const NEXT = '/sign-in/code?next=%2F'
  const who = async (browser: Browser) => (await browser.call('PeopleService/WhoAmI')).status

  it('takes a code after the password, and nothing less', async () => {
    const { secret, backup } = await switchOn()
    const thief = server.browser()
    expect(await thief.signIn('olga@example.com')).toMatchObject({ status: 303, location: NEXT })
    expect(await who(thief)).toBe(401)
    expect(await thief.get('/')).toMatchObject({ status: 303 })
    expect((await thief.post('/sign-in/code', { code: '000000', next: '/' })).status).toBe(401)
    expect((await thief.post('/sign-in/code', { code: 'abcde-fghij', next: '/' })).status).toBe(401)
    expect(await who(thief)).toBe(401)
    // Another browser has not sent the password.
    const other = server.browser()
    expect((await other.post('/sign-in/code', { code: codeFor(secret), next: '/' })).status).toBe(401)
    const olga = server.browser()
    await olga.signIn('olga@example.com')
    expect(await olga.post('/sign-in/code', { code: codeFor(secret), next: '/' })).toMatchObject({
      status: 303,
      location: '/',
    })
    expect(await who(olga)).toBe(200)
    for (const status of [303, 401]) {
      const again = server.browser()
      await again.signIn('olga@example.com')
      expect((await again.post('/sign-in/code', { code: backup[0]!, next: '/' })).status).toBe(status)
    }
  })

  it('is on only when the app has shown that it works', async () => {
    await setUp()
    const wrong = await owner.post(PAGE, { action: 'confirm', code: '000000' })
    expect(wrong.text).toContain('The code is wrong')
    expect(await server.browser().signIn('olga@example.com')).toMatchObject({ location: '/' })
  })

  it('is neither set up nor switched off by a session alone, and both are on the record', async () => {
    const guess = await owner.post(PAGE, { action: 'start', password: 'not the password' })
    expect(guess.text).toContain('The password is wrong')
    const { secret } = await switchOn()
    expect((await owner.post(PAGE, { action: 'off', password: PASSWORD, code: '000000' })).status).toBe(400)
    expect(
      (await owner.post(PAGE, { action: 'off', password: 'not the password', code: codeFor(secret) })).status,
    ).toBe(400)
    expect((await owner.post(PAGE, { action: 'start', password: PASSWORD })).text).toContain('on already')
    expect(await server.browser().signIn('olga@example.com')).toMatchObject({ location: NEXT })
    const off = await owner.post(PAGE, { action: 'off', password: PASSWORD, code: codeFor(secret) })
    expect(off.text).toContain('The second factor is off.')
    expect(await server.browser().signIn('olga@example.com')).toMatchObject({ location: '/' })
    const { body } = await owner.call('AuditService/ListAdminActions', { pageSize: 50 })
    const actions = body.actions.filter(({ action }: { action: string }) => action === 'member.second-factor')
    expect(actions).toHaveLength(2)
  })

  it('stops guessing', async () => {
    const { secret } = await switchOn()
    let browser = server.browser()
    for (let tries = 0; tries < 12; tries++) {
      if (tries % 3 === 0) {
        browser = server.browser()
        await browser.signIn('olga@example.com')
      }
      await browser.post('/sign-in/code', { code: '000000', next: '/' })
    }
    const olga = server.browser()
    await olga.signIn('olga@example.com')
    expect((await olga.post('/sign-in/code', { code: codeFor(secret), next: '/' })).status).toBe(429)
  })

  describe('required', () => {
    let strict: TestServer
    let second: TestDatabase
    beforeEach(async () => {
      second = await create()
      strict = await startServer(second, { secondFactor: 'required' })
    })
    afterEach(async () => {
      await strict.close()
      await second.drop()
    })
    const first = async () => {
      const olga = strict.browser()
      await olga.join(strict.secret(strict.ownerLink), { name: 'Olga', email: 'olga@example.com' })
      return olga
    }
    const setUpOf = async (browser: Browser) => {
      const page = await browser.post(PAGE, { action: 'start', password: PASSWORD })
      const [secret, ...backup] = [...page.text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code]) => code!)
      for (const code of [secret!, ...backup]) strict.secret(code)
      const done = await browser.post(PAGE, { action: 'confirm', code: codeFor(secret!) })
      expect(done.text).toContain('The second factor is on.')
      return secret!
    }

    it('leads the first owner to the set-up before anything else, and then in', async () => {
      const olga = await first()
      expect(await olga.get('/')).toMatchObject({ status: 303, location: PAGE })
      expect(await olga.get('/device')).toMatchObject({ status: 303, location: PAGE })
      expect((await olga.get(PAGE)).text).toContain('Owners and admins of this team need a second factor')
      const refused = await olga.call('PeopleService/InviteMember', { email: 'x@example.com', role: 'owner' })
      expect(refused).toMatchObject({ code: 'unauthenticated' })
      expect(refused.message).toMatch(/need a second factor.*\/account\/second-factor/)
      expect((await olga.call('PeopleService/CreateToken', { name: 'x' })).status).toBe(401)
      const secret = await setUpOf(olga)
      expect((await olga.call('PeopleService/WhoAmI')).status).toBe(200)
      const off = await olga.post(PAGE, { action: 'off', password: PASSWORD, code: codeFor(secret) })
      expect(off.text).toContain('Set up another one first.')
      expect((await olga.call('PeopleService/WhoAmI')).status).toBe(200)
    })

    it('counts from a promotion on, and not for authors', async () => {
      const olga = await first()
      await setUpOf(olga)
      const { body } = await olga.call('PeopleService/InviteMember', {
        email: 'ann@example.com',
        role: 'author',
      })
      const ann = strict.browser()
      await ann.join(strict.secret(body.link), { name: 'Ann' })
      const me = await ann.call('PeopleService/WhoAmI')
      expect(me.status).toBe(200)
      const { body: list } = await olga.call('PeopleService/ListMembers', { pageSize: 10 })
      const { userId } = list.members.find(({ email }: { email: string }) => email === 'ann@example.com')
      expect((await olga.call('PeopleService/SetMemberRole', { userId, role: 'admin' })).status).toBe(200)
      expect((await ann.call('PeopleService/WhoAmI')).status).toBe(401)
      await setUpOf(ann)
      expect((await ann.call('PeopleService/WhoAmI')).status).toBe(200)
    })
  })

  it('takes no passkey without the password, its own challenge and its own page', async () => {
    const key = JSON.stringify({
      id: 'x',
      rawId: 'x',
      type: 'public-key',
      response: { clientDataJSON: 'e30' },
    })
    expect((await owner.post('/account/passkey/options', { password: 'not the password' })).status).toBe(400)
    expect((await owner.post('/account/passkey', { response: key })).status).toBe(400)
    // The challenge of a sign-in registers nothing.
    expect((await owner.post('/sign-in/passkey/options', {})).status).toBe(200)
    expect((await owner.post('/account/passkey', { response: key })).status).toBe(400)
    for (const path of ['passkey/generate-register-options', 'passkey/delete-passkey', 'two-factor/disable'])
      expect((await owner.post(`/api/auth/${path}`, { password: PASSWORD })).status).toBe(404)
    const visitor = server.browser()
    expect((await visitor.post('/account/passkey/options', { password: PASSWORD })).status).toBe(303)
    expect((await visitor.post('/sign-in/passkey', { response: key })).status).toBe(401)
  })

  it('is required unless only this machine reaches the server', async () => {
    const another = await create()
    const far = await startServer(another, { url: 'https://hooks.example.com' })
    try {
      const olga = far.browser()
      await olga.join(far.secret(far.ownerLink), { name: 'Olga', email: 'olga@example.com' })
      expect((await olga.call('PeopleService/WhoAmI')).status).toBe(401)
    } finally {
      await far.close()
      await another.drop()
    }
  })
})
