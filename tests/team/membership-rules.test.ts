// The rules for joining a team and for losing access with a membership. Each case differs from an accepted one in one
// way.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import type { Limit } from '../../packages/server/src/access/limits.js'
import { openSeen } from '../../packages/server/src/access/seen.js'
import { fieldsIn } from '../../packages/server/src/audit/actions.js'
import { admit, whyNot } from '../../packages/server/src/people/admit.js'
import type { Auth } from '../../packages/server/src/people/auth.js'
import { authOptions } from '../../packages/server/src/people/auth-options.js'
import {
  firstOwnerLink,
  invite,
  openInvite,
  ownerLink,
  useInvite,
  withdraw,
} from '../../packages/server/src/people/invites.js'
import { join } from '../../packages/server/src/people/join.js'
import { memberOf, removeMember, setRole } from '../../packages/server/src/people/members.js'
import { doorsOf } from '../../packages/server/src/people/oidc.js'
import { openPeople } from '../../packages/server/src/people/open.js'
import { deleteExpired } from '../../packages/server/src/store/expired.js'
import { listInvites, openInviteFor } from '../../packages/server/src/store/invites.js'
import {
  countTeamOwners,
  isMember,
  listMembers,
  membershipOf,
} from '../../packages/server/src/store/members.js'
import type { Tx } from '../../packages/server/src/store/open.js'
import { DAY, HOUR } from './records.js'
import { codeOf, NOW, openRows, type Rows } from './rows.js'

let rows: Rows
let owner: Person
let admin: Person
beforeAll(async () => {
  rows = await openRows()
})
afterAll(() => rows.close())
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('tokens', 'enrolment_keys', 'invites', 'session', 'members', 'user')
  owner = await rows.seat('owner')
  admin = await rows.seat('admin')
})

const db = () => rows.team.store.db
const write: Rows['team']['store']['write'] = work => rows.team.store.write(work)

