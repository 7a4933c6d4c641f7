// What an admin created ends with the role: enrolment keys, and running calls.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { revokeDevice } from '../../packages/server/src/people/devices.js'
import { createKey } from '../../packages/server/src/people/enrolment-keys.js'
import { invite } from '../../packages/server/src/people/invites.js'
import { createToken } from '../../packages/server/src/people/person-tokens.js'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { type Browser, newDeviceId, startServer, type TestServer } from './people.js'

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

  const meOf = async (browser: Browser) => (await browser.call('PeopleService/WhoAmI')).body.member
  const keyOf = async (browser: Browser, wish: object = {}) => {
    const { body } = await browser.call('DevicesService/CreateEnrolmentKey', { maxUses: 5, ...wish })
    return { id: body.key.id as string, secret: server.secret(body.secret) }
  }
  const tryKey = (secret: string, deviceId = newDeviceId()) =>
    server.call('DeviceService/Enrol', {
      enrolmentKey: secret,
      deviceId,
      facts: { name: 'laptop', operatingSystem: 'Linux' },
    })
  const lastAction = async (action: string) => {
    const owner = await server.owner()
    const { body } = await owner.call('AuditService/ListAdminActions', { query: action })
    return JSON.parse(body.actions[0].detailJson)
  }

  usualIt('keys of a member who is removed let nobody in any more; those of others do', async () => {
    const owner = await server.owner()
    const admin = await server.member('admin')
    const [one, two] = [await keyOf(admin), await keyOf(admin, { note: 'floor 2' })]
    const used = await keyOf(admin, { maxUses: 1 })
    expect((await tryKey(used.secret)).status).toBe(200)
    const known = newDeviceId()
    expect((await tryKey(one.secret, known)).status).toBe(200)
    const kept = await keyOf(owner)
    const removed = await owner.call('PeopleService/RemoveMember', { userId: (await meOf(admin)).userId })
    // A used one admits nobody either.
    expect(removed.body).toEqual({ enrolmentKeysEnded: 2 })
    for (const { secret } of [one, two]) {
      expect(await tryKey(secret)).toMatchObject({
        code: 'unauthenticated',
        message: 'The enrolment key was revoked. Ask an admin for a new one.',
      })
    }
    expect((await tryKey(one.secret, known)).code).toBe('unauthenticated')
    expect((await tryKey(kept.secret)).status).toBe(200)
    expect(await lastAction('member.remove')).toEqual({
      role: 'admin',
      enrolment_keys: 2,
      ended: [one.id, two.id].sort(),
    })
    const { body } = await owner.call('DevicesService/ListEnrolmentKeys')
    const isRevoked = Object.fromEntries(
      body.keys.map(({ id, revoked = false }: { id: string; revoked?: boolean }) => [id, revoked]),
    )
    expect(isRevoked).toMatchObject({ [one.id]: true, [two.id]: true, [kept.id]: false })
  })

  usualIt('and of one who may no longer make any; a role that still may keeps them', async () => {
    const owner = await server.owner()
    const admin = await server.member('admin')
    const { userId } = await meOf(admin)
    const key = await keyOf(admin)
    const setRole = (role: string) => owner.call('PeopleService/SetMemberRole', { userId, role })
    expect((await setRole('owner')).body.enrolmentKeysEnded).toBeUndefined()
    expect((await tryKey(key.secret)).status).toBe(200)
    expect((await setRole('author')).body.enrolmentKeysEnded).toBe(1)
    expect((await tryKey(key.secret)).code).toBe('unauthenticated')
    expect(await lastAction('member.role')).toMatchObject({
      to: 'author',
      enrolment_keys: 1,
      ended: [key.id],
    })
    // Ended keys stay ended.
    await setRole('admin')
    expect((await tryKey(key.secret)).code).toBe('unauthenticated')
  })

  it('a call that was let in before its caller was removed changes nothing after', async () => {
    const owner = await server.owner()
    const admin = await server.member('admin')
    const { userId, email } = await meOf(admin)
    const device = await server.device()
    const actor: Person = {
      kind: 'person',
      userId,
      name: email,
      role: 'admin',
      via: 'session',
      address: '',
    }
    const { team } = server
    const late = () =>
      Promise.allSettled([
        createKey(team, actor, { note: '', group: '', maxUses: 1, hours: 1 }),
        invite(team, actor, 'friend@example.com', 'admin'),
        revokeDevice(team, actor, device.id, ''),
        createToken(team, actor, { name: 'late', role: 'admin', days: 1 }),
      ])
    const refused = { status: 'rejected', reason: { code: 'forbidden' } }
    await owner.call('PeopleService/SetMemberRole', { userId, role: 'auditor' })
    expect(await late()).toMatchObject(Array(4).fill(refused))
    await owner.call('PeopleService/RemoveMember', { userId })
    expect(await late()).toMatchObject(Array(4).fill(refused))
    const { body } = await owner.call('DevicesService/ListEnrolmentKeys')
    expect(body.keys).toHaveLength(1)
    expect((await owner.call('PeopleService/ListMembers')).body.members).toHaveLength(1)
  })

  usualIt('an owner who steps down, or leaves, does it in their own name', async () => {
    const owner = await server.owner()
    const other = await server.member('owner')
    const { userId } = await meOf(other)
    expect((await other.call('PeopleService/SetMemberRole', { userId, role: 'admin' })).status).toBe(200)
    expect((await other.call('PeopleService/RemoveMember', { userId })).status).toBe(200)
    expect((await owner.call('AuditService/VerifyChain')).body.state).toBe('whole')
  })
})
