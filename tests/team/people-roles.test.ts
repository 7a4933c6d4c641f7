// Every method of every service, asked by everybody. What METHODS says holds, and nothing else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { METHODS, ROLES, type Role } from '../../packages/server/src/access/methods.js'
import { SERVICES } from '../../packages/server/src/rpc/routes.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { newAddress, startServer, type TestServer } from './people.js'

const all = SERVICES.flatMap(({ typeName, methods }) =>
  methods.map(({ name, methodKind }) => ({
    method: `${typeName.split('.').at(-1)}/${name}`,
    isStream: methodKind !== 'unary',
  })),
)

it('the table names the methods that there are', () => {
  expect(Object.keys(METHODS).toSorted()).toEqual(all.map(({ method }) => method).toSorted())
})

/** A call that is let in with nothing in its hands may be refused for that, but must not make the server fail. */
type Way = 'in' | 'unauthenticated' | 'permission_denied' | 'failed'

/** What the table says, written down a second time and plainly. */
function wanted(method: string, who: Role | 'device' | 'nobody'): Way {
  const allowed = METHODS[method]
  if (allowed === 'anybody') return 'in'
  if (who === 'nobody') return 'unauthenticated'
  if (allowed === 'device' || who === 'device') return allowed === who ? 'in' : 'permission_denied'
  return ROLES.indexOf(who) >= ROLES.indexOf(allowed!) ? 'in' : 'permission_denied'
}

describe('who may call what', () => {
  let database: TestDatabase
  let server: TestServer
  let key: string
  const callers = new Map<string, { as: Role | 'device' | 'nobody'; headers: Record<string, string> }>()
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  beforeAll(async () => {
    database = await DATABASES[0]!.create()
    server = await startServer(database)
    const { db } = server.store
    for (const role of ROLES) {
      const browser = role === 'owner' ? await server.owner() : await server.member(role)
      callers.set(`${role} by cookie`, {
        as: role,
        headers: { cookie: browser.cookie, origin: server.url },
      })
      callers.set(`${role} by token`, { as: role, headers: bearer(await server.token(browser)) })
      callers.set(`${role} by cookie from another site`, {
        as: 'nobody',
        headers: { cookie: browser.cookie, origin: 'https://evil.example' },
      })
    }
    const owner = await server.owner()
    callers.set('owner with the token of an auditor', {
      as: 'auditor',
      headers: bearer(await server.token(owner, { role: 'auditor' })),
    })

    const demoted = await server.member('admin', 'demoted@example.com')
    callers.set('auditor with the token of an admin', {
      as: 'auditor',
      headers: bearer(await server.token(demoted, { role: 'admin' })),
    })
    const { userId } = (await demoted.call('PeopleService/WhoAmI')).body.member
    await owner.call('PeopleService/SetMemberRole', { userId, role: 'auditor' })

    const removed = await server.member('admin', 'removed@example.com')
    const gone = (await removed.call('PeopleService/WhoAmI')).body.member.userId
    callers.set('somebody removed, by token', {
      as: 'nobody',
      headers: bearer(await server.token(removed)),
    })
    callers.set('somebody removed, by cookie', {
      as: 'nobody',
      headers: { cookie: removed.cookie, origin: server.url },
    })
    await owner.call('PeopleService/RemoveMember', { userId: gone })

    for (const [what, change] of [
      ['revoked', { revoked_at: 1 }],
      ['expired', { expires_at: 1 }],
    ] as const) {
      const token = await server.token(owner, { name: what })
      await db.updateTable('tokens').set(change).where('name', '=', what).execute()
      callers.set(`owner with a token that is ${what}`, { as: 'nobody', headers: bearer(token) })
      const device = await server.device()
      await db.updateTable('tokens').set(change).where('owner', '=', device.id).execute()
      callers.set(`device with a token that is ${what}`, { as: 'nobody', headers: bearer(device.token) })
    }
    const revoked = await server.device()
    await owner.call('DevicesService/RevokeDevice', { id: revoked.id })
    callers.set('device that was revoked', { as: 'nobody', headers: bearer(revoked.token) })

    const fake = (await server.token(owner)).replace(/.{8}$/, '00000000')
    callers.set('owner with a wrong secret', { as: 'nobody', headers: bearer(server.secret(fake)) })
    callers.set('nobody', { as: 'nobody', headers: {} })
    callers.set('device', { as: 'device', headers: {} })
    key = (await server.key({ maxUses: 1000 })).secret
    callers.set('enrolment key as a token', { as: 'nobody', headers: bearer(key) })
  }, 60_000)
  afterAll(async () => {
    await server.close()
    await database.drop()
  })

  it.each(all)('$method', async ({ method, isStream }) => {
    const answers: Record<string, Way> = {}
    const expected: Record<string, Way> = {}
    const asking = [...callers].map(async ([name, { as, headers }]) => {
      // A fresh one each time: one that left is not asked again.
      // From elsewhere each time: who shows too many wrong tokens is not looked up any more.
      const from = { 'x-forwarded-for': newAddress() }
      const own = as === 'device' ? bearer((await server.device({ key })).token) : headers
      const shown = { ...own, ...from }
      answers[name] = isStream ? await askStream(method, shown) : await ask(method, shown)
      // Their cookie is good, and it is the place that they come from that is not.
      expected[name] = name.endsWith('another site') ? 'permission_denied' : wanted(method, as)
    })
    await Promise.all(asking)
    expect(answers).toEqual(expected)
  })

  it('a method that does not exist is nobody’s', async () => {
    const { status } = await server.call('PeopleService/MakeMeOwner', {})
    expect(status).toBe(404)
  })

  const toWay = (code: string): Way => {
    if (code === 'internal' || code === 'unknown') return 'failed'
    return code === 'unauthenticated' || code === 'permission_denied' ? code : 'in'
  }

  async function ask(method: string, headers: Record<string, string>): Promise<Way> {
    return toWay((await server.call(method, {}, headers)).code)
  }

  async function askStream(method: string, headers: Record<string, string>): Promise<Way> {
    const message = Buffer.from('{}')
    const envelope = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
    const stop = new AbortController()
    const response = await fetch(`${server.url}/holdfast.team.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json', ...headers },
      body: envelope,
      signal: stop.signal,
    })
    const reader = response.body!.getReader()
    const silence = new Promise<{ value: undefined }>(resolve =>
      setTimeout(() => resolve({ value: undefined }), 300),
    )
    const { value } = await Promise.race([reader.read(), silence])
    stop.abort()
    const end = value?.[0] === 2 ? Buffer.from(value.subarray(5)).toString() : '{}'
    return toWay((JSON.parse(end) as { error?: { code: string } }).error?.code ?? '')
  }
})