describe('an invitation', () => {
  const open = (text: string) => codeOf(openInvite(rows.team, text))

  it.each([
    ['valid', {}, 'ok'],
    ['valid for another moment', { expires_at: NOW + 1 }, 'ok'],
    ['used', { used_at: 1 }, 'not-now'],
    ['expired', { expires_at: NOW }, 'not-now'],
  ])('that is %s is opened: %s', async (_, change, code) => {
    expect(await open((await rows.invite('ann@example.com', change)).text)).toBe(code)
  })

  it('is opened by its own secret alone', async () => {
    const { text } = await rows.invite('ann@example.com')
    const altered = [
      text.replace(/[0-9a-f]{64}$/, '0'.repeat(64)),
      text.replace(/_[0-9a-f]{16}_/, `_${'0'.repeat(16)}_`),
      text.replace('hfi', 'hfp'),
      '',
    ]
    for (const wrong of altered) expect(await open(wrong)).toBe('missing')
  })

  it('is used once, and an owner link ends all others', async () => {
    const [ann, bob] = [await rows.invite('ann@example.com'), await rows.invite('bob@example.com')]
    const [first, second] = [await rows.invite(''), await rows.invite('')]
    const use = async ({ id, text }: { id: string; text: string }) => {
      const row = await db().selectFrom('invites').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? codeOf(write(tx => useInvite(rows.team, tx, row))) : open(text)
    }
    expect([await use(ann), await use(ann)]).toEqual(['ok', 'not-now'])
    expect([await use(first), await use(second)]).toEqual(['ok', 'missing'])
    expect(await rows.ids('invites')).toEqual([ann, bob, first].map(({ id }) => id).sort())
  })

  it('is pending while it is neither used nor expired', async () => {
    await rows.invite('used@example.com', { used_at: 1 })
    await rows.invite('expired@example.com', { expires_at: NOW })
    await rows.invite('')
    const { id } = await rows.invite('ann@example.com')
    expect((await listInvites(db(), rows.team.now(), 10, '')).map(({ email }) => email)).toEqual([
      'ann@example.com',
    ])
    expect(await listInvites(db(), rows.team.now(), 10, 'ann@example.com')).toEqual([])
    const found = (email: string) => openInviteFor(db(), email, rows.team.now())
    expect((await found('ann@example.com'))?.id).toBe(id)
    for (const email of ['used@example.com', 'expired@example.com', 'other@example.com']) {
      expect(await found(email)).toBeUndefined()
    }
  })

  it('replaces the open one for the same address, and no other', async () => {
    const old = await rows.invite('ann@example.com')
    const used = await rows.invite('ann@example.com', { used_at: 1 })
    const other = await rows.invite('bob@example.com')
    await invite(rows.team, admin, 'Ann@example.com ', 'author')
    const left = await rows.ids('invites')
    expect(left).toHaveLength(3)
    expect(left).not.toContain(old.id)
    expect(left).toEqual(expect.arrayContaining([used.id, other.id]))
  })

  it('is made for nobody above the one who invites, and for no member', async () => {
    expect(await codeOf(invite(rows.team, admin, 'ann@example.com', 'owner'))).toBe('forbidden')
    expect(await codeOf(invite(rows.team, admin, 'ann@example.com', 'root'))).toBe('invalid')
    expect(await codeOf(invite(rows.team, admin, 'OWNER@example.com', 'auditor'))).toBe('exists')
    expect(await codeOf(invite(rows.team, owner, 'ann@example.com', 'owner'))).toBe('ok')
  })

  it('is withdrawn while it is open, by somebody of its role', async () => {
    const used = await rows.invite('used@example.com', { used_at: 1 })
    const link = await rows.invite('')
    for (const id of [used.id, link.id, 'unknown']) {
      expect(await codeOf(withdraw(rows.team, owner, id))).toBe('missing')
    }
    const above = await rows.invite('boss@example.com', { role: 'owner' })
    expect(await codeOf(withdraw(rows.team, admin, above.id))).toBe('forbidden')
    expect(await rows.ids('invites')).toContain(above.id)
    expect(await codeOf(withdraw(rows.team, owner, above.id))).toBe('ok')
    expect(await rows.ids('invites')).toEqual([used.id, link.id].sort())
  })

  it.each([
    ['an invitation', 72, () => invite(rows.team, admin, 'ann@example.com', 'author')],
    ['a link for an owner', 24, () => ownerLink(rows.team)],
  ])('%s is good for %i hours', async (_, hours, make) => {
    const { link, expiresAt } = await make()
    expect(expiresAt).toBe(NOW + hours * HOUR)
    const text = link.slice(`${rows.team.url}/join/`.length)
    rows.clock.now = expiresAt - 1
    expect(await open(text)).toBe('ok')
    rows.clock.now = expiresAt
    expect(await open(text)).toBe('not-now')
  })

  it('says who invited, for which address and role; the first link is for an owner while there is none', async () => {
    await invite(rows.team, admin, 'Ann@example.com', 'author')
    const [row] = await db().selectFrom('invites').selectAll().execute()
    expect(row).toMatchObject({ email: 'ann@example.com', role: 'author', invited_by: admin.name })
    expect(await firstOwnerLink(rows.team)).toBeNull()
    await db().deleteFrom('members').where('user_id', '=', owner.userId).execute()
    await rows.empty('invites')
    const made = await firstOwnerLink(rows.team)
    const links = await db().selectFrom('invites').selectAll().execute()
    expect(links).toMatchObject([{ email: '', role: 'owner', invited_by: 'server' }])
    const last = await db().selectFrom('admin_actions').selectAll().orderBy('seq', 'desc').executeTakeFirst()
    expect(last).toMatchObject({ actor: 'server', action: 'member.owner-link', subject: links[0]!.id })
    expect(made!.link).toContain(links[0]!.id)
  })
})

