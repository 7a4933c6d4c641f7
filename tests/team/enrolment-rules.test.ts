// Which devices may enrol: by an enrolment key, or by a user who signed in. Each case differs from an accepted one in
// one way only.

import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import type { EnrolRequest, ReportRequest } from '@holdfast/team'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACTOR, type Person } from '../../packages/server/src/access/actor.js'
import { fieldsIn } from '../../packages/server/src/audit/actions.js'
import { hashed } from '../../packages/server/src/people/adapter.js'
import { revokeDevice, setGroup } from '../../packages/server/src/people/devices.js'
import { enrolRpc } from '../../packages/server/src/people/enrol.js'
import {
  createKey,
  endKeysOf,
  openKey,
  revokeKey,
  useKey,
} from '../../packages/server/src/people/enrolment-keys.js'
import { openReports } from '../../packages/server/src/people/report.js'
import type { Team } from '../../packages/server/src/team.js'
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
  await rows.empty('tokens', 'devices', 'enrolment_keys', 'session', 'members', 'user', 'limits')
  owner = await rows.seat('owner')
  admin = await rows.seat('admin')
})

const db = () => rows.team.store.db
const write: Rows['team']['store']['write'] = work => rows.team.store.write(work)

describe('an enrolment key', () => {
  const open = (text: string) => codeOf(write(tx => openKey(rows.team, tx, text)))

  it.each([
    ['valid', {}, 'ok'],
    ['valid for another moment', { expires_at: NOW + 1 }, 'ok'],
    ['expired', { expires_at: NOW }, 'unknown-caller'],
    ['revoked', { revoked_at: 1 }, 'unknown-caller'],
  ])('that is %s is opened: %s', async (_, change, code) => {
    expect(await open((await rows.key(change)).text)).toBe(code)
  })

  it.each([
    [
      'another secret',
      (text: string) => text.replace(/_[0-9a-f]{64}_/, `_${'0'.repeat(64)}_`),
      'unknown-caller',
    ],
    ['another id', (text: string) => text.replace(/_[0-9a-f]{16}_/, `_${'0'.repeat(16)}_`), 'unknown-caller'],
    ['the prefix of a device', (text: string) => text.replace('hfe', 'hfd'), 'unknown-caller'],
    [
      'another fingerprint',
      (text: string) => text.replace(/.$/, last => (last === '0' ? '1' : '0')),
      'invalid',
    ],
    ['no fingerprint', (text: string) => text.slice(0, -65), 'invalid'],
    ['nothing in it', () => '', 'unknown-caller'],
  ])('with %s is rejected', async (_, alter, code) => {
    expect(await open(alter((await rows.key()).text))).toBe(code)
  })

  it('is used as often as it says, and not after it was revoked', async () => {
    const { id } = await rows.key({ max_uses: 2 })
    const other = await rows.key({ max_uses: 2 })
    const use = async () => {
      const key = await db().selectFrom('enrolment_keys').selectAll().where('id', '=', id).executeTakeFirst()
      return codeOf(write(tx => useKey(tx, key!)))
    }
    expect([await use(), await use(), await use()]).toEqual(['ok', 'ok', 'unknown-caller'])
    const { uses } = await db()
      .selectFrom('enrolment_keys')
      .select('uses')
      .where('id', '=', other.id)
      .executeTakeFirstOrThrow()
    expect(uses).toBe(0)
    await db().updateTable('enrolment_keys').set({ uses: 0, revoked_at: NOW }).execute()
    expect(await use()).toBe('unknown-caller')
  })

  it('ends with the member who made it', async () => {
    const made = { created_by: 'eve@example.com' }
    const open = await rows.key(made)
    const usedUp = await rows.key({ ...made, uses: 10 })
    const expired = await rows.key({ ...made, expires_at: NOW })
    const revoked = await rows.key({ ...made, revoked_at: 1 })
    await rows.key({ created_by: 'ann@example.com' })
    expect(await write(tx => endKeysOf(rows.team, tx, 'eve@example.com'))).toEqual([open.id])
    expect(await rows.revoked('enrolment_keys')).toEqual([open, usedUp, revoked].map(({ id }) => id).sort())
    const keys = await db().selectFrom('enrolment_keys').selectAll().execute()
    expect(keys.find(({ id }) => id === revoked.id)).toMatchObject({ revoked_at: 1 })
    expect(keys.find(({ id }) => id === expired.id)).toMatchObject({ revoked_at: null })
  })

  it('takes its own devices along when it is revoked with them', async () => {
    const [key, other] = [await rows.key(), await rows.key()]
    for (const [id, enrolment_key] of [
      ['one', key.id],
      ['two', key.id],
      ['other', other.id],
    ] as const) {
      await rows.device(id, { enrolment_key })
      await rows.token(id, { id: `token of ${id}` })
    }
    await rows.device('gone', { enrolment_key: key.id, revoked_at: 1 })
    await rows.token('one', { id: 'personal', kind: 'person' })
    expect(await revokeKey(rows.team, admin, { id: key.id, withDevices: false })).toBe(0)
    expect(await rows.revoked('devices')).toEqual(['gone'])
    expect(await rows.revoked('tokens')).toEqual([])
    expect(await revokeKey(rows.team, admin, { id: key.id, withDevices: true })).toBe(2)
    expect(await rows.revoked('devices')).toEqual(['gone', 'one', 'two'])
    expect(await rows.revoked('tokens')).toEqual(['token of one', 'token of two'])
    expect(await rows.revoked('enrolment_keys')).toEqual([key.id])
    expect(await codeOf(revokeKey(rows.team, admin, { id: 'unknown', withDevices: true }))).toBe('missing')
  })

  it.each([
    ['hours', 7 * 24, 24],
    ['maxUses', 100_000, 1],
  ] as const)('has %s from one to %i, and %i by default', async (field, most, usual) => {
    const wish = { note: '', group: '', maxUses: 1, hours: 1 }
    const make = (value: number) => createKey(rows.team, admin, { ...wish, [field]: value })
    for (const value of [-1, most + 1]) expect(await codeOf(make(value)), String(value)).toBe('invalid')
    for (const [value, expected] of [
      [1, 1],
      [most, most],
      [0, usual],
    ] as const) {
      const { key } = await make(value)
      expect(field === 'hours' ? (key.expires_at - NOW) / 3_600_000 : key.max_uses).toBe(expected)
    }
  })

  it('is created by members with the role only, with the given limits, and enrols a device', async () => {
    const wish = { note: ' fleet ', group: ' build ', maxUses: 2, hours: 3 }
    const { key, secret } = await createKey(rows.team, admin, wish)
    expect(await open(secret)).toBe('ok')
    expect(key).toMatchObject({ note: 'fleet', group: 'build', uses: 0, created_by: admin.name })
    const last = await db()
      .selectFrom('admin_actions')
      .selectAll()
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow()
    expect(fieldsIn(last.body)).toMatchObject({
      action: 'enrolment-key.create',
      subject: key.id,
      detail: { note: 'fleet', group: 'build', max_uses: 2, hours: 3 },
    })
    expect(last.body.toString()).not.toContain(secret.split('_')[2])
    await db().updateTable('members').set({ role: 'author' }).where('user_id', '=', admin.userId).execute()
    const before = await rows.ids('enrolment_keys')
    expect(await codeOf(createKey(rows.team, admin, wish))).toBe('forbidden')
    expect(await codeOf(revokeKey(rows.team, admin, { id: key.id, withDevices: true }))).toBe('forbidden')
    expect(await rows.ids('enrolment_keys')).toEqual(before)
    expect(await rows.revoked('enrolment_keys')).toEqual([])
  })

  it('that is revoked again keeps the time of the first time, and invalidates cached tokens', async () => {
    const { id } = await rows.key({ revoked_at: 5 })
    const before = rows.team.hub.epoch('tokens')
    await revokeKey(rows.team, admin, { id, withDevices: false })
    const row = await db().selectFrom('enrolment_keys').selectAll().executeTakeFirstOrThrow()
    expect(row.revoked_at).toBe(5)
    expect(rows.team.hub.epoch('tokens')).toBeGreaterThan(before)
  })
})

