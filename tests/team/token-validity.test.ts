// Which tokens are accepted. Each case differs from a valid token in one way only.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Actor, Person } from '../../packages/server/src/access/actor.js'
import { openTokens, type Tokens } from '../../packages/server/src/access/tokens.js'
import { renew } from '../../packages/server/src/people/device-tokens.js'
import { createToken, revokeToken } from '../../packages/server/src/people/person-tokens.js'
import type { Role } from '../../packages/server/src/roles.js'
import { pageOfTokens, promoteToken } from '../../packages/server/src/store/tokens.js'
import { DAY } from './records.js'
import { NOW, openRows, type Rows } from './rows.js'

let rows: Rows
let tokens: Tokens
let member: Person
beforeAll(async () => {
  rows = await openRows()
  member = await rows.seat('admin')
})
afterAll(() => rows.close())
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('tokens', 'devices')
  tokens = openTokens(rows.team, { device() {}, member() {}, token() {}, async flush() {} })
})
afterEach(() => tokens.close())

const db = () => rows.team.store.db
const shownBy = (actor: Actor): string => (actor.kind === 'person' ? actor.role : actor.kind)
let addresses = 0
const bearer = async (text: string, address = `192.0.2.${++addresses}`) =>
  shownBy(await tokens.bearer(`Bearer ${text}`, address))
const asDevice = async (text: string | undefined) =>
  (await tokens.device(text && `Bearer ${text}`, '192.0.2.1'))?.deviceId

/** A device whose token is in use. */
async function deviceWith(id: string, change: Parameters<Rows['token']>[1] = {}, device = {}) {
  const token = await rows.token(id, change)
  await rows.device(id, { token_id: token.id, ...device })
  return token
}

/** Each is a device token that is valid except for one property. */
const INVALID = {
  revoked: () => deviceWith('d', { revoked_at: NOW }),
  expired: () => deviceWith('d', { expires_at: NOW }),
  'of a revoked device': () => deviceWith('d', {}, { revoked_at: NOW }),
  'of no device': () => rows.token('d'),
}

describe('cached tokens', () => {
  const CHANGES = {
    revoked: (id: string) =>
      db().updateTable('tokens').set({ revoked_at: NOW }).where('owner', '=', id).execute(),
    expired: (id: string) =>
      db().updateTable('tokens').set({ expires_at: NOW }).where('owner', '=', id).execute(),
    'of a revoked device': (id: string) =>
      db().updateTable('devices').set({ revoked_at: NOW }).where('id', '=', id).execute(),
    'of no device': (id: string) => db().deleteFrom('devices').where('id', '=', id).execute(),
    'of another group': (id: string) =>
      db().updateTable('devices').set({ group: 'desks' }).where('id', '=', id).execute(),
  }
  const openChecked = () =>
    openTokens(rows.team, { device() {}, member() {}, token() {}, async flush() {} }, 20)

  it.each(Object.entries(CHANGES))('are found to be %s without a notification', async (_, change) => {
    const checked = openChecked()
    try {
      const [one, two] = [await deviceWith('one'), await deviceWith('two')]
      for (const { text } of [one, two]) await checked.device(`Bearer ${text}`, '192.0.2.1')
      const told: string[] = []
      checked.onChange(id => void told.push(id))
      await change('one')
      await expect.poll(() => told.length, { timeout: 20_000 }).toBeGreaterThan(0)
      expect(new Set(told)).toEqual(new Set(['one']))
      const actor = await checked.device(`Bearer ${two.text}`, '192.0.2.1')
      expect(actor).toMatchObject({ deviceId: 'two' })
    } finally {
      checked.close()
    }
  })

  it('are all checked, however many there are', async () => {
    const checked = openChecked()
    try {
      const made = []
      for (let index = 0; index < 1200; index++) made.push(await deviceWith(`d${index}`))
      const actors = await Promise.all(made.map(({ text }) => checked.device(`Bearer ${text}`, '192.0.2.1')))
      expect(actors.filter(actor => actor?.kind === 'device')).toHaveLength(1200)
      const told = new Set<string>()
      checked.onChange(id => void told.add(id))
      await db().updateTable('devices').set({ revoked_at: NOW }).execute()
      await expect.poll(() => told.size, { timeout: 20_000 }).toBe(1200)
    } finally {
      checked.close()
    }
  })
})