describe('a member', () => {
  it('who is removed takes along open invitations, tokens and keys, and nothing of others', async () => {
    for (const name of ['admin', 'owner']) {
      await rows.invite(`by-${name}@example.com`, { invited_by: `${name}@example.com` })
      await rows.invite(`used-${name}@example.com`, { invited_by: `${name}@example.com`, used_at: 1 })
      await rows.token(`user-${name}`, { id: `token of ${name}`, kind: 'person' })
      await rows.token(`user-${name}`, { id: `device token of ${name}` })
      await rows.key({ id: `key of ${name}`, created_by: `${name}@example.com` })
    }
    await rows.token(admin.userId, { id: 'old', kind: 'person', revoked_at: 1 })
    expect(await removeMember(rows.team, owner, admin.userId)).toEqual({ keysEnded: 1 })
    const invited = await db().selectFrom('invites').select('email').orderBy('email').execute()
    expect(invited.map(({ email }) => email)).toEqual([
      'by-owner@example.com',
      'used-admin@example.com',
      'used-owner@example.com',
    ])
    expect(await rows.revoked('tokens')).toEqual(['old', 'token of admin'])
    expect(await rows.revoked('enrolment_keys')).toEqual(['key of admin'])
    const members = await db().selectFrom('members').select('user_id').execute()
    expect(members.map(({ user_id }) => user_id)).toEqual([owner.userId])
  })

  it.each([
    ['admin', ['admin', 'auditor', 'author'], 0],
    ['author', [], 1],
    ['auditor', [], 1],
  ])('who becomes %s keeps invitations for %j', async (role, kept, keysEnded) => {
    const second = await rows.seat('owner', 'second')
    await rows.key({ created_by: second.name })
    for (const invited of ['auditor', 'author', 'admin', 'owner'] as const) {
      await rows.invite(`${invited}@invited.example`, { role: invited, invited_by: second.name })
    }
    expect(await setRole(rows.team, owner, second.userId, role)).toMatchObject({ keysEnded })
    const left = await db().selectFrom('invites').select('role').orderBy('role').execute()
    expect(left.map(({ role }) => role)).toEqual(kept)
  })

  it('is changed only by somebody of at least both roles, who still has theirs', async () => {
    const auditor = await rows.seat('auditor')
    expect(await codeOf(setRole(rows.team, admin, owner.userId, 'admin'))).toBe('forbidden')
    expect(await codeOf(setRole(rows.team, admin, auditor.userId, 'owner'))).toBe('forbidden')
    expect(await codeOf(removeMember(rows.team, admin, owner.userId))).toBe('forbidden')
    expect(await codeOf(setRole(rows.team, admin, auditor.userId, 'admin'))).toBe('ok')
    expect(await codeOf(setRole(rows.team, owner, 'unknown', 'admin'))).toBe('missing')
    await db().updateTable('members').set({ role: 'author' }).where('user_id', '=', admin.userId).execute()
    expect(await codeOf(setRole(rows.team, admin, auditor.userId, 'auditor'))).toBe('forbidden')
    expect(await codeOf(removeMember(rows.team, admin, auditor.userId))).toBe('forbidden')
    await db().deleteFrom('members').where('user_id', '=', admin.userId).execute()
    expect(await codeOf(removeMember(rows.team, admin, auditor.userId))).toBe('forbidden')
  })

  it('who is the last owner neither leaves nor steps down', async () => {
    expect(await codeOf(setRole(rows.team, owner, owner.userId, 'admin'))).toBe('not-now')
    expect(await codeOf(removeMember(rows.team, owner, owner.userId))).toBe('not-now')
    expect(await codeOf(setRole(rows.team, owner, owner.userId, 'owner'))).toBe('ok')
    const second = await rows.seat('owner', 'second')
    expect(await codeOf(removeMember(rows.team, second, owner.userId))).toBe('ok')
    expect(await codeOf(removeMember(rows.team, second, second.userId))).toBe('not-now')
  })

  it('who is removed takes along the device codes that they claimed, and nobody else’s', async () => {
    await rows.empty('deviceCode')
    for (const userId of [admin.userId, owner.userId, null]) {
      const code = `code of ${userId}`
      await db()
        .insertInto('deviceCode')
        .values({
          id: code,
          deviceCode: code,
          userCode: code,
          userId,
          status: 'approved',
          expiresAt: new Date().toISOString(),
        } as never)
        .execute()
    }
    await removeMember(rows.team, owner, admin.userId)
    const left = await db().selectFrom('deviceCode').select('userId').orderBy('userId').execute()
    expect(left.map(({ userId }) => userId)).toEqual([null, owner.userId])
    expect(await db().selectFrom('user').select('id').execute()).toEqual([{ id: owner.userId }])
  })

  it.each([
    ['gets another role', () => setRole(rows.team, owner, admin.userId, 'author')],
    ['is removed', () => removeMember(rows.team, owner, admin.userId)],
    ['is invited', () => invite(rows.team, owner, 'ann@example.com', 'author')],
  ])('%s notifies every open page and invalidates cached tokens', async (_, change) => {
    const before = rows.team.hub.epoch('people')
    await change()
    expect(rows.team.hub.epoch('people')).toBeGreaterThan(before)
  })

  it('whose keys end is in the chain with the role before and after, how many keys, and fifty of them', async () => {
    const ids: string[] = []
    for (let count = 0; count < 51; count++) ids.push((await rows.key({ created_by: admin.name })).id)
    await setRole(rows.team, owner, admin.userId, 'author')
    await removeMember(rows.team, owner, admin.userId)
    const last = await db().selectFrom('admin_actions').selectAll().orderBy('seq', 'desc').limit(2).execute()
    const [removed, changed] = last.map(({ body }) => fieldsIn(body))
    expect(changed).toMatchObject({
      actor: owner.name,
      action: 'member.role',
      subject: admin.name,
      detail: {
        from: 'admin',
        to: 'author',
        enrolment_keys: 51,
        ended: ids.toSorted().slice(0, 50),
      },
    })
    expect(removed).toMatchObject({
      action: 'member.remove',
      subject: admin.name,
      detail: { role: 'author' },
    })
  })

  it('is found by id, address and name, and only as a member', async () => {
    const [former, author] = [await rows.seat('owner', 'former'), await rows.seat('author')]
    await db().deleteFrom('members').where('user_id', '=', former.userId).execute()
    expect([
      (await membershipOf(db(), admin.userId))?.role,
      (await membershipOf(db(), author.userId))?.role,
    ]).toEqual(['admin', 'author'])
    expect(await membershipOf(db(), former.userId)).toBeUndefined()
    expect([await isMember(db(), admin.name), await isMember(db(), former.name)]).toEqual([true, false])
    expect(await codeOf(memberOf(db(), former.userId))).toBe('missing')
    expect((await listMembers(db(), 10, '')).map(({ email, role }) => [email, role])).toEqual([
      ['admin@example.com', 'admin'],
      ['author@example.com', 'author'],
      ['owner@example.com', 'owner'],
    ])
    const after = await listMembers(db(), 1, 'admin@example.com')
    expect(after.map(({ userId }) => userId)).toEqual([author.userId])
    expect(await countTeamOwners(db())).toBeGreaterThan(0)
    await db().deleteFrom('members').where('user_id', '=', owner.userId).execute()
    expect(await countTeamOwners(db())).toBe(0)
  })

  it('signs in by the password of their own account, or by the issuer', async () => {
    const account = (person: Person, providerId: string) =>
      db()
        .insertInto('account')
        .values({
          id: `${providerId} of ${person.userId}`,
          userId: person.userId,
          providerId,
          accountId: person.userId,
          createdAt: new Date().toISOString(),
          updatedAt: new Date().toISOString(),
        } as never)
        .execute()
    await account(admin, 'credential')
    await account(owner, 'oidc')
    const waysOf = async () => (await listMembers(db(), 10, '')).map(({ signsInBy }) => signsInBy)
    expect(await waysOf()).toEqual(['password', 'oidc'])
  })
})

