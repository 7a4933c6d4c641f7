// The minimum role of every method, written a second time and tested over HTTP. The server's table is under test, so
// nothing below is derived from it.

import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICES } from '../../packages/server/src/rpc/routes.js'
import { runsEverything } from '../scope.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { newAddress, startServer, type TestServer } from './people.js'

type Allowed = 'anyone' | 'device' | 'auditor' | 'author' | 'admin' | 'owner'

/** docs/guide/team.md describes the same in prose. */
const LEAST: Readonly<Record<string, Allowed>> = {
  'AuditService/CountRecords': 'auditor',
  'AuditService/ExportRecords': 'auditor',
  'AuditService/GetFacets': 'auditor',
  'AuditService/GetOverview': 'auditor',
  'AuditService/GetRecord': 'auditor',
  'AuditService/GetRetention': 'auditor',
  'AuditService/ListAdminActions': 'auditor',
  'AuditService/ListRefusedCalls': 'admin',
  'AuditService/SearchRecords': 'auditor',
  'AuditService/SetLegalHold': 'admin',
  'AuditService/SetRetention': 'admin',
  'AuditService/VerifyChain': 'auditor',
  'AuditService/WatchTeam': 'auditor',

  'DeviceService/Enrol': 'anyone',
  'DeviceService/GetTeamHooks': 'device',
  'DeviceService/Leave': 'device',
  'DeviceService/RenewToken': 'device',
  'DeviceService/Report': 'device',
  'DeviceService/SendRecords': 'device',
  'DeviceService/Watch': 'device',

  'DevicesService/CountDevices': 'auditor',
  'DevicesService/CreateEnrolmentKey': 'admin',
  'DevicesService/GetDevice': 'auditor',
  'DevicesService/ListDevices': 'auditor',
  'DevicesService/ListEnrolmentKeys': 'auditor',
  'DevicesService/RevokeDevice': 'admin',
  'DevicesService/RevokeEnrolmentKey': 'admin',
  'DevicesService/SetDeviceGroup': 'admin',
  'DevicesService/SetDeviceOwner': 'admin',

  'HooksService/ApproveUnrun': 'admin',
  'HooksService/CheckDraft': 'author',
  'HooksService/CompareRevisions': 'auditor',
  'HooksService/DiscardDraft': 'author',
  'HooksService/GetHook': 'auditor',
  'HooksService/GetRevision': 'auditor',
  'HooksService/ListEvents': 'auditor',
  'HooksService/ListHooks': 'auditor',
  'HooksService/ListRevisions': 'auditor',
  'HooksService/SaveDraft': 'author',

  'KeysService/GetTrust': 'auditor',
  'KeysService/PrepareKey': 'owner',
  'KeysService/SubmitTrust': 'owner',

  'PeopleService/CreateToken': 'auditor',
  'PeopleService/GetServer': 'admin',
  'PeopleService/InviteMember': 'admin',
  'PeopleService/ListMembers': 'auditor',
  'PeopleService/ListTokens': 'auditor',
  'PeopleService/RemoveMember': 'admin',
  'PeopleService/RevokeToken': 'auditor',
  'PeopleService/SetMemberRole': 'admin',
  'PeopleService/WhoAmI': 'auditor',

  'ReplayService/WhatIf': 'author',

  'RolloutService/Advance': 'admin',
  'RolloutService/GetRelease': 'auditor',
  'RolloutService/GetRolloutSettings': 'auditor',
  'RolloutService/Halt': 'author',
  'RolloutService/ListPins': 'auditor',
  'RolloutService/ListReleases': 'auditor',
  'RolloutService/Pin': 'admin',
  'RolloutService/Publish': 'admin',
  'RolloutService/RefuseChange': 'admin',
  'RolloutService/Resume': 'admin',
  'RolloutService/RollBack': 'admin',
  'RolloutService/SetKillSwitch': 'admin',
  'RolloutService/SetRolloutSettings': 'admin',
  'RolloutService/Sign': 'admin',
  'RolloutService/Unpin': 'admin',
}

