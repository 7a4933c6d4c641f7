// Devices: enrolment, validity of their tokens, and their descriptions.

import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { placeOf } from '../../packages/server/src/people/enrol.js'
import { ANY_DATABASE, DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { newAddress, newDeviceId, startServer, type TestServer } from './people.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FACTS = { name: 'laptop', operatingSystem: 'Linux', osVersion: '6.1', clientVersion: '0.1.0' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

it('the place of a device is a hash of team, salt and id', () => {
  const digest = createHash('sha256').update('holdfast-ring\0t\0s\0d').digest()
  expect(placeOf('t', 's', 'd')).toBe(Number(BigInt(`0x${digest.subarray(0, 8).toString('hex')}`)) / 2 ** 64)
  const places = Array.from({ length: 2000 }, (_, i) => placeOf('t', 's', String(i)))
  expect(places.every(place => place >= 0 && place < 1)).toBe(true)
  expect(places.filter(place => place < 0.05).length / 2000).toBeCloseTo(0.05, 1)
})

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let server: TestServer
  const open = async () => {
    database = await create()
    server = await startServer(database)
  }
  const close = async () => {
    await server.close()
    await database.drop()
  }
  const enrol = (wish: object) =>
    server.call('DeviceService/Enrol', { deviceId: newDeviceId(), facts: FACTS, ...wish })
  const rowOf = (id: string) =>
    server.store.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const enrolledBy = (key: string) =>
    server.store.db.selectFrom('devices').select('id').where('enrolment_key', '=', key).execute()
  /** Whether the server accepts the token. */
  const isIn = async (token: string) =>
    (await server.call('DeviceService/Report', { facts: FACTS }, bearer(token))).code !== 'unauthenticated'

  describe('on one server', () => {
    beforeAll(open)
    afterAll(close)

    usualIt('enrols by a key, into its group, and pins the team', async () => {
      const { secret } = await server.key({ group: 'build farm', note: 'image 7', maxUses: 1 })
      expect(secret).toMatch(new RegExp(`^hfe_[0-9a-f]{16}_[0-9a-f]{64}_${server.fingerprint}$`))
      const deviceId = newDeviceId()
      const { body, status } = await enrol({ enrolmentKey: secret, deviceId })
      expect(status).toBe(200)
      expect(body).toMatchObject({ teamId: server.team.id, teamName: server.team.name, group: 'build farm' })
      const pinned = createHash('sha256').update(Buffer.from(body.trust[0].payload, 'base64')).digest('hex')
      expect(pinned).toBe(server.fingerprint)
      expect(server.secret(body.token)).toMatch(/^hfd_[0-9a-f]{16}_[0-9a-f]{64}$/)
      const days = (Date.parse(body.tokenExpiresAt) - Date.now()) / DAY_MS
      expect(days).toBeGreaterThan(89.9)
      expect(days).toBeLessThan(90.1)
      expect(await isIn(body.token)).toBe(true)
      const { salt } = await server.store.db.selectFrom('team').select('salt').executeTakeFirstOrThrow()
      expect(await rowOf(deviceId)).toMatchObject({
        name: 'laptop',
        enrolled_by: 'key image 7',
        place: placeOf(server.team.id, salt, deviceId),
      })
      const last = await server.store.db
        .selectFrom('admin_actions')
        .select(['action', 'actor', 'subject'])
        .orderBy('seq', 'desc')
        .executeTakeFirst()
      expect(last).toEqual({ action: 'device.enrol', actor: `device ${deviceId}`, subject: deviceId })
    })

    it('a key lets in as many as it says, even when they come at once', async () => {
      const { secret, id } = await server.key({ maxUses: 3 })
      const answers = await Promise.all(Array.from({ length: 8 }, () => enrol({ enrolmentKey: secret })))
      for (const { body } of answers) if (body.token) server.secret(body.token)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
      const refused = answers.find(({ status }) => status !== 200)!
      expect(refused).toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('no uses left (3 of 3 used)'),
      })
      const key = await server.store.db
        .selectFrom('enrolment_keys')
        .select('uses')
        .where('id', '=', id)
        .execute()
      expect(key).toEqual([{ uses: 3 }])
      expect(await enrolledBy(id)).toHaveLength(3)
    })

    usualIt('the key of another team, or one with a changed end, is refused', async () => {
      const { secret } = await server.key()
      const other = await enrol({ enrolmentKey: secret.replace(/[0-9a-f]{64}$/, '0'.repeat(64)) })
      expect(other).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('another team'),
      })
      for (const wrong of [
        '',
        'hfe_',
        secret.slice(0, -65),
        secret.replace('hfe', 'hfd'),
        'x'.repeat(10_000),
      ]) {
        const { code } = await enrol({ enrolmentKey: wrong })
        expect(code).toBe(wrong === '' ? 'unauthenticated' : code)
        expect(['unauthenticated', 'invalid_argument']).toContain(code)
      }
      expect((await enrol({})).code).toBe('unauthenticated')
    })

    it('a caller without a proof is counted, and waits after thirty tries', async () => {
      const headers = { 'x-forwarded-for': newAddress() }
      const { secret } = await server.key()
      const codes = new Set<string>()
      for (let tries = 0; tries < 31; tries++)
        codes.add((await server.call('DeviceService/Enrol', {}, headers)).code)
      expect([...codes]).toEqual(['unauthenticated', 'resource_exhausted'].slice(0, codes.size))
      const late = await server.call('DeviceService/Enrol', { enrolmentKey: secret }, headers)
      expect(late).toMatchObject({ code: 'resource_exhausted' })
      const elsewhere = { 'x-forwarded-for': newAddress() }
      const other = await server.call('DeviceService/Enrol', { enrolmentKey: secret }, elsewhere)
      expect(other).toMatchObject({ code: 'invalid_argument' })
    })

    usualIt.each([
      [{ deviceId: '' }, 'device_id'],
      [{ deviceId: 'A'.repeat(32) }, 'device_id'],
      [{ deviceId: `${'a'.repeat(31)}\n` }, 'device_id'],
      [{ deviceId: '../../../../etc/passwd/../../../x' }, 'device_id'],
      [{ facts: { ...FACTS, operatingSystem: 'BeOS' } }, 'Windows, Macintosh, Linux'],
      [{ facts: { ...FACTS, name: '' } }, 'facts.name is missing'],
      [{ facts: { ...FACTS, name: 'x'.repeat(101) } }, 'longer than 100'],
      [{ facts: { ...FACTS, name: 'a\u0000b' } }, 'cannot be displayed'],
      [{ facts: undefined }, 'operating_system'],
    ])('%j is refused, and nothing is stored', async (wrong, sentence) => {
      const { id, secret } = await server.key({ maxUses: 1 })
      const answer = await enrol({ enrolmentKey: secret, ...wrong })
      expect(answer).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(sentence) })
      expect(await enrolledBy(id)).toEqual([])
      // The key keeps its uses.
      const { status, body } = await enrol({ enrolmentKey: secret })
      server.secret(body.token)
      expect(status).toBe(200)
    })

    usualIt('an id that somebody else has is never taken over', async () => {
      const owner = await server.owner()
      const one = await server.key()
      const other = await server.key()
      const device = await server.device({ key: one.secret })
      const clone = await enrol({
        enrolmentKey: other.secret,
        deviceId: device.id,
        facts: { ...FACTS, name: 'evil' },
      })
      expect(clone).toMatchObject({
        code: 'already_exists',
        message: expect.stringContaining('Make a new device_id'),
      })
      expect(await isIn(device.token)).toBe(true)
      expect(await rowOf(device.id)).toMatchObject({ name: 'laptop', looks_cloned: 1 })
      const { body } = await owner.call('DevicesService/GetDevice', { id: device.id })
      expect(body.device.looksCloned).toBe(true)
      const uses = await server.store.db
        .selectFrom('enrolment_keys')
        .select('uses')
        .where('id', '=', other.id)
        .execute()
      expect(uses).toEqual([{ uses: 0 }])
    })

    usualIt('the same key enrols it again: a new token, and the old one is over', async () => {
      const key = await server.key({ maxUses: 1 })
      const device = await server.device({ key: key.secret })
      const owner = await server.owner()
      await owner.call('DevicesService/SetDeviceGroup', { id: device.id, group: 'moved' })
      expect(await isIn(device.token)).toBe(true)
      const again = await enrol({
        enrolmentKey: key.secret,
        deviceId: device.id,
        facts: { ...FACTS, name: 'renamed' },
      })
      expect(again).toMatchObject({ status: 200, body: { group: 'moved' } })
      expect(await isIn(server.secret(again.body.token))).toBe(true)
      expect(await isIn(device.token)).toBe(false)
      expect(await rowOf(device.id)).toMatchObject({ name: 'renamed', group: 'moved' })
    })

    it('ten that enrol one id at once leave one device with one good token', async () => {
      const { secret } = await server.key()
      const deviceId = newDeviceId()
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => enrol({ enrolmentKey: secret, deviceId })),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
      const good = await Promise.all(answers.map(({ body }) => isIn(server.secret(body.token))))
      expect(good.filter(Boolean)).toHaveLength(1)
    })

    usualIt('a renewed token takes over when it is first used, and not before', async () => {
      const device = await server.device()
      const renew = async (token: string) => {
        const { body } = await server.call('DeviceService/RenewToken', {}, bearer(token))
        return server.secret(body.token as string)
      }
      const lost = await renew(device.token)
      // The response was lost; the old token is still valid, and is renewed again.
      expect(await isIn(device.token)).toBe(true)
      const second = await renew(device.token)
      expect(await isIn(device.token)).toBe(true)
      expect(await isIn(second)).toBe(true)
      expect(await isIn(device.token)).toBe(false)
      expect(await isIn(lost)).toBe(false)
      expect(await isIn(second)).toBe(true)
      expect((await rowOf(device.id)).token_id).toBe(second.split('_')[1])
    })

    usualIt('renewed tokens that nobody uses do not pile up', async () => {
      const device = await server.device()
      for (let i = 0; i < 12; i++) {
        const { body } = await server.call('DeviceService/RenewToken', {}, bearer(device.token))
        server.secret(body.token)
      }
      const rows = await server.store.db
        .selectFrom('tokens')
        .select('id')
        .where('owner', '=', device.id)
        .execute()
      expect(rows.length).toBeLessThanOrEqual(6)
      expect(await isIn(device.token)).toBe(true)
    })

    usualIt('of two renewed tokens that are first used at once at least the newer holds', async () => {
      const device = await server.device()
      const renew = async () => {
        const { body } = await server.call('DeviceService/RenewToken', {}, bearer(device.token))
        return server.secret(body.token as string)
      }
      const [older, newer] = [await renew(), await renew()]
      await Promise.all([isIn(older!), isIn(newer!)])
      const left = await server.store.db
        .selectFrom('tokens')
        .select('id')
        .where('owner', '=', device.id)
        .where('revoked_at', 'is', null)
        .execute()
      expect(left.map(({ id }) => id)).toContain((await rowOf(device.id)).token_id)
      expect(await isIn(newer!)).toBe(true)
      expect(await isIn(device.token)).toBe(false)
    })

    usualIt('a revoked device is out within the minute, at once in this process', async () => {
      const owner = await server.owner()
      const device = await server.device()
      expect(await isIn(device.token)).toBe(true)
      const revoke = { id: device.id, reason: 'stolen' }
      expect((await owner.call('DevicesService/RevokeDevice', revoke)).status).toBe(200)
      expect(await server.call('DeviceService/RenewToken', {}, bearer(device.token))).toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('removed from the team'),
      })
      expect(await owner.call('DevicesService/RevokeDevice', revoke)).toMatchObject({ code: 'not_found' })
      const { body } = await server.store.db
        .selectFrom('admin_actions')
        .select('body')
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow()
      expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({
        action: 'device.revoke',
        actor: 'olga@example.com',
        detail: { name: 'laptop', reason: 'stolen' },
      })
    })

    usualIt('a device that an admin took out does not come back by the key that let it in', async () => {
      const owner = await server.owner()
      const key = await server.key({ maxUses: 1 })
      const device = await server.device({ key: key.secret })
      await owner.call('DevicesService/RevokeDevice', { id: device.id, reason: 'stolen' })
      expect(await enrol({ enrolmentKey: key.secret, deviceId: device.id })).toMatchObject({
        code: 'permission_denied',
        message: expect.stringContaining('removed from the team'),
      })
      expect((await rowOf(device.id)).revoked_at).not.toBe(null)
    })

    usualIt('what a device says of itself is kept as one plain line each', async () => {
      const device = await server.device()
      const said = {
        facts: { ...FACTS, name: 'a\u001b[2Jb\nc\u0000d' },
        state: 'in_sync',
        problems: [{ code: 'x\n', message: 'y\u001b[31m', at: '' }],
      }
      expect((await server.call('DeviceService/Report', said, bearer(device.token))).status).toBe(200)
      const { name, problems } = await rowOf(device.id)
      expect(name).toBe('a [2Jb c d')
      expect(JSON.parse(problems)).toMatchObject([{ code: 'x', message: 'y [31m' }])
    })

    usualIt('a wrong secret is refused, cached or not', async () => {
      const device = await server.device()
      const wrong = `Bearer ${device.token.replace(/.$/, last => (last === '0' ? '1' : '0'))}`
      expect(await server.people.identifyDevice(wrong)).toBe(undefined)
      expect(await server.people.identifyDevice(`Bearer ${device.token}`)).toMatchObject({ kind: 'device' })
      expect(server.people.identifyDevice(wrong)).toBe(undefined)
    })
  })

  if (ANY_DATABASE.some(one => one.kind === kind))
    describe('on a server of its own', () => {
      beforeEach(open)
      afterEach(close)

      it('a key is over after its hours, and after seven days at most', async () => {
        const { secret } = await server.key({ hours: 1 })
        server.ahead = 61 * 60_000
        expect((await enrol({ enrolmentKey: secret })).message).toContain('has expired')
        const owner = await server.owner()
        for (const wish of [
          { hours: 169 },
          { hours: -1 },
          { maxUses: -1 },
          { maxUses: 100_001 },
          { group: 'x'.repeat(61) },
        ]) {
          expect((await owner.call('DevicesService/CreateEnrolmentKey', wish)).code).toBe('invalid_argument')
        }
      })

      it('a key is revoked, with the devices that it let in or without', async () => {
        const owner = await server.owner()
        const one = await server.key()
        const other = await server.key()
        const first = await server.device({ key: one.secret })
        const second = await server.device({ key: one.secret })
        const third = await server.device({ key: other.secret })
        for (const { token } of [first, second, third]) expect(await isIn(token)).toBe(true)

        expect((await owner.call('DevicesService/RevokeEnrolmentKey', { id: one.id })).body).toEqual({})
        expect((await enrol({ enrolmentKey: one.secret })).message).toContain('was revoked')
        expect(await isIn(first.token)).toBe(true)

        const withDevices = { id: one.id, withDevices: true }
        expect((await owner.call('DevicesService/RevokeEnrolmentKey', withDevices)).body).toEqual({
          devicesRevoked: 2,
        })
        expect(await isIn(first.token)).toBe(false)
        expect(await isIn(second.token)).toBe(false)
        expect(await isIn(third.token)).toBe(true)
        const { body } = await owner.call('DevicesService/ListEnrolmentKeys', { pageSize: 1 })
        expect(body.keys).toHaveLength(1)
        const rest = await owner.call('DevicesService/ListEnrolmentKeys', { pageToken: body.nextPageToken })
        expect([...body.keys, ...rest.body.keys].map(({ id, revoked = false }) => [id, revoked])).toEqual(
          expect.arrayContaining([
            [one.id, true],
            [other.id, false],
          ]),
        )
      })

      it('who shows wrong keys too often is not looked at any more', async () => {
        const { secret } = await server.key()
        const wrong = secret.replace(/_[0-9a-f]{64}_/, `_${'0'.repeat(64)}_`)
        for (let i = 0; i < 30; i++)
          expect((await enrol({ enrolmentKey: wrong })).code).toBe('unauthenticated')
        expect(await enrol({ enrolmentKey: secret })).toMatchObject({ code: 'resource_exhausted' })
      })

      it('a token ends after ninety days, and says how to come back', async () => {
        const device = await server.device()
        server.ahead = 91 * DAY_MS
        const answer = await server.call('DeviceService/RenewToken', {}, bearer(device.token))
        expect(answer).toMatchObject({ code: 'unauthenticated' })
        expect(answer.message).toMatch(
          /^The token of this device ended on 20.*\. Run "holdfast login" on it, or enrol it again with an enrolment key\.$/,
        )
      })

      it('leaves by itself, and may come back', async () => {
        const key = await server.key()
        const device = await server.device({ key: key.secret })
        expect((await server.call('DeviceService/Leave', {}, bearer(device.token))).status).toBe(200)
        expect(await isIn(device.token)).toBe(false)
        const owner = await server.owner()
        const list = async (state: string) =>
          (await owner.call('DevicesService/ListDevices', { state })).body.devices?.map(
            ({ id }: { id: string }) => id,
          ) ?? []
        expect(await list('left')).toEqual([device.id])
        expect(await list('revoked')).toEqual([])
        expect(await list('')).toEqual([])
        // A different key gets the answer to use another id, and the removed row is not marked.
        const other = await server.key()
        expect((await enrol({ enrolmentKey: other.secret, deviceId: device.id })).code).toBe('already_exists')
        expect(await rowOf(device.id)).toMatchObject({ looks_cloned: 0 })
        await server.device({ id: device.id, key: key.secret })
        expect(await list('')).toEqual([device.id])
      })

      it('a token is cached for a minute, and no longer', async () => {
        const device = await server.device()
        const header = `Bearer ${device.token}`
        const first = server.people.identifyDevice(header)
        expect(first).toBeInstanceOf(Promise)
        expect(await first).toMatchObject({ kind: 'device', deviceId: device.id, address: '' })
        // Directly in the database: the server was not notified.
        await server.store.db
          .updateTable('tokens')
          .set({ revoked_at: 1 })
          .where('owner', '=', device.id)
          .execute()
        expect(server.people.identifyDevice(header)).toMatchObject({
          kind: 'device',
          deviceId: device.id,
          address: '',
        })
        server.ahead = 61_000
        expect(await server.people.identifyDevice(header)).toBe(undefined)
        for (const wrong of [
          undefined,
          '',
          'Bearer',
          'Bearer x',
          header.replace('hfd', 'hfp'),
          `${header}0`,
        ]) {
          expect(await server.people.identifyDevice(wrong)).toBe(undefined)
        }
      })

      it('when it was last seen is written together, and at the end', async () => {
        const device = await server.device()
        const { last_seen_at: before } = await rowOf(device.id)
        server.ahead = 10 * 60_000
        expect(await isIn(device.token)).toBe(true)
        expect((await rowOf(device.id)).last_seen_at).toBe(before)
        await server.people.flush()
        expect((await rowOf(device.id)).last_seen_at).toBeGreaterThan(before + 9 * 60_000)
      })

      it('says in one word how each device is', async () => {
        const owner = await server.owner()
        const { db } = server.store
        const key = await server.key()
        const release = {
          epoch: 1,
          payload: Buffer.from(''),
          signatures: '[]',
          ring: 2,
          ring_since: 0,
          generation: 1,
        }
        const rest = {
          halted_because: '',
          halt_causes: '[]',
          rolls_back_to: null,
          note: '',
          author: '',
          at: 1,
          expires_at: 1,
        }
        const releases = [
          { number: 1, hash: 'a', state: 'done' as const, signatures: '[{}]' },
          { number: 2, hash: 'b', state: 'done' as const, signatures: '[{}]' },
          { number: 3, hash: 'c', state: 'unsigned' as const },
        ]
        await db
          .insertInto('releases')
          .values(releases.map(one => ({ ...release, ...rest, ...one })))
          .execute()
        // A publish would notify it: the server caches what it knows of releases.
        server.team.hub.changed('releases')
        const now = Date.now()
        const wanted: [string, object][] = [
          ['in_sync', { release: 2, state: 'in_sync' }],
          ['behind', { release: 1, state: 'in_sync' }],
          ['silent', { release: 2, last_seen_at: now - 3.1 * DAY_MS }],
          ['stale', { release: 2, state: 'stale' }],
          ['killed', { release: 0, state: 'killed' }],
          ['no_bundle', { release: 0 }],
          ['revoked', { revoked_at: 5 }],
          ['left', { revoked_at: 5, state: 'left' }],
        ]
        const ids: Record<string, string> = {}
        for (const [state, change] of wanted) {
          const { id } = await server.device({ key: key.secret })
          ids[state] = id
          await db
            .updateTable('devices')
            .set({ ...change, name: `a-${state}` })
            .where('id', '=', id)
            .execute()
        }
        for (const [state] of wanted) {
          const { body } = await owner.call('DevicesService/GetDevice', { id: ids[state] })
          expect(body.device.state).toBe(state)
          const list = await owner.call('DevicesService/ListDevices', { state })
          expect(list.body).toMatchObject({ total: 1, devices: [{ id: ids[state], state }] })
        }
        const { body } = await owner.call('DevicesService/ListDevices', {})
        expect(body.total).toBe(6)
        expect(body.devices[0]).toMatchObject({
          wantedRelease: 2,
          release: 1,
          facts: { operatingSystem: 'Linux' },
        })
        expect(body.devices[0].ring).toMatch(/^(canary|early|all)$/)
        expect(body.devices[0].tokenExpiresAt).toMatch(/^20/)
        expect(await owner.call('DevicesService/ListDevices', { state: 'odd' })).toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining('in_sync, attention, behind'),
        })
      })

      it('lists by name in pages, and finds by name, id, owner, group and release', async () => {
        const owner = await server.owner()
        const { db } = server.store
        const key = await server.key({ note: 'fleet' })
        const names = ['b', 'a', 'A%_', 'c', 'b', 'ä', 'z']
        const ids = []
        for (const name of names) {
          const { id } = await server.device({ key: key.secret })
          ids.push(id)
          await db
            .updateTable('devices')
            .set({ name, group: name === 'b' ? 'left' : '' })
            .where('id', '=', id)
            .execute()
        }
        await db.updateTable('devices').set({ release: 4 }).where('name', '=', 'z').execute()
        const list = async (wish: object) => (await owner.call('DevicesService/ListDevices', wish)).body
        for (const wish of [{}, { state: 'in_sync' }]) {
          for (const pageSize of [1, 3, 50]) {
            const seen: string[] = []
            let pageToken = ''
            do {
              const page: { devices: { id: string }[]; total: number; nextPageToken?: string } = await list({
                ...wish,
                pageSize,
                pageToken,
              })
              expect(page.total).toBe(7)
              seen.push(...page.devices.map(({ id }) => id))
              pageToken = page.nextPageToken ?? ''
            } while (pageToken)
            expect(seen).toHaveLength(7)
            expect(new Set(seen)).toEqual(new Set(ids))
          }
        }
        expect((await list({ query: 'B' })).total).toBe(
          2 + ids.filter((id, i) => names[i] !== 'b' && id.includes('b')).length,
        )
        expect((await list({ query: '%_' })).total).toBe(1)
        expect((await list({ query: 'KEY fleet' })).total).toBe(7)
        expect((await list({ query: ids[3] })).devices[0].facts.name).toBe('c')
        expect((await list({ group: 'left' })).total).toBe(2)
        expect((await list({ release: 4 })).total).toBe(1)
        expect((await list({ query: 'nothing like it' })).total ?? 0).toBe(0)
        expect((await owner.call('DevicesService/GetDevice', { id: 'x' })).code).toBe('not_found')
        // One database finds nothing, the other cannot even search.
        for (const query of ['\0', 'a\0b', '\ud800', '%', "'"]) {
          expect((await owner.call('DevicesService/ListDevices', { query })).code).toMatch(
            /^$|invalid_argument/,
          )
          expect((await owner.call('DevicesService/GetDevice', { id: query })).code).toMatch(
            /not_found|invalid_argument/,
          )
        }
        expect((await owner.call('DevicesService/SetDeviceGroup', { id: 'x', group: '' })).code).toBe(
          'not_found',
        )
      })

      it('a team without keys enrols nobody', async () => {
        const { secret } = await server.key()
        await server.store.db.deleteFrom('trust').execute()
        expect((await enrol({ enrolmentKey: secret })).code).toBe('failed_precondition')
        const owner = await server.owner()
        expect((await owner.call('DevicesService/CreateEnrolmentKey', {})).code).toBe('failed_precondition')
      })
    })
})