describe('a sign-in by OIDC', () => {
  const doors = { allowedDomains: ['Corp.example'], defaultRole: 'author' } as const
  const isAdmitted = async (email: string, subject = 'new') =>
    (await whyNot(rows.team, doors, { email, subject })) === null
  const link = (person: Person, change: object = {}) =>
    db()
      .insertInto('account')
      .values({
        id: `account of ${person.userId}`,
        userId: person.userId,
        providerId: 'oidc',
        accountId: 'known',
        createdAt: new Date().toISOString(),
        updatedAt: new Date().toISOString(),
        ...change,
      } as never)
      .execute()

  it('is for members, pending invitations and allowed domains', async () => {
    await rows.invite('invited@example.com')
    await rows.invite('used@example.com', { used_at: 1 })
    const admitted = ['admin@example.com', 'invited@example.com', 'ann@corp.example']
    for (const email of admitted) expect(await isAdmitted(email), email).toBe(true)
    const others = [
      'used@example.com',
      'ann@evil-corp.example',
      'ann@corp.example.evil',
      'corp.example@evil.example',
      'ann@sub.corp.example',
    ]
    for (const email of others) expect(await isAdmitted(email), email).toBe(false)
  })

  it('follows the account of the issuer, not the address', async () => {
    await link(admin)
    expect(await isAdmitted('admin@example.com', 'known')).toBe(true)
    expect(await isAdmitted('renamed@example.com', 'known')).toBe(true)
    expect(await isAdmitted('admin@example.com', 'other')).toBe(false)
    await db().updateTable('account').set({ providerId: 'credential' }).execute()
    expect(await isAdmitted('renamed@example.com', 'known')).toBe(false)
  })

  it('is for nobody while the team has no owner', async () => {
    await db().deleteFrom('members').where('role', '=', 'owner').execute()
    expect(await isAdmitted('admin@example.com')).toBe(false)
    expect(await isAdmitted('ann@corp.example')).toBe(false)
  })

  it('gives the role of the invitation, then that of the domain, then none', async () => {
    const roleOf = async (email: string) => {
      const person = await rows.seat('auditor', email.split('@')[0])
      await db().deleteFrom('members').where('user_id', '=', person.userId).execute()
      await admit(rows.team, doors, { id: person.userId, email }, '')
      const row = await db().selectFrom('members').select('role').where('user_id', '=', person.userId)
      return (await row.executeTakeFirst())?.role
    }
    await rows.invite('one@corp.example', { role: 'admin' })
    await rows.invite('two@corp.example', { role: 'admin', expires_at: NOW })
    expect(await roleOf('one@corp.example')).toBe('admin')
    expect(await roleOf('two@corp.example')).toBe('author')
    expect(await roleOf('three@example.com')).toBeUndefined()
    await admit(rows.team, doors, { id: admin.userId, email: 'one@corp.example' }, '')
    expect((await db().selectFrom('invites').selectAll().execute()).filter(row => row.used_at)).toHaveLength(
      1,
    )
  })
})