/** Each role may do what the roles before it may. */
const ROLES = ['auditor', 'author', 'admin', 'owner'] as const
type Caller = (typeof ROLES)[number] | 'device' | 'nobody'

/** An accepted call may fail on its empty request, but the server must not break. */
type Outcome = 'accepted' | 'unauthenticated' | 'permission_denied' | 'broken'

function expectedOf(method: string, caller: Caller): Outcome {
  const least = LEAST[method]!
  if (least === 'anyone') return 'accepted'
  if (caller === 'nobody') return 'unauthenticated'
  if (least === 'device' || caller === 'device') return least === caller ? 'accepted' : 'permission_denied'
  return ROLES.indexOf(caller) >= ROLES.indexOf(least) ? 'accepted' : 'permission_denied'
}

const methods = SERVICES.flatMap(({ typeName, methods }) =>
  methods.map(({ name, methodKind, idempotency }) => ({
    method: `${typeName.split('.').at(-1)}/${name}`,
    isStream: methodKind !== 'unary',
    isRead: idempotency === Idempotency.NO_SIDE_EFFECTS,
  })),
)
type Method = (typeof methods)[number]

it('lists every method of every service', () => {
  expect(methods.map(({ method }) => method).toSorted()).toEqual(Object.keys(LEAST).toSorted())
})

// A GET needs no proof of its origin, so it must never change anything.
it('lets only methods that read be called by GET', () => {
  const readers = methods.filter(({ isRead }) => isRead).map(({ method }) => method.split('/')[1]!)
  expect(readers.filter(name => !/^(Get|List|Count|Search|Compare)|^WhoAmI$/.test(name))).toEqual([])
})

/** Authentication comes before the method is looked up, so one method of each kind covers it. */
const kinds = new Map(methods.map(one => [`${LEAST[one.method]} ${one.isStream}`, one]))
const ofEachKind = new Set(runsEverything ? methods : kinds.values())