describe('enrolment', () => {
  const ID = '0123456789abcdef0123456789abcdef'
  let address = 0
  const answered = (proof: EnrolRequest['proof'], change: object = {}, team: Team = rows.team) => {
    const values = createContextValues().set(ACTOR, { kind: 'nobody', address: `192.0.2.${++address}` })
    const facts = { name: 'laptop', operatingSystem: 'Linux', osVersion: '', clientVersion: '' }
    const request = { proof, deviceId: ID, facts, ...change } as EnrolRequest
    return enrolRpc(team).enrol!(request, { values } as HandlerContext) as Promise<unknown>
  }
  const enrol = (proof: EnrolRequest['proof'], change: object = {}) => codeOf(answered(proof, change))
  const leave = (deviceId: string) => {
    const values = createContextValues().set(ACTOR, { kind: 'device', deviceId, address: '' })
    return enrolRpc(rows.team).leave!({} as never, { values } as HandlerContext)
  }
  const byKey = (value: string): EnrolRequest['proof'] => ({ case: 'enrolmentKey', value })
  const byPerson = (value: string): EnrolRequest['proof'] => ({ case: 'accessToken', value })
  const device = () => db().selectFrom('devices').selectAll().where('id', '=', ID).executeTakeFirstOrThrow()

  let sessions = 0
  async function signIn(person: Person, change: object = {}): Promise<EnrolRequest['proof']> {
    const token = `session ${++sessions}`
    const at = new Date().toISOString()
    await db()
      .insertInto('session')
      .values({
        id: token,
        token: hashed(token),
        userId: person.userId,
        userAgent: 'holdfast login',
        expiresAt: new Date(Date.now() + 600_000).toISOString(),
        createdAt: at,
        updatedAt: at,
        ...change,
      } as never)
      .execute()
    return byPerson(token)
  }

  it('needs a proof, a device id and a description', async () => {
    const { text } = await rows.key()
    expect(await enrol({ case: undefined })).toBe('unknown-caller')
    for (const deviceId of ['', ID.slice(1), ID.toUpperCase(), `${ID}0`, `${ID}\n`]) {
      expect(await enrol(byKey(text), { deviceId }), deviceId).toBe('invalid')
    }
    expect(await enrol(byKey(text), { facts: undefined })).toBe('invalid')
    expect(await db().selectFrom('devices').select('id').execute()).toEqual([])
    expect(await enrol(byKey(text))).toBe('ok')
  })

  it('opens no transaction, and looks at nothing else, before the proof is checked', async () => {
    const { store } = rows.team
    let writes = 0
    const write: typeof store.write = work => {
      writes++
      return store.write(work)
    }
    const team = { ...rows.team, store: { ...store, write } }
    const tried = (proof: EnrolRequest['proof'], change: object = {}) => codeOf(answered(proof, change, team))
    const { text } = await rows.key()
    for (const proof of [
      { case: undefined },
      byKey(''),
      byKey('hfe_'),
      byKey(text.replace('hfe', 'hfd')),
      byKey('x'.repeat(100_000)),
      { case: 'accessToken', value: 'none' },
    ] as const) {
      // The device id is wrong as well, but the response does not mention it.
      expect(await tried(proof, { deviceId: 'x', facts: undefined })).toBe('unknown-caller')
    }
    expect(writes).toBe(0)
    expect(await tried(byKey(text))).toBe('ok')
    expect(writes).toBe(1)
  })

  it('uses the key once for a device, and ends the tokens it had', async () => {
    const { text, id } = await rows.key({ group: 'g', max_uses: 1 })
    expect(await enrol(byKey(text))).toBe('ok')
    expect(await device()).toMatchObject({ group: 'g', enrolment_key: id })
    const [first] = await rows.ids('tokens')
    expect(await enrol(byKey(text))).toBe('ok')
    expect(await rows.revoked('tokens')).toEqual([first])
    expect(await enrol(byKey(text), { deviceId: ID.replace('0', '1') })).toBe('unknown-caller')
    const [{ uses }] = (await db().selectFrom('enrolment_keys').select('uses').execute()) as [
      { uses: number },
    ]
    expect(uses).toBe(1)
  })

  it('by another proof never takes over a device, but marks it', async () => {
    const [own, other] = [await rows.key(), await rows.key()]
    await enrol(byKey(own.text))
    expect(await enrol(byKey(other.text))).toBe('exists')
    expect(await device()).toMatchObject({ looks_cloned: 1, enrolment_key: own.id })
    await db().updateTable('devices').set({ looks_cloned: 0 }).execute()
    expect(await enrol(await signIn(admin))).toBe('exists')
    expect(await device()).toMatchObject({ looks_cloned: 1 })
    expect(await rows.revoked('tokens')).toEqual([])
    // A removed device cannot be a copy.
    await db().updateTable('devices').set({ looks_cloned: 0, revoked_at: 1 }).execute()
    expect(await enrol(byKey(other.text))).toBe('exists')
    expect(await device()).toMatchObject({ looks_cloned: 0 })
    const { uses } = (await db().selectFrom('enrolment_keys').selectAll().execute()).find(
      ({ id }) => id === other.id,
    )!
    expect(uses).toBe(0)
  })

  it('with its key brings back a device that left, but none that was revoked', async () => {
    const { text } = await rows.key()
    await enrol(byKey(text))
    await revokeDevice(rows.team, admin, ID, '')
    expect(await enrol(byKey(text))).toBe('forbidden')
    await db().updateTable('devices').set({ state: 'left' }).execute()
    expect(await enrol(byKey(text))).toBe('ok')
    expect(await device()).toMatchObject({ revoked_at: null, state: 'no_bundle' })
  })

  it('by the user who enrolled it brings back a revoked device; by another one it does not', async () => {
    expect(await enrol(await signIn(admin))).toBe('ok')
    await revokeDevice(rows.team, owner, ID, '')
    expect(await enrol(await signIn(owner))).toBe('exists')
    expect(await enrol(await signIn(admin))).toBe('ok')
  })

  it('by a person needs a sign-in of a device that is not over, once, of a member', async () => {
    const browser = await signIn(admin, { userAgent: 'Mozilla/5.0' })
    const over = await signIn(admin, { expiresAt: new Date(Date.now() - 1).toISOString() })
    for (const proof of [browser, over, byPerson('unknown'), byPerson('')]) {
      expect(await enrol(proof)).toBe('unknown-caller')
    }
    const good = await signIn(admin)
    expect(await enrol(good)).toBe('ok')
    expect(await enrol(good)).toBe('unknown-caller')
    const last = await signIn(admin)
    await db().deleteFrom('members').where('user_id', '=', admin.userId).execute()
    expect(await enrol(last)).toBe('unknown-caller')
  })

  it('shuts out a network after thirty wrong keys, and no other', async () => {
    const { text } = await rows.key()
    const rpc = enrolRpc(rows.team)
    const from = (network: string, value: string) => {
      const values = createContextValues().set(ACTOR, { kind: 'nobody', address: network })
      const facts = { name: 'laptop', operatingSystem: 'Linux', osVersion: '', clientVersion: '' }
      const request = { proof: byKey(value), deviceId: ID, facts } as EnrolRequest
      return codeOf(rpc.enrol!(request, { values } as HandlerContext) as Promise<unknown>)
    }
    const wrong = text.replace(/_[0-9a-f]{64}_/, `_${'0'.repeat(64)}_`)
    for (let index = 0; index < 30; index++) expect(await from('203.0.113.5', wrong)).toBe('unknown-caller')
    expect(await from('203.0.113.5', text)).toBe('too-much')
    expect(await from('203.0.113.6', text)).toBe('ok')
  })

  it('by a key with the note of another one never takes over a device', async () => {
    const [own, other] = [await rows.key({ note: 'fleet' }), await rows.key({ note: 'fleet' })]
    expect(await enrol(byKey(own.text))).toBe('ok')
    expect(await device()).toMatchObject({ enrolled_by: 'key fleet' })
    expect(await enrol(byKey(other.text))).toBe('exists')
    expect(await device()).toMatchObject({ enrolment_key: own.id, looks_cloned: 1 })
  })

  it('is for Windows, Macintosh and Linux, with a name', async () => {
    const { text } = await rows.key()
    const fact = (change: object) =>
      enrol(byKey(text), {
        facts: { name: 'x', operatingSystem: 'Linux', osVersion: '', clientVersion: '', ...change },
      })
    for (const operatingSystem of ['Windows', 'Macintosh', 'Linux']) {
      expect(await fact({ operatingSystem }), operatingSystem).toBe('ok')
    }
    for (const operatingSystem of ['', 'linux', 'macOS', 'BeOS']) {
      expect(await fact({ operatingSystem }), operatingSystem).toBe('invalid')
    }
    for (const field of ['name', 'osVersion', 'clientVersion']) {
      expect(await fact({ [field]: 'a\u202eb' }), field).toBe('invalid')
      expect(await fact({ [field]: 'x'.repeat(101) }), field).toBe('invalid')
    }
    expect(await fact({ name: '' })).toBe('invalid')
  })

  it('again keeps the group that an admin gave the device, and invalidates cached tokens', async () => {
    const { text } = await rows.key({ group: 'first' })
    const news = () => rows.team.hub.epoch('tokens')
    const before = news()
    await enrol(byKey(text))
    expect(news()).toBe(before)
    await setGroup(rows.team, admin, ID, 'second')
    expect(await answered(byKey(text))).toMatchObject({
      teamId: rows.team.id,
      token: expect.stringMatching(/^hfd_/),
      tokenExpiresAt: new Date(NOW + 90 * 86_400_000).toISOString(),
      group: 'second',
    })
    expect(news()).toBeGreaterThan(before)
    expect(await device()).toMatchObject({ group: 'second' })
  })

  it.each([
    ['a device that leaves', (id: string) => leave(id), 'left'],
    ['a device that an admin revokes', (id: string) => revokeDevice(rows.team, admin, id, ''), 'no_bundle'],
  ])('ends for %s with its tokens, and for no other', async (_, end, state) => {
    await rows.device('one')
    await rows.device('two')
    const [token] = [await rows.token('one'), await rows.token('two')]
    await rows.token('one', { kind: 'person' })
    const before = rows.team.hub.epoch('tokens')
    await end('one')
    expect(await rows.revoked('devices')).toEqual(['one'])
    expect(await rows.revoked('tokens')).toEqual([token.id])
    expect(rows.team.hub.epoch('tokens')).toBeGreaterThan(before)
    const states = await db().selectFrom('devices').select(['id', 'state']).orderBy('id').execute()
    expect(states).toEqual([
      { id: 'one', state },
      { id: 'two', state: 'no_bundle' },
    ])
  })

  it('is revoked once, and changes the group of one device only', async () => {
    await rows.device('one', { group: 'g' })
    await rows.device('two', { group: 'g' })
    expect(await codeOf(revokeDevice(rows.team, admin, 'unknown', ''))).toBe('missing')
    expect(await codeOf(revokeDevice(rows.team, admin, 'one', 'x'.repeat(501)))).toBe('invalid')
    expect(await codeOf(revokeDevice(rows.team, admin, 'one', 'x'.repeat(500)))).toBe('ok')
    rows.clock.now++
    expect(await codeOf(revokeDevice(rows.team, admin, 'one', ''))).toBe('missing')
    expect(await codeOf(setGroup(rows.team, admin, 'unknown', 'h'))).toBe('missing')
    expect(await codeOf(setGroup(rows.team, admin, 'two', 'x'.repeat(61)))).toBe('invalid')
    expect(await codeOf(setGroup(rows.team, admin, 'two', 'h'))).toBe('ok')
    const all = await db().selectFrom('devices').select(['id', 'group', 'revoked_at']).orderBy('id').execute()
    expect(all).toEqual([
      { id: 'one', group: 'g', revoked_at: NOW },
      { id: 'two', group: 'h', revoked_at: null },
    ])
  })
})