describe('tidying', () => {
  it('removes what has been over for ninety days, and nothing before', async () => {
    const old = NOW - 90 * DAY
    const kept = [
      await rows.token('d', { expires_at: old }),
      await rows.token('d', { revoked_at: 1, expires_at: NOW }),
    ]
    await rows.token('d', { expires_at: old - 1 })
    const invites = [await rows.invite('a@example.com', { expires_at: old })]
    await rows.invite('b@example.com', { expires_at: old - 1 })
    await rows.empty('refused_calls', 'told')
    const call = { what: '', who: '', detail: '' }
    await db()
      .insertInto('refused_calls')
      .values([
        { at: old, ...call },
        { at: old - 1, ...call },
      ])
      .execute()
    await db()
      .insertInto('told')
      .values([
        { what: 'new', at: NOW - 7 * DAY },
        { what: 'old', at: NOW - 7 * DAY - 1 },
      ])
      .execute()
    const at = (ms: number) => new Date(Date.now() + ms).toISOString() as never
    for (const [id, ms] of [
      ['over', -HOUR],
      ['open', HOUR],
    ] as const) {
      const times = { expiresAt: at(ms), createdAt: at(0), updatedAt: at(0) }
      await db()
        .insertInto('session')
        .values({ id, token: id, userId: admin.userId, ...times } as never)
        .execute()
    }
    await rows.empty('deviceCode', 'verification', 'limits')
    for (const [id, ms] of [
      ['over', -HOUR],
      ['open', HOUR],
    ] as const) {
      const code = { id, deviceCode: id, userCode: id, status: 'pending', expiresAt: at(ms) }
      await db()
        .insertInto('deviceCode')
        .values(code as never)
        .execute()
      const state = { id, identifier: id, value: id, expiresAt: at(ms), createdAt: at(0), updatedAt: at(0) }
      await db()
        .insertInto('verification')
        .values(state as never)
        .execute()
      await db()
        .insertInto('limits')
        .values({ key: id, points: 1, expire: Date.now() + ms })
        .execute()
    }
    await deleteExpired(rows.team.store, rows.team.now())
    expect(await db().selectFrom('deviceCode').select('id').execute()).toEqual([{ id: 'open' }])
    expect(
      await db()
        .selectFrom('verification')
        .select('id' as never)
        .execute(),
    ).toEqual([{ id: 'open' }])
    expect(await db().selectFrom('limits').select('key').execute()).toEqual([{ key: 'open' }])
    expect(await rows.ids('tokens')).toEqual(kept.map(({ id }) => id).sort())
    expect(await rows.ids('invites')).toEqual(invites.map(({ id }) => id))
    const calls = await db().selectFrom('refused_calls').select('at').execute()
    expect(calls.map(({ at }) => at)).toEqual([old])
    expect((await db().selectFrom('told').select('what').execute()).map(({ what }) => what)).toEqual(['new'])
    expect((await db().selectFrom('session').select('id').execute()).map(({ id }) => id)).toEqual(['open'])
  })
})