describe('a token of a device', () => {
  it('names the device', async () => {
    const { text } = await deviceWith('d')
    expect(await bearer(text)).toBe('device')
    expect(await asDevice(text)).toBe('d')
  })

  it.each(Object.entries(INVALID))('is rejected when %s', async (_, make) => {
    const { text } = await make()
    expect(await bearer(text)).toBe('nobody')
    expect(await asDevice(text)).toBeUndefined()
  })

  it.each([
    ['another secret', (text: string) => text.replace(/.$/, last => (last === '0' ? '1' : '0'))],
    ['another id', (text: string) => text.replace(/_[0-9a-f]{16}_/, `_${'0'.repeat(16)}_`)],
    ['the prefix of a person', (text: string) => text.replace('hfd', 'hfp')],
    ['the prefix of an enrolment key', (text: string) => text.replace('hfd', 'hfe')],
    ['the prefix of an invitation', (text: string) => text.replace('hfd', 'hfi')],
    ['a fingerprint', (text: string) => `${text}_${'0'.repeat(64)}`],
  ])('is rejected with %s, also after the right one was seen', async (_, alter) => {
    const { text } = await deviceWith('d')
    for (const isRemembered of [false, true]) {
      if (isRemembered) expect(await bearer(text)).toBe('device')
      expect(await bearer(alter(text))).toBe('nobody')
      expect(await asDevice(alter(text))).toBeUndefined()
    }
  })

  it('needs the word Bearer', async () => {
    const { text } = await deviceWith('d')
    for (const header of ['', text, `Basic ${text}`, 'Bearer ', `Bearer x${text}`]) {
      expect((await tokens.bearer(header, '192.0.2.9')).kind).toBe('nobody')
    }
    expect(await asDevice(undefined)).toBeUndefined()
  })

  it('is rejected once it expires, though it was seen a moment before', async () => {
    const { text } = await deviceWith('d', { expires_at: NOW + 1000 })
    expect([await bearer(text), await asDevice(text)]).toEqual(['device', 'd'])
    rows.clock.now += 1000
    expect([await bearer(text), await asDevice(text)]).toEqual(['nobody', undefined])
  })

  it('is read again when tokens change, its own or any', async () => {
    const [{ text }, other] = [await deviceWith('d'), await deviceWith('other')]
    expect(await asDevice(other.text)).toBe('other')
    expect(await asDevice(text)).toBe('d')
    await db().updateTable('tokens').set({ revoked_at: NOW }).execute()
    rows.team.hub.changed('people')
    expect(await asDevice(text)).toBe('d')
    rows.team.hub.changed('tokens', 'd')
    expect([await asDevice(text), await asDevice(other.text)]).toEqual([undefined, 'other'])
    rows.team.hub.changed('tokens')
    expect(await asDevice(other.text)).toBeUndefined()
  })

  it('is read again after a minute, if the change was lost', async () => {
    const { text } = await deviceWith('d')
    expect(await asDevice(text)).toBe('d')
    await db().updateTable('devices').set({ revoked_at: NOW }).execute()
    rows.clock.now += 59_999
    expect(await asDevice(text)).toBe('d')
    rows.clock.now += 1
    expect(await asDevice(text)).toBeUndefined()
  })

  it('is not kept as good when it changes while it is read', async () => {
    const { text } = await deviceWith('d')
    const first = bearer(text)
    rows.team.hub.changed('tokens')
    expect(await first).toBe('device')
    await db().updateTable('tokens').set({ revoked_at: NOW }).execute()
    expect(await bearer(text)).toBe('nobody')
  })
})

