// Attacks with a device token, with the session of an auditor, or without any credential.

import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AuditService } from '@holdfast/team'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { METHODS } from '../../packages/server/src/access/methods.js'
import { withdraw } from '../../packages/server/src/people/invites.js'
import { ANY_DATABASE, POSTGRES, type TestDatabase, type TestDatabases } from './databases.js'
import { newAddress, newDeviceId, startServer, type TestServer } from './people.js'
import { passDraft } from './server.js'

let database: TestDatabase
let server: TestServer
const startOn = (create: TestDatabases['create']) => {
  beforeEach(async () => {
    database = await create()
    server = await startServer(database)
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })
}

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  startOn(create)

  it('tokens that somebody guesses at slow down nobody at another address', async () => {
    const device = await server.device()
    const poll = (token: string, address: string, etag: string) =>
      fetch(
        `${server.url}/holdfast.team.v1.DeviceService/GetTeamHooks?connect=v1&encoding=json&message=%7B%7D`,
        {
          headers: { authorization: `Bearer ${token}`, 'if-none-match': etag, 'x-forwarded-for': address },
        },
      )
    const home = newAddress()
    const etag = (await poll(device.token, home, '"x"')).headers.get('etag')!
    const guesser = newAddress()
    for (let count = 0; count < 70; count++) {
      await poll(`hfd_${newDeviceId().slice(16)}_${'0'.repeat(64)}`, guesser, etag)
    }
    // No session survives this.
    server.team.hub.changed('tokens')
    const answer = await poll(device.token, home, etag)
    expect(answer.status).toBe(304)
    // The direct path, without headers for browsers.
    expect(answer.headers.get('content-security-policy')).toBe(null)
  })

  it('a thief of a device and of its key does not bring it back by leaving first', async () => {
    const key = await server.key()
    const owner = await server.owner()
    const enrol = (id: string) =>
      server.call('DeviceService/Enrol', {
        enrolmentKey: key.secret,
        deviceId: id,
        facts: { name: 'laptop', operatingSystem: 'Linux' },
      })
    const leave = (token: string) =>
      server.call('DeviceService/Leave', {}, { authorization: `Bearer ${token}` })
    const first = await server.device({ key: key.secret })
    expect(await leave(first.token)).toMatchObject({ status: 200 })
    expect(await owner.call('DevicesService/RevokeDevice', { id: first.id })).toMatchObject({ status: 200 })
    expect(await enrol(first.id)).toMatchObject({ code: 'permission_denied' })
    // Another server revoked this one, and its message has not arrived here: the token is still cached.
    const second = await server.device({ key: key.secret })
    const report = { state: 'no_bundle' }
    const bearer = { authorization: `Bearer ${second.token}` }
    expect(await server.call('DeviceService/Report', report, bearer)).toMatchObject({ status: 200 })
    await server.store.db.updateTable('devices').set({ revoked_at: 1 }).where('id', '=', second.id).execute()
    await leave(second.token)
    expect(await enrol(second.id)).toMatchObject({ code: 'permission_denied' })
  })

  it('an author sends no fleet back to an older release by halting the newest ones', async () => {
    const owner = await server.owner()
    const author = await server.member('author')
    for (const name of ['one', 'two']) {
      const { body } = await owner.call('HooksService/SaveDraft', {
        name,
        draft: { hookStep: 'stop', scriptName: `${name}.sh`, scriptContent: '#!/bin/sh\n', isActive: true },
      })
      await passDraft(server.team, body.hook.id)
      const drafts = [{ hookId: body.hook.id, draftVersion: body.hook.draftVersion }]
      await owner.call('RolloutService/Publish', { drafts, skipRings: name === 'one' })
    }
    const halt = (number: number) => author.call('RolloutService/Halt', { number, reason: 'no' })
    expect(await halt(2)).toMatchObject({ status: 200 })
    expect(await halt(1)).toMatchObject({ code: 'permission_denied' })
    expect(await owner.call('RolloutService/Halt', { number: 1 })).toMatchObject({ status: 200 })
  })

  it('a curious auditor sees no token, key or link of others, and no refused call', async () => {
    const [owner, auditor] = [await server.owner(), await server.member('auditor')]
    const key = await server.key()
    const device = await server.device({ key: key.secret })
    const token = await server.token(owner, { role: 'owner', days: 1 })
    const invited = { email: 'new@example.com', role: 'author' }
    const { body } = await owner.call('PeopleService/InviteMember', invited)
    const secrets = [key.secret, device.token, token, server.secret(body.link)].map(
      text => /[0-9a-f]{64}/.exec(text)![0],
    )
    const reads = Object.entries(METHODS).filter(([, role]) => role === 'auditor')
    const streams = ['WatchTeam', 'ExportRecords', 'RevokeToken', 'CreateToken']
    let seen = ''
    for (const [method] of reads.filter(([name]) => !streams.includes(name.split('/')[1]!)))
      seen += JSON.stringify((await auditor.call(method, { id: device.id })).body)
    expect(seen).toContain(key.id)
    expect(seen).toContain(device.id)
    for (const secret of secrets) expect(seen).not.toContain(secret)
    for (const method of ['AuditService/ListRefusedCalls', 'PeopleService/GetServer', 'ReplayService/WhatIf'])
      expect((await auditor.call(method)).status, method).not.toBe(200)
  })

  it('queues an auditor who sends too many concurrent requests, without delaying others', async () => {
    const [greedy, other] = [await server.member('auditor'), await server.member('auditor')]
    const transport = createConnectTransport({
      baseUrl: server.url,
      httpVersion: '1.1',
      interceptors: [
        next => request => {
          request.header.set('cookie', greedy.cookie)
          request.header.set('sec-fetch-site', 'same-origin')
          return next(request)
        },
      ],
    })
    const leaving = Array.from({ length: 70 }, () => new AbortController())
    const streams = leaving.map(({ signal }) =>
      createClient(AuditService, transport).watchTeam({}, { signal })[Symbol.asyncIterator](),
    )
    const first = await Promise.all(streams.map(stream => stream.next().then(() => 'heard', String)))
    expect(first.filter(said => said === 'heard')).toHaveLength(64)
    expect(first.find(said => said !== 'heard')).toContain('resource_exhausted')
    expect((await greedy.call('AuditService/SearchRecords')).code).toBe('resource_exhausted')
    // Calls that do not concern records stay available.
    expect((await greedy.call('PeopleService/WhoAmI')).status).toBe(200)
    expect((await other.call('AuditService/SearchRecords')).status).toBe(200)
    for (const one of leaving) one.abort()
    await Promise.all(streams.map(stream => stream.next().catch(() => {})))
    await expect
      .poll(async () => (await greedy.call('AuditService/SearchRecords')).status, { timeout: 30_000 })
      .toBe(200)
    // Sequential calls are not limited.
    for (let count = 0; count < 70; count++) await greedy.call('AuditService/GetRetention')
    expect((await greedy.call('AuditService/GetRetention')).status).toBe(200)
  })
})