describe('somebody who opens a link', () => {
  const auth = {
    hash: async (password: string) => `hash of ${password}`,
    addUser: async (tx: Tx, { name, email, hash }: { name: string; email: string; hash: string }) => {
      const times = { createdAt: new Date(0).toISOString(), updatedAt: new Date(0).toISOString() }
      await tx
        .insertInto('user')
        .values({ id: `new ${email}`, name: `${name}, ${hash}`, email, emailVerified: 0, ...times } as never)
        .execute()
      return `new ${email}`
    },
  } as unknown as Auth
  const enter = (link: string, change: object = {}) =>
    codeOf(
      join(rows.team, auth, {
        link,
        name: ' Ann ',
        email: 'typed@example.com',
        password: 'a long password',
        address: '192.0.2.1',
        ...change,
      }),
    )
  const memberOf = async (email: string) =>
    (await listMembers(db(), 50, '')).find(member => member.email === email)

  it('becomes a member by the address and in the role of the invitation, once', async () => {
    const { text } = await rows.invite('ann@example.com', { role: 'author', invited_by: admin.name })
    const before = rows.team.hub.epoch('people')
    expect(await enter(text)).toBe('ok')
    expect(rows.team.hub.epoch('people')).toBeGreaterThan(before)
    expect(await memberOf('ann@example.com')).toMatchObject({
      role: 'author',
      name: 'Ann, hash of a long password',
      joinedAt: NOW,
    })
    expect(await memberOf('typed@example.com')).toBeUndefined()
    const last = await db()
      .selectFrom('admin_actions')
      .selectAll()
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(Buffer.from(last.body).toString())).toMatchObject({
      actor: 'ann@example.com',
      address: '192.0.2.1',
      action: 'member.join',
      subject: 'ann@example.com',
      detail: { role: 'author', by: admin.name, way: 'link' },
    })
    expect(await enter(text)).toBe('not-now')
  })

  it('chooses an address only as an owner', async () => {
    const { text } = await rows.invite('', { role: 'owner', invited_by: 'server' })
    expect(await enter(text, { email: 'not an address' })).toBe('invalid')
    expect(await enter(text)).toBe('ok')
    expect(await memberOf('typed@example.com')).toMatchObject({ role: 'owner' })
  })

  it.each([
    ['a weak password', { password: 'short' }],
    ['the address as a password', { password: 'Ann.Long@example.com' }],
    ['no name', { name: ' ' }],
    ['a name that cannot be shown', { name: 'A\u202eB' }],
  ])('does not join with %s, and may try again', async (_, change) => {
    const { text } = await rows.invite('ann.long@example.com')
    expect(await enter(text, change)).toBe('invalid')
    expect(await memberOf('ann.long@example.com')).toBeUndefined()
    expect(await enter(text)).toBe('ok')
  })

  it('does not take the place of a member', async () => {
    const { id, text } = await rows.invite(admin.name, { role: 'owner' })
    expect(await enter(text)).toBe('exists')
    expect(await memberOf(admin.name)).toMatchObject({ userId: admin.userId, role: 'admin' })
    const [row] = await db().selectFrom('invites').selectAll().where('id', '=', id).execute()
    expect(row!.used_at).toBeNull()
  })

  it('takes the place of a user who never became a member, with a session of theirs', async () => {
    const left = await rows.seat('owner', 'ann')
    await db().deleteFrom('members').where('user_id', '=', left.userId).execute()
    const times = { expiresAt: '2099-01-01', createdAt: '2026-01-01', updatedAt: '2026-01-01' }
    await db()
      .insertInto('session')
      .values({ id: 's', token: 's', userId: left.userId, ...times } as never)
      .execute()
    const { text } = await rows.invite(left.name)
    expect(await enter(text)).toBe('ok')
    expect(await memberOf(left.name)).toMatchObject({ userId: `new ${left.name}`, role: 'auditor' })
    expect(await db().selectFrom('session').select('id').execute()).toEqual([])
  })
})