describe('unknown tokens', () => {
  const guess = (index: number) => `hfd_${index.toString(16).padStart(16, '0')}_${'0'.repeat(64)}`
  const HERE = '198.51.100.7'

  it('of one network are counted for a minute; known ones that were seen stay welcome', async () => {
    rows.clock.now = Math.ceil(NOW / 60_000) * 60_000
    const [seen, fresh] = [await deviceWith('seen'), await deviceWith('fresh')]
    expect(await bearer(seen.text, HERE)).toBe('device')
    for (let index = 0; index < 60; index++) expect(await bearer(guess(index), HERE)).toBe('nobody')
    rows.team.hub.changed('tokens')
    expect(await bearer(fresh.text, HERE)).toBe('nobody')
    expect(await bearer(seen.text, HERE)).toBe('device')
    expect(await bearer(fresh.text, '198.51.100.8')).toBe('device')
    const other = await deviceWith('other')
    rows.clock.now += 59_999
    expect(await bearer(other.text, HERE)).toBe('nobody')
    rows.clock.now += 1
    expect(await bearer(other.text, HERE)).toBe('device')
  })

  it('with a known id and a wrong secret are counted, too', async () => {
    rows.clock.now = Math.ceil(NOW / 60_000) * 60_000
    const [one, two] = [await deviceWith('one'), await deviceWith('two')]
    const wrong = one.text.replace(/.{8}$/, '00000000')
    for (let index = 0; index < 60; index++) await bearer(wrong, HERE)
    expect(await bearer(two.text, HERE)).toBe('nobody')
  })
})

describe('a renewed token of a device', () => {
  const isRevoked = async ({ id }: { id: string }) => {
    const row = await db().selectFrom('tokens').select('revoked_at').where('id', '=', id).executeTakeFirst()
    return row?.revoked_at !== null
  }

  it('ends the tokens before it at its first use, and no other', async () => {
    const old = await deviceWith('d', { created_at: 1 })
    const unused = await rows.token('d', { created_at: 2 })
    const next = await rows.token('d', { created_at: 3 })
    const newer = await rows.token('d', { created_at: 4 })
    const other = await deviceWith('other', { created_at: 1 })
    const person = await rows.token('d', { created_at: 1, kind: 'person' })
    expect([await asDevice(old.text), await asDevice(next.text)]).toEqual(['d', 'd'])
    expect([await asDevice(old.text), await asDevice(unused.text)]).toEqual([undefined, undefined])
    expect(await Promise.all([old, unused, next, newer, other, person].map(isRevoked))).toEqual([
      ...[true, true],
      ...[false, false, false, false],
    ])
    expect([await asDevice(newer.text), await asDevice(next.text)]).toEqual(['d', undefined])
  })

  it('is not taken when it was revoked, or is unknown', async () => {
    await deviceWith('d')
    const revoked = await rows.token('d', { revoked_at: NOW })
    const promote = (id: string) => rows.team.store.write(tx => promoteToken(tx, 'd', id, rows.team.now()))
    expect(await promote(revoked.id)).toBe(false)
    expect(await promote('unknown')).toBe(false)
  })

  it('does not end the one in use before it is itself used, and at most five wait', async () => {
    const old = await deviceWith('d', { created_at: NOW + DAY })
    const revoked = await rows.token('d', { revoked_at: NOW, created_at: 1 })
    const other = await rows.token('other', { created_at: 1 })
    const person = await rows.token('d', { kind: 'person', created_at: 1 })
    const made = []
    for (let index = 0; index < 8; index++) {
      rows.clock.now++
      made.push(await renew(rows.team, 'd'))
    }
    const left = (await db().selectFrom('tokens').select('id').execute()).map(({ id }) => id)
    const kept = [old, revoked, other, person, ...made.slice(3)].map(({ id }) => id)
    expect(left.sort()).toEqual(kept.sort())
    expect(await asDevice(old.text)).toBe('d')
    expect(new Set(made.map(({ text }) => text)).size).toBe(8)
    expect(made[0]!.expiresAt).toBe(NOW + 1 + 90 * DAY)
  })

  it('is not made for a device that is gone', async () => {
    await rows.device('revoked', { revoked_at: NOW })
    for (const id of ['revoked', 'unknown']) {
      await expect(renew(rows.team, id)).rejects.toMatchObject({ code: 'unknown-caller' })
    }
  })
})