describe('who may call what', () => {
  let database: TestDatabase
  let server: TestServer
  type Credentials = { readonly caller: Caller; readonly headers: Record<string, string> }
  const accepted = new Map<string, Credentials>()
  /** Callers with an accepted role, but authenticated in another way. */
  const alike = new Set<string>()
  const rejected = new Map<string, Credentials>()
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const accept = (name: string, caller: Caller, headers: Record<string, string>) =>
    accepted.set(name, { caller, headers })
  const reject = (name: string, headers: Record<string, string>) =>
    rejected.set(name, { caller: 'nobody', headers })

  beforeAll(async () => {
    database = await DATABASES[0]!.create()
    server = await startServer(database)
    const { db } = server.store
    const owner = await server.owner()
    for (const role of ROLES) {
      const browser = role === 'owner' ? owner : await server.member(role)
      accept(`${role} by cookie`, role, { cookie: browser.cookie, origin: server.url })
      accept(`${role} by token`, role, bearer(await server.token(browser)))
      // The owner may call every method, so only the origin stops these calls.
      const elsewhere = `${role} by cookie from another site`
      accept(elsewhere, role, { cookie: browser.cookie, origin: 'https://evil.example' })
      if (role !== 'owner') alike.add(elsewhere)
    }
    for (const role of ['auditor', 'author', 'admin'] as const) {
      const token = await server.token(owner, { role })
      accept(`owner with a token for ${role}`, role, bearer(token))
      alike.add(`owner with a token for ${role}`)
    }
    const userIdOf = async (browser: typeof owner) =>
      (await browser.call('PeopleService/WhoAmI')).body.member.userId
    const demoted = await server.member('admin', 'demoted@example.com')
    accept('former admin with a token for admin', 'auditor', bearer(await server.token(demoted)))
    alike.add('former admin with a token for admin')
    await owner.call('PeopleService/SetMemberRole', { userId: await userIdOf(demoted), role: 'auditor' })
    accept('device', 'device', bearer((await server.device()).token))
    accept('nobody', 'nobody', {})

    const removed = await server.member('admin', 'removed@example.com')
    reject('removed member by token', bearer(await server.token(removed)))
    reject('removed member by cookie', { cookie: removed.cookie, origin: server.url })
    await owner.call('PeopleService/RemoveMember', { userId: await userIdOf(removed) })
    for (const [what, change] of [
      ['revoked', { revoked_at: 1 }],
      ['expired', { expires_at: 1 }],
    ] as const) {
      const token = await server.token(owner, { name: what })
      await db.updateTable('tokens').set(change).where('name', '=', what).execute()
      reject(`owner with a token that is ${what}`, bearer(token))
      const device = await server.device()
      await db.updateTable('tokens').set(change).where('owner', '=', device.id).execute()
      reject(`device with a token that is ${what}`, bearer(device.token))
    }
    const revoked = await server.device()
    await owner.call('DevicesService/RevokeDevice', { id: revoked.id })
    reject('revoked device', bearer(revoked.token))
    const fake = (await server.token(owner)).replace(/.{8}$/, '00000000')
    reject('owner with a wrong secret', bearer(server.secret(fake)))
    reject('enrolment key as a token', bearer((await server.key()).secret))
  }, 60_000)
  afterAll(async () => {
    await server.close()
    await database.drop()
  })

  it.each(methods)('$method', async one => {
    const outcomes: Record<string, Outcome> = {}
    const expected: Record<string, Outcome> = {}
    const everyone = [...accepted, ...rejected]
    const callers = ofEachKind.has(one) ? everyone : [...accepted].filter(([name]) => !alike.has(name))
    const calls = callers.map(async ([name, { caller, headers }]) => {
      // A device that left is rejected from then on.
      const isLeaving = caller === 'device' && one.method === 'DeviceService/Leave'
      const own = isLeaving ? bearer((await server.device()).token) : headers
      // Wrong tokens are counted by address.
      outcomes[name] = await call(one, { ...own, 'x-forwarded-for': newAddress() })
      // The cookie is valid; its origin is not.
      expected[name] = name.endsWith('another site') ? 'permission_denied' : expectedOf(one.method, caller)
    })
    await Promise.all(calls)
    expect(outcomes).toEqual(expected)
  })

  // Polls are answered from memory, before any call is parsed.
  it('answers a poll from memory only to a device of the team', async () => {
    const statuses: Record<string, boolean> = {}
    for (const [name, { headers }] of [...accepted, ...rejected]) {
      const url = `${server.url}/holdfast.team.v1.DeviceService/GetTeamHooks?encoding=json&message=%7B%7D&connect=v1`
      const response = await fetch(url, {
        headers: { ...headers, 'if-none-match': '*', 'x-forwarded-for': newAddress() },
      })
      await response.body?.cancel()
      statuses[name] = response.status === 304
    }
    expect(Object.keys(statuses).filter(name => statuses[name])).toEqual(['device'])
  })

  it('answers 404 to a method that does not exist', async () => {
    const { status } = await server.call('PeopleService/MakeMeOwner', {})
    expect(status).toBe(404)
  })

  const outcomeOf = (code: string): Outcome => {
    if (code === 'internal' || code === 'unknown') return 'broken'
    return code === 'unauthenticated' || code === 'permission_denied' ? code : 'accepted'
  }

  async function call({ method, isStream }: Method, headers: Record<string, string>): Promise<Outcome> {
    // Enrol answers everybody, and without a proof responds that the device is unknown.
    const body = method === 'DeviceService/Enrol' ? { enrolmentKey: (await server.key()).secret } : {}
    return isStream ? callStream(method, headers) : outcomeOf((await server.call(method, body, headers)).code)
  }

  /** Every stream sends something at once, even if only its end. */
  async function callStream(method: string, headers: Record<string, string>): Promise<Outcome> {
    const message = Buffer.from('{}')
    const envelope = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
    const stop = new AbortController()
    const response = await fetch(`${server.url}/holdfast.team.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json', ...headers },
      body: envelope,
      signal: stop.signal,
    })
    const { value } = await response.body!.getReader().read()
    stop.abort()
    const end = value?.[0] === 2 ? Buffer.from(value.subarray(5)).toString() : '{}'
    return outcomeOf((JSON.parse(end) as { error?: { code: string } }).error?.code ?? '')
  }
})