describe('the library that signs people in', () => {
  let shut: number
  const lock = { shutFor: async () => shut } as unknown as Limit
  const oidc = { issuer: 'https://issuer.example', clientId: 'x', clientSecret: 'y' }
  const options = (url = rows.team.url, more: object = {}) =>
    authOptions({ ...rows.team, url }, { lock, passwords: true, ...more })
  const creating = (path: string, session: object = {}, more: object = {}) =>
    options(undefined, more).databaseHooks!.session!.create!.before!(
      { userId: admin.userId, userAgent: 'Mozilla', ...session } as never,
      { path, headers: new Headers() } as never,
    ) as Promise<{ data: { userAgent: string; expiresAt: Date } } | undefined>
  beforeEach(() => {
    shut = 0
  })

  it('keeps its checks on, and disables sign-up', () => {
    const { origin } = new URL('https://team.example')
    expect(options('https://team.example')).toMatchObject({
      baseURL: origin,
      trustedOrigins: [origin],
      telemetry: { enabled: false },
      emailAndPassword: {
        enabled: true,
        disableSignUp: true,
        minPasswordLength: 12,
        maxPasswordLength: 256,
      },
      session: { expiresIn: 604_800, disableSessionRefresh: true, cookieCache: { enabled: false } },
      account: {
        updateAccountOnSignIn: false,
        accountLinking: { enabled: true, trustedProviders: ['oidc'] },
      },
      verification: { storeIdentifier: 'hashed' },
      onAPIError: { errorURL: 'https://team.example/sign-in/failed' },
      rateLimit: {
        enabled: true,
        customRules: {
          '/device/code': { window: 60, max: 30 },
          '/two-factor/*': { window: 60, max: 20 },
          '/passkey/*': { window: 60, max: 30 },
        },
      },
      advanced: {
        useSecureCookies: true,
        defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
        ipAddress: { ipAddressHeaders: ['x-holdfast-address'] },
        disableOriginCheck: false,
        disableCSRFCheck: false,
      },
    })
    expect(options().advanced!.useSecureCookies).toBe(false)
    const plugins = (made: ReturnType<typeof options>) => made.plugins!.map(({ id }) => id)
    expect(plugins(options())).toEqual(['device-authorization', 'two-factor', 'passkey'])
    expect(plugins(options(undefined, { oidc }))).toEqual([...plugins(options()), 'generic-oauth'])
  })

  it('signs with a secret that is derived for it alone', () => {
    const { secret, secrets } = options()
    expect(secret).toBe(Buffer.from(rows.team.secrets.derive('sign-in')).toString('hex'))
    expect(secrets).toEqual([{ version: 1, value: secret }])
  })

  it('logs the sentence of a message and nothing beside it', () => {
    const said: unknown[] = []
    const log = { ...rows.team.log, error: (...all: unknown[]) => void said.push(all) }
    const { logger } = authOptions({ ...rows.team, log }, { lock, passwords: true })
    logger!.log!('error', 'x'.repeat(300), { password: 'hunter2' })
    expect(said).toEqual([['sign-in', { said: 'x'.repeat(200) }]])
  })

  it('stores no token of the issuer', async () => {
    const account = { accountId: 'a', accessToken: 'b', refreshToken: 'c', idToken: 'd' }
    const made = await options().databaseHooks!.account!.create!.before!(account as never, null as never)
    expect(made).toEqual({
      data: { accountId: 'a', accessToken: null, refreshToken: null, idToken: null },
    })
  })

  it('opens sessions for members only', async () => {
    expect(await creating('/sign-in/email')).toBeUndefined()
    await db().deleteFrom('members').where('user_id', '=', admin.userId).execute()
    for (const path of ['/sign-in/email', '/device/token', '/oauth2/callback/oidc', '']) {
      for (const more of [{}, { oidc }]) await expect(creating(path, {}, more), path).rejects.toThrow()
    }
  })

  it('makes members of those who come back from the issuer, and of nobody else', async () => {
    await rows.invite(admin.name, { role: 'author' })
    await db().deleteFrom('members').where('user_id', '=', admin.userId).execute()
    await expect(creating('/sign-in/email', {}, { oidc })).rejects.toThrow()
    await expect(creating('/oauth2/callback/oidc')).rejects.toThrow()
    await creating('/oauth2/callback/oidc', {}, { oidc })
    expect((await membershipOf(db(), admin.userId))?.role).toBe('author')
  })

  it('opens a session for a device for five minutes, and for no browser that poses as one', async () => {
    const before = Date.now()
    const { data } = (await creating('/device/token'))!
    expect(data.userAgent).toBe('holdfast login')
    expect(data.expiresAt.getTime()).toBeGreaterThanOrEqual(before + 300_000)
    expect(data.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 300_000)
    const posing = await creating('/sign-in/email', { userAgent: 'holdfast login' })
    expect(posing!.data.userAgent).toBe('')
    shut = 1
    await expect(creating('/device/token')).rejects.toMatchObject({
      body: { error: 'access_denied', error_description: 'The account is locked. Try again later.' },
    })
  })

  it('gives members of an allowed domain the lowest role by default', () => {
    expect(doorsOf(oidc)).toEqual({ allowedDomains: [], defaultRole: 'auditor' })
    expect(doorsOf({ ...oidc, allowedDomains: ['a'], defaultRole: 'author' })).toEqual({
      allowedDomains: ['a'],
      defaultRole: 'author',
    })
  })
})