// SQLite has one writer at a time: the second one waits before it reads anything.
describe('transactions at the same time', () => {
  startOn(POSTGRES.create)
  /** Resolves when another transaction waits for this one. */
  const isBlocked = () =>
    expect
      .poll(
        async () => {
          const { rows } = await sql<{ n: number }>`
            select count(*) as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(server.store.db)
          return rows[0]!.n
        },
        { timeout: 30_000 },
      )
      .toBe(1)

  it('a device that enrols again while it is revoked stays revoked', async () => {
    const key = await server.key()
    const device = await server.device({ key: key.secret })
    let again: Promise<unknown> | undefined
    await server.store.write(async tx => {
      await tx.updateTable('devices').set({ revoked_at: 1 }).where('id', '=', device.id).execute()
      again = server.call('DeviceService/Enrol', {
        enrolmentKey: key.secret,
        deviceId: device.id,
        facts: { name: 'laptop', operatingSystem: 'Linux' },
      })
      await isBlocked()
    })
    expect(await again).toMatchObject({ code: 'permission_denied' })
    const row = await server.store.db
      .selectFrom('devices')
      .select('revoked_at')
      .where('id', '=', device.id)
      .executeTakeFirst()
    expect(row).toEqual({ revoked_at: 1 })
  })

  it('an invitation that was just used cannot be taken back', async () => {
    const owner = await server.owner()
    await owner.call('PeopleService/InviteMember', { email: 'ann@example.com', role: 'auditor' })
    const { id } = await server.store.db
      .selectFrom('invites')
      .select('id')
      .where('email', '=', 'ann@example.com')
      .executeTakeFirstOrThrow()
    const { body } = await owner.call('PeopleService/WhoAmI')
    const { userId, email } = body.member
    const actor: Person = { kind: 'person', userId, name: email, role: 'owner', via: 'session', address: '' }
    let late: Promise<unknown> | undefined
    await server.store.write(async tx => {
      await tx.updateTable('invites').set({ used_at: 1 }).where('id', '=', id).execute()
      late = withdraw(server.team, actor, id).catch(error => error)
      await isBlocked()
    })
    expect(await late).toMatchObject({ code: 'missing' })
  })
})
