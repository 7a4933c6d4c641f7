// Members, their roles and their tokens.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { type Browser, startServer, type TestServer } from './people.js'

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
  const idOf = async (browser: Browser): Promise<string> =>
    (await browser.call('PeopleService/WhoAmI')).body.member.userId
  const setRole = (who: Browser, userId: string, role: string) =>
    who.call('PeopleService/SetMemberRole', { userId, role })
  const remove = (who: Browser, userId: string) => who.call('PeopleService/RemoveMember', { userId })
  const actions = async () =>
    server.store.db
      .selectFrom('admin_actions')
      .select(['action', 'actor', 'subject'])
      .orderBy('seq')
      .execute()

  usualIt('an admin neither makes nor changes owners; an owner does', async () => {
    const owner = await server.owner()
    const admin = await server.member('admin')
    const author = await server.member('author')
    const [ownerId, adminId, authorId] = await Promise.all([owner, admin, author].map(idOf))

    expect(
      await admin.call('PeopleService/InviteMember', { email: 'x@example.com', role: 'owner' }),
    ).toMatchObject({
      code: 'permission_denied',
      message: 'Only a member with the role owner can do this; yours is admin.',
    })
    expect((await setRole(admin, authorId!, 'owner')).code).toBe('permission_denied')
    expect((await setRole(admin, ownerId!, 'auditor')).code).toBe('permission_denied')
    expect((await remove(admin, ownerId!)).code).toBe('permission_denied')
    expect((await setRole(admin, authorId!, 'boss')).message).toContain(
      'Expected auditor, author, admin, owner',
    )
    expect((await setRole(admin, 'nobody', 'author')).code).toBe('not_found')

    expect((await setRole(admin, authorId!, 'auditor')).body.member).toMatchObject({ role: 'auditor' })
    expect((await setRole(owner, adminId!, 'owner')).status).toBe(200)
    expect((await setRole(admin, ownerId!, 'auditor')).status).toBe(200)
    // It takes effect with the next call.
    expect(
      (await owner.call('PeopleService/InviteMember', { email: 'x@example.com', role: 'auditor' })).code,
    ).toBe('permission_denied')
    expect((await actions()).filter(({ action }) => action === 'member.role')).toEqual([
      { action: 'member.role', actor: 'm1@example.com', subject: 'm2@example.com' },
      { action: 'member.role', actor: 'olga@example.com', subject: 'm1@example.com' },
      { action: 'member.role', actor: 'm1@example.com', subject: 'olga@example.com' },
    ])
  })

  it('the last owner can neither go nor step down, not even when two try at once', async () => {
    const owner = await server.owner()
    const ownerId = await idOf(owner)
    for (const tried of [await setRole(owner, ownerId, 'admin'), await remove(owner, ownerId)]) {
      expect(tried).toMatchObject({
        code: 'failed_precondition',
        message: 'This is the last owner. Make somebody else an owner first.',
      })
    }
    const other = await server.member('owner')
    const otherId = await idOf(other)
    const both = await Promise.all([setRole(owner, otherId, 'author'), setRole(other, ownerId, 'author')])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    const roles = await server.store.db.selectFrom('members').select('role').execute()
    expect(roles.map(({ role }) => role).toSorted()).toEqual(['author', 'owner'])
  })

  usualIt('who is removed is out at once: sessions, tokens and codes', async () => {
    const owner = await server.owner()
    const author = await server.member('author')
    const token = await server.token(author)
    const device = { authorization: `Bearer ${token}` }
    expect((await server.call('PeopleService/WhoAmI', {}, device)).status).toBe(200)
    expect((await remove(owner, await idOf(author))).status).toBe(200)
    expect((await author.call('PeopleService/WhoAmI')).code).toBe('unauthenticated')
    expect(await server.call('PeopleService/WhoAmI', {}, device)).toMatchObject({
      code: 'unauthenticated',
      message: 'The member who made this token was removed from the team.',
    })
    expect((await server.browser().signIn('m1@example.com')).status).toBe(401)
    for (const table of ['session', 'account'] as const) {
      const left = await server.store.db.selectFrom(table).select('userId').execute()
      expect(new Set(left.map(({ userId }) => userId)).size).toBe(1)
    }
    // The same address can be invited again.
    await server.member('auditor', 'm1@example.com')
  })

  usualIt('who is removed, or may no longer, leaves no invitation behind to come back by', async () => {
    const owner = await server.owner()
    const [one, other] = [await server.member('admin'), await server.member('admin')]
    const invited = async (who: Browser, email: string, role: string) =>
      server.secret((await who.call('PeopleService/InviteMember', { email, role })).body.link)
    const [first, second, third] = [
      await invited(one, 'again@example.com', 'admin'),
      await invited(other, 'boss@example.com', 'admin'),
      await invited(other, 'reader@example.com', 'auditor'),
    ]
    await remove(owner, await idOf(one))
    await setRole(owner, await idOf(other), 'author')
    const opened = async (link: string) => (await server.browser().get(new URL(link).pathname)).status
    expect([await opened(first), await opened(second), await opened(third)]).toEqual([404, 404, 404])
    const { body } = await owner.call('PeopleService/ListMembers')
    expect(body.members.filter(({ signsInBy }: { signsInBy: string }) => signsInBy === 'invited')).toEqual([])
  })

  usualIt('members and those who are invited come in pages, each once', async () => {
    const owner = await server.owner()
    for (const email of ['b@example.com', 'z@example.com']) await server.member('author', email)
    for (const email of ['y@example.com', 'a@example.com', 'c@example.com']) {
      const { body } = await owner.call('PeopleService/InviteMember', { email, role: 'auditor' })
      server.secret(body.link)
    }
    for (const pageSize of [1, 2, 4, 50]) {
      const seen: string[] = []
      let pageToken = ''
      do {
        const { body } = await owner.call('PeopleService/ListMembers', { pageSize, pageToken })
        seen.push(
          ...body.members.map((one: { email: string; signsInBy: string }) => `${one.email} ${one.signsInBy}`),
        )
        pageToken = body.nextPageToken ?? ''
      } while (pageToken)
      expect(seen).toEqual([
        'b@example.com password',
        'olga@example.com password',
        'z@example.com password',
        'a@example.com invited',
        'c@example.com invited',
        'y@example.com invited',
      ])
    }
    const wrong = await owner.call('PeopleService/ListMembers', { pageToken: 'WzEsMl0' })
    expect(wrong).toMatchObject({ code: 'invalid_argument' })
  })

  usualIt('says who one is and what one may do', async () => {
    const author = await server.member('author')
    const { body } = await author.call('PeopleService/WhoAmI')
    expect(body).toMatchObject({ teamId: server.team.id, teamName: server.team.name, serverVersion: '0.1.0' })
    expect(body.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(body.allowed).toContain('HooksService/SaveDraft')
    expect(body.allowed).not.toContain('RolloutService/Publish')
    expect(body.allowed).not.toContain('DeviceService/GetTeamHooks')
  })

  usualIt('a token has at most its own role and at most that of its owner', async () => {
    const owner = await server.owner()
    const author = await server.member('author')
    const wish = { name: 'ci', role: 'admin' }
    expect((await author.call('PeopleService/CreateToken', wish)).code).toBe('permission_denied')
    const token = await server.token(author, { role: 'author' })
    const me = async () =>
      (await server.call('PeopleService/WhoAmI', {}, { authorization: `Bearer ${token}` })).body
    expect((await me()).member.role).toBe('author')
    const userId = await idOf(author)
    await setRole(owner, userId, 'auditor')
    expect((await me()).member.role).toBe('auditor')
    await setRole(owner, userId, 'owner')
    expect((await me()).member.role).toBe('author')
  })

  usualIt('tokens are listed, revoked and refused in words', async () => {
    const owner = await server.owner()
    const first = await server.token(owner, { name: 'first' })
    await server.token(owner, { name: 'second', role: 'auditor', days: 7 })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    await server.call('PeopleService/WhoAmI', {}, bearer(first))
    await server.people.flush()
    const { body } = await owner.call('PeopleService/ListTokens', { pageSize: 1 })
    const rest = await owner.call('PeopleService/ListTokens', { pageToken: body.nextPageToken })
    const tokens = [...body.tokens, ...rest.body.tokens]
    expect(tokens).toMatchObject([
      { name: 'second', role: 'auditor' },
      { name: 'first', role: 'owner', lastUsedAt: expect.stringMatching(/^20/) },
    ])
    expect(JSON.stringify(tokens)).not.toContain('hash')
    // No others.
    const other = await server.member('admin')
    expect((await other.call('PeopleService/RevokeToken', { id: tokens[1].id })).code).toBe('not_found')
    expect((await owner.call('PeopleService/RevokeToken', { id: tokens[1].id })).status).toBe(200)
    expect(await server.call('PeopleService/WhoAmI', {}, bearer(first))).toMatchObject({
      code: 'unauthenticated',
      message: `The token "first" was revoked. Sign in at ${server.url} and create a new one.`,
    })
    expect(await owner.call('PeopleService/RevokeToken', { id: tokens[1].id })).toMatchObject({
      code: 'not_found',
    })
  })

  usualIt('a token ends on its day, and says how to get another', async () => {
    const owner = await server.owner()
    const token = await server.token(owner, { name: 'ci', days: 1 })
    server.ahead = 25 * 3_600_000
    const answer = await server.call('PeopleService/WhoAmI', {}, { authorization: `Bearer ${token}` })
    expect(answer.code).toBe('unauthenticated')
    expect(answer.message).toMatch(
      /^The token "ci" ended on 20\d\d-\d\d-\d\d\. Sign in at http.* and create a new one\.$/,
    )
  })

  usualIt('a token makes no tokens, and nobody has more than fifty', async () => {
    const owner = await server.owner()
    const token = await server.token(owner)
    const tried = await server.call(
      'PeopleService/CreateToken',
      { name: 'x' },
      { authorization: `Bearer ${token}` },
    )
    expect(tried).toMatchObject({ code: 'failed_precondition' })
    for (const wish of [
      { name: '' },
      { name: 'x', days: 366 },
      { name: 'x', days: -1 },
      { name: 'x', role: 'king' },
    ]) {
      expect((await owner.call('PeopleService/CreateToken', wish)).code).toBe('invalid_argument')
    }
    await Promise.all(Array.from({ length: 49 }, () => server.token(owner)))
    expect((await owner.call('PeopleService/CreateToken', { name: 'x' })).code).toBe('resource_exhausted')
  })
})