describe('authentication', () => {
  it('are asked who they are again after each change of people or tokens, and of nothing else', async () => {
    const people = await openPeople(rows.team)
    try {
      const seen = [people.changes()]
      for (const topic of ['people', 'tokens', 'devices', 'records', 'releases', 'hooks'] as const) {
        rows.team.hub.changed(topic)
        seen.push(people.changes())
      }
      expect(seen.map(number => number - seen[0]!)).toEqual([0, 1, 2, 2, 2, 2, 2])
    } finally {
      await people.close()
    }
  })
})

describe('the last sign of somebody', () => {
  it('is written for those who were seen, and for nobody else', async () => {
    await rows.empty('devices')
    for (const id of ['one', 'two']) {
      await rows.device(id, { last_seen_at: 1 })
      await rows.token(id, { id: `token of ${id}` })
    }
    const seen = openSeen(rows.team)
    seen.device('one')
    seen.member(admin.userId)
    seen.token('token of two')
    await seen.flush()
    rows.clock.now++
    await seen.flush()
    const devices = await db().selectFrom('devices').select(['id', 'last_seen_at']).orderBy('id').execute()
    expect(devices).toEqual([
      { id: 'one', last_seen_at: NOW },
      { id: 'two', last_seen_at: 1 },
    ])
    expect(await listMembers(db(), 10, '')).toMatchObject([
      { userId: admin.userId, lastSeenAt: NOW },
      { userId: owner.userId, lastSeenAt: 0 },
    ])
    const tokens = await db().selectFrom('tokens').select(['id', 'last_used_at']).orderBy('id').execute()
    expect(tokens).toEqual([
      { id: 'token of one', last_used_at: 0 },
      { id: 'token of two', last_used_at: NOW },
    ])
  })
})