describe('a token of a person', () => {
  const personal = (change = {}) => rows.token(member.userId, { kind: 'person', role: 'admin', ...change })
  const demote = (role: Role) => db().updateTable('members').set({ role }).execute()
  afterEach(() => demote('admin'))

  it.each([
    ['auditor', 'auditor', 'auditor'],
    ['auditor', 'owner', 'auditor'],
    ['owner', 'auditor', 'auditor'],
    ['author', 'admin', 'author'],
    ['admin', 'author', 'author'],
  ] as const)('for %s of a member who is %s is worth %s', async (role, memberRole, expected) => {
    await demote(memberRole)
    expect(await bearer((await personal({ role })).text)).toBe(expected)
  })

  it('is never one of a device', async () => {
    const { text } = await personal()
    await rows.device(member.userId)
    expect(await asDevice(text)).toBeUndefined()
    expect(await bearer(text.replace('hfp', 'hfd'))).toBe('nobody')
  })

  it.each([
    ['revoked', { revoked_at: NOW }],
    ['expired', { expires_at: NOW }],
    ['of nobody in the team', { owner: 'nobody' }],
  ])('is rejected when it is %s', async (_, change) => {
    expect(await bearer((await personal(change)).text)).toBe('nobody')
  })

  const wish = { name: 'script', role: '', days: 0 }

  it('is one of fifty that are still good', async () => {
    for (let index = 0; index < 49; index++) await personal()
    await personal({ revoked_at: NOW })
    await personal({ expires_at: NOW })
    await personal({ owner: 'other' })
    await rows.token(member.userId)
    await createToken(rows.team, member, wish)
    await expect(createToken(rows.team, member, wish)).rejects.toMatchObject({ code: 'too-much' })
  })

  it.each([
    ['for a role above that of its owner', { role: 'owner' }, 'forbidden'],
    ['for a role that does not exist', { role: 'root' }, 'invalid'],
    ['for more than a year', { days: 366 }, 'invalid'],
    ['for less than a day', { days: -1 }, 'invalid'],
    ['without a name', { name: ' ' }, 'invalid'],
  ])('is not made %s', async (_, change, code) => {
    await expect(createToken(rows.team, member, { ...wish, ...change })).rejects.toMatchObject({ code })
  })

  it('is not made by a token', async () => {
    const actor: Person = { ...member, via: 'token' }
    await expect(createToken(rows.team, actor, wish)).rejects.toMatchObject({ code: 'not-now' })
  })

  it('ends after the days that were asked for, or ninety', async () => {
    const ends = async (days: number) =>
      (await createToken(rows.team, member, { ...wish, days })).token.expires_at - NOW
    expect([await ends(0), await ends(1), await ends(365)]).toEqual([90 * DAY, DAY, 365 * DAY])
  })

  it('is listed for its owner until it is revoked', async () => {
    const own = await personal({ expires_at: NOW })
    await personal({ revoked_at: NOW })
    await personal({ owner: 'other' })
    await rows.token(member.userId)
    const listed = await pageOfTokens(db(), member.userId, null, 10)
    expect(listed.map(({ id }) => id)).toEqual([own.id])
  })

  it('is revoked by its owner alone, once', async () => {
    const own = await personal()
    const others = [
      await personal({ owner: 'other' }),
      await rows.token(member.userId),
      await personal({ revoked_at: 1 }),
    ]
    for (const { id } of others) {
      await expect(revokeToken(rows.team, member, id)).rejects.toMatchObject({ code: 'missing' })
    }
    expect(await bearer(own.text)).toBe('admin')
    await revokeToken(rows.team, member, own.id)
    expect(await bearer(own.text)).toBe('nobody')
    const revoked = await db().selectFrom('tokens').select('id').where('revoked_at', '=', NOW).execute()
    expect(revoked.map(({ id }) => id)).toEqual([own.id])
  })
})