describe('what a device reports', () => {
  const said = (change: object = {}) =>
    ({
      state: 'in_sync',
      release: 3,
      releaseHash: 'f'.repeat(65),
      trustVersion: 2,
      queued: 5,
      problems: [],
      ...change,
    }) as unknown as ReportRequest
  const stored = () => db().selectFrom('devices').selectAll().orderBy('id').execute()

  it('is stored for itself, and changes neither another device nor what others decide about it', async () => {
    await rows.device('one', { group: 'g', enrolled_by: 'ann', looks_cloned: 1, last_seen_at: 1 })
    await rows.device('two', { last_seen_at: 1 })
    const [before, other] = await stored()
    const more = { group: 'admins', revoked_at: 7, enrolledBy: 'eve', place: 0, looks_cloned: 0 }
    await openReports(rows.team)('one', said({ ...more, facts: undefined }))
    expect(await stored()).toEqual([
      {
        ...before,
        release: 3,
        release_hash: `${'f'.repeat(63)}…`,
        trust_version: 2,
        state: 'in_sync',
        queued: 5,
        last_seen_at: NOW,
      },
      other,
    ])
    const facts = { name: 'a\0b', osVersion: '1', clientVersion: '2', operatingSystem: 'Windows' }
    await openReports(rows.team)('one', said({ facts, queued: -1 }))
    expect((await stored())[0]).toMatchObject({
      name: 'a b',
      os_version: '1',
      client_version: '2',
      operating_system: 'Linux',
      queued: 0,
    })
  })

  it('is one of four states, with twenty short problems at most', async () => {
    await rows.device('one')
    for (const state of ['in_sync', 'stale', 'killed', 'no_bundle']) {
      expect(await codeOf(openReports(rows.team)('one', said({ state }))), state).toBe('ok')
    }
    for (const state of ['', 'left', 'revoked', 'silent', 'behind']) {
      expect(await codeOf(openReports(rows.team)('one', said({ state }))), state).toBe('invalid')
    }
    const problem = { code: 'c'.repeat(100), message: 'm'.repeat(1000), at: 'a'.repeat(100) }
    await openReports(rows.team)('one', said({ problems: Array(30).fill(problem) }))
    const problems = JSON.parse((await stored())[0]!.problems) as (typeof problem)[]
    expect(problems).toHaveLength(20)
    expect(Object.values(problems[0]!).map(text => text.length)).toEqual([60, 500, 40])
  })
})
