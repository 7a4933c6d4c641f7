// Limits on failed attempts, and polls that are answered from memory.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceActor } from '../../packages/server/src/access/actor.js'
import { type Limit, openLimit } from '../../packages/server/src/access/limits.js'
import { openDayQuota } from '../../packages/server/src/audit/quota.js'
import type { Auth, SignedIn } from '../../packages/server/src/people/auth.js'
import { decide, lookAtDevice } from '../../packages/server/src/people/pages/device.js'
import { changePassword } from '../../packages/server/src/people/pages/home.js'
import { signOut, tryPassword } from '../../packages/server/src/people/pages/sign-in.js'
import type { Site } from '../../packages/server/src/people/pages/site.js'
import type { Reply, Visit } from '../../packages/server/src/people/pages/visit.js'
import { openPolls } from '../../packages/server/src/push/polls.js'
import { openDelivery } from '../../packages/server/src/rollout/delivery.js'
import { etagFor, keepSituation, situationOf } from '../../packages/server/src/rollout/situation.js'
import { DAY } from './records.js'
import { codeOf, NOW, openRows, type Rows } from './rows.js'

let rows: Rows
beforeAll(async () => {
  rows = await openRows()
})
afterAll(() => rows.close())
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('limits', 'pins', 'releases', 'devices')
})

const db = () => rows.team.store.db

describe('the quota of a day', () => {
  const MIB = 1024 * 1024
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
  afterEach(() => void vi.useRealTimers())

  it('lets a device send 512 MiB in a day, over all servers and across restarts', async () => {
    const servers = [openDayQuota(rows.team.store), openDayQuota(rows.team.store)]
    const waits = []
    for (let batch = 0; batch < 16; batch++) waits.push(await servers[batch % 2]!.take('thief', 32 * MIB))
    expect(waits.slice(0, 15)).toEqual(Array(15).fill(0))
    expect(waits[15]).toBeGreaterThan(DAY - 1000)
    const restarted = openDayQuota(rows.team.store)
    for (const server of [...servers, restarted])
      expect(await server.take('thief', 2 * MIB)).toBeGreaterThan(DAY - 1000)
    expect(await restarted.take('other', 32 * MIB)).toBe(0)
    vi.setSystemTime(NOW + DAY + 1000)
    expect(await servers[1]!.take('thief', 32 * MIB)).toBe(0)
  })

  it('counts empty batches, and asks the database only once for each MiB', async () => {
    const quota = openDayQuota(rows.team.store)
    let batches = 0
    while ((await quota.take('empty', 0)) === 0) batches++
    expect(batches).toBeGreaterThanOrEqual(131_072)
    expect(batches).toBeLessThanOrEqual(131_072 + 256)
    await rows.empty('limits')
    await quota.take('small', MIB / 2)
    expect(await db().selectFrom('limits').select('key').execute()).toEqual([])
  })
})

describe('a limit', () => {
  let limit: Limit
  const rule = { name: 'sign-in', tries: 3, inSeconds: 60, lockSeconds: 600 }
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    limit = openLimit(rows.team.store, rule)
  })
  afterEach(() => void vi.useRealTimers())
  const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
  const fail = async (key: string) => {
    const wait = await limit.take(key)
    await limit.failed(key)
    return wait
  }

  it('locks a key after its last try, for the whole time, and no other key', async () => {
    expect([await fail('ann'), await fail('ann'), await limit.shutFor('ann')]).toEqual([0, 0, 0])
    expect(await fail('ann')).toBe(0)
    expect(await limit.shutFor('ann')).toBe(600)
    expect(await limit.take('ann')).toBeGreaterThan(0)
    expect([await limit.shutFor('bob'), await limit.take('bob')]).toEqual([0, 0])
    pass(599)
    expect(await limit.shutFor('ann')).toBeGreaterThan(0)
    pass(2)
    expect([await limit.shutFor('ann'), await limit.take('ann')]).toEqual([0, 0])
  })

  it('counts tries of the last minute only', async () => {
    await fail('ann')
    await fail('ann')
    pass(61)
    expect([await fail('ann'), await fail('ann'), await limit.shutFor('ann')]).toEqual([0, 0, 0])
  })

  it('gives a try back, and forgives all of them', async () => {
    for (let count = 0; count < 10; count++) {
      expect(await limit.take('ann')).toBe(0)
      await limit.giveBack('ann')
    }
    await fail('ann')
    await fail('ann')
    await limit.forgive('ann')
    expect([await fail('ann'), await fail('ann'), await limit.shutFor('ann')]).toEqual([0, 0, 0])
  })

  it('holds in every process, for its own name, and stores no key as it was typed', async () => {
    for (let count = 0; count < 3; count++) await fail('my password')
    expect(await openLimit(rows.team.store, rule).shutFor('my password')).toBe(600)
    expect(await openLimit(rows.team.store, { ...rule, name: 'codes' }).shutFor('my password')).toBe(0)
    const stored = await rows.team.store.db.selectFrom('limits').select('key').execute()
    expect(JSON.stringify(stored)).not.toContain('password')
  })
})

describe('a poll', () => {
  const pollsOf = (id: string | undefined) =>
    openPolls(rows.team, {
      situations: keepSituation(rows.team),
      deliver: openDelivery(rows.team),
      count: async () => true,
      identify: async (): Promise<DeviceActor | undefined> => {
        const enrolled = await db()
          .selectFrom('devices')
          .select(['id', 'place', 'group', 'operating_system'])
          .where('id', '=', id ?? '')
          .executeTakeFirst()
        return enrolled && { kind: 'device', deviceId: enrolled.id, enrolled, address: '' }
      },
      onTokenChange() {},
    })
  const polled = async (
    id: string | undefined,
    tag: string | undefined,
    change: object = {},
    polls = pollsOf(id),
  ) => {
    const url = '/holdfast.team.v1.DeviceService/GetTeamHooks?encoding=json'
    const request = { method: 'GET', url, headers: { 'if-none-match': tag }, ...change }
    const response = { writeHead() {}, end() {} }
    return polls.handle(
      request as unknown as IncomingMessage,
      response as unknown as ServerResponse,
      async () => {},
    )
  }
  const tagOf = async (id: string) => {
    const { db } = rows.team.store
    const device = await db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return etagFor(device, await situationOf(rows.team), rows.clock.now)
  }

  it('is answered from memory when the device has what it should have', async () => {
    await rows.device('d')
    const tag = await tagOf('d')
    for (const same of [tag, `W/${tag}`, `"x", ${tag}`, '*']) expect(await polled('d', same), same).toBe(true)
    for (const other of ['', '"x"', tag.slice(1, -1), undefined]) expect(await polled('d', other)).toBe(false)
    expect(await polled('d', tag, { method: 'POST' })).toBe(false)
    expect(await polled('d', tag, { url: '/holdfast.team.v1.DeviceService/Report' })).toBe(false)
  })

  it('is not for an unknown device, nor for any other caller', async () => {
    await rows.device('d')
    for (const id of ['unknown', undefined]) expect(await polled(id, '*')).toBe(false)
  })

  it('has another tag for another release, a step back, another system, and when killed', async () => {
    await rows.device('d')
    await rows.device('windows', { operating_system: 'Windows' })
    const { db } = rows.team.store
    const tags = [await tagOf('d')]
    await rows.release(1, { state: 'done' })
    tags.push(await tagOf('d'), await tagOf('windows'))
    await rows.release(2, { state: 'done', ring: 2 })
    tags.push(await tagOf('d'))
    await db.updateTable('releases').set({ state: 'halted' }).where('number', '=', 2).execute()
    tags.push(await tagOf('d'))
    await db.updateTable('team').set({ killed: 1 }).execute()
    tags.push(await tagOf('d'))
    await db.updateTable('team').set({ killed: 0 }).execute()
    expect(new Set(tags).size).toBe(6)
  })

  it('notices that a pin has ended, by the clock alone', async () => {
    await rows.device('d')
    for (const number of [1, 2]) await rows.release(number, { state: 'done' })
    const pin = { kind: 'device', whom: 'd', release: 1, until: NOW + DAY, reason: '', by: '' } as const
    await rows.team.store.db.insertInto('pins').values(pin).execute()
    const tag = await tagOf('d')
    const polls = pollsOf('d')
    rows.clock.now += DAY - 10_000
    expect(await polled('d', tag, {}, polls)).toBe(true)
    rows.clock.now += 9999
    expect(await polled('d', tag, {}, polls)).toBe(true)
    rows.clock.now += 1
    expect(await polled('d', tag, {}, polls)).toBe(false)
  })
})

describe('guesses on a page', () => {
  const HERE = '2001:db8:1:2:3:4:5:6'
  const NETWORK = '2001:db8:1:2'
  const ann: SignedIn = { user: { id: 'user-ann', email: 'ann@example.com', name: 'Ann' }, cookies: [] }
  /** Calls of the limiter and of the library, in order. */
  let asked: string[]
  let refused: string[]
  let waits: Record<string, number>
  let status: number
  const limit = (name: string): Limit => {
    const note = (verb: string) => async (key: string) => void asked.push(`${name} ${verb} ${key}`)
    return {
      take: async key => {
        asked.push(`${name} take ${key}`)
        return waits[`${name} ${key}`] ?? 0
      },
      shutFor: async () => 0,
      failed: note('failed'),
      giveBack: note('giveBack'),
      forgive: note('forgive'),
    }
  }
  const site = (): Site => ({
    team: rows.team,
    issuer: null,
    passwords: true,
    mustSetUp: () => false,
    account: limit('account'),
    network: limit('network'),
    codes: limit('codes'),
    refused: (what, who, detail) => void refused.push(`${what}: ${who} ${detail}`),
    auth: {
      ask: async (path: string) => {
        asked.push(`ask ${path}`)
        return new Response('{}', { status, headers: { 'set-cookie': 'session=1' } })
      },
    } as unknown as Auth,
  })
  const visit = (fields: Record<string, string>): Visit => {
    const form = async () => new URLSearchParams(fields)
    const url = new URL('http://127.0.0.1/device')
    return { method: 'POST', url, headers: new Headers(), address: HERE, form, fields: form }
  }
  beforeEach(async () => {
    ;[asked, refused, waits, status] = [[], [], {}, 200]
    await rows.empty('user', 'members', 'deviceCode')
    await rows.seat('admin', 'ann')
  })

  describe('of a password', () => {
    const tryOne = (email = ' Ann@example.com') => codeOf(tryPassword(site(), visit({}), email, 'a password'))
    const taken = ['account take ann@example.com', `network take ${NETWORK}`]

    it('are counted before the password is looked at, and given back when it was right', async () => {
      expect(await tryPassword(site(), visit({}), 'ann@example.com', 'a password')).toEqual({
        cookies: ['session=1'],
        needsCode: false,
      })
      expect(asked).toEqual([
        ...taken,
        'ask /sign-in/email',
        'account forgive ann@example.com',
        `network giveBack ${NETWORK}`,
      ])
      expect(refused).toEqual([])
    })

    it('count against the account and the network when it was wrong', async () => {
      status = 401
      expect(await tryOne()).toBe('unknown-caller')
      expect(asked).toEqual([
        ...taken,
        'ask /sign-in/email',
        'account failed ann@example.com',
        `network failed ${NETWORK}`,
      ])
      expect(await tryOne('my.password@x')).toBe('unknown-caller')
      expect(refused).toEqual([
        `sign-in: ann@example.com from ${HERE}`,
        `sign-in: somebody unknown from ${HERE}`,
      ])
    })

    it.each(['account ann@example.com', `network ${NETWORK}`])('are refused while %s is shut', async key => {
      waits[key] = 61
      expect(await tryOne()).toBe('too-much')
      expect(asked).toEqual(taken)
      expect(refused).toEqual([`sign-in: ann@example.com locked, from ${HERE}`])
    })

    it('are given back when the library did not look at the password', async () => {
      status = 429
      expect(await tryOne()).toBe('too-much')
      expect(asked.slice(3)).toEqual(['account giveBack ann@example.com', `network giveBack ${NETWORK}`])
    })
  })

  it('end the open pages of a member who signs out, and of nobody without a session', async () => {
    const news = () => rows.team.hub.epoch('people')
    const signOutAs = async (me: SignedIn | null) => {
      const { auth, ...rest } = site()
      return signOut({ ...rest, auth: { ...auth, session: async () => me } }, visit({}))
    }
    const before = news()
    expect(await signOutAs(null)).toEqual({ location: '/sign-in', cookies: ['session=1'] })
    expect(news()).toBe(before)
    await signOutAs(ann)
    expect(news()).toBe(before + 1)
    expect(asked).toEqual(['ask /sign-out', 'ask /sign-out'])
  })

  describe('of the own password, to change it', () => {
    const change = async (fields = { current: 'the one now', password: 'another long one' }) => {
      const reply = await changePassword(site(), visit(fields), ann)
      return reply.location ?? `${reply.status} ${/role="alert">([^<]*)/.exec(reply.page!.text)?.[1]}`
    }
    beforeEach(async () => {
      await db().insertInto('account').values(PASSWORD_OF_ANN).execute()
    })

    it('are counted before the password is looked at, and forgiven when it was right', async () => {
      const before = rows.team.hub.epoch('people')
      expect(await change()).toBe('/account?password=changed')
      expect(asked).toEqual([
        'account take ann@example.com',
        'ask /change-password',
        'account forgive ann@example.com',
      ])
      expect(rows.team.hub.epoch('people')).toBeGreaterThan(before)
    })

    it('count against the account when it was wrong', async () => {
      status = 400
      const before = rows.team.hub.epoch('people')
      expect(await change()).toMatch(/^400 The password was not changed/)
      expect(asked.slice(1)).toEqual(['ask /change-password', 'account failed ann@example.com'])
      expect(rows.team.hub.epoch('people')).toBe(before)
    })

    it('are refused while the account is shut, and for a weak password', async () => {
      waits['account ann@example.com'] = 61
      expect(await change()).toMatch(/^400 Too many wrong passwords/)
      expect(asked).toEqual(['account take ann@example.com'])
      asked = []
      expect(await change({ current: 'x', password: 'too short' })).toMatch(/^400 The password is too short/)
      expect(asked).toEqual([])
    })
  })

  describe('of a device code', () => {
    const CODE = 'BCDFGHJK'
    const code = (change: object = {}) =>
      db()
        .insertInto('deviceCode')
        .values({
          id: 'c',
          deviceCode: 'secret',
          userCode: CODE,
          userId: ann.user.id,
          status: 'pending',
          scope: JSON.stringify({ name: 'laptop', system: 'Linux', address: HERE, at: 'now' }),
          expiresAt: new Date(Date.now() + 60_000).toISOString(),
          ...change,
        } as never)
        .execute()
    const shown = ({ status: is = 200, page }: Reply) =>
      `${is} ${/role="alert">([^<]*)/.exec(page!.text)?.[1] ?? /<h1>([^<]*)/.exec(page!.text)?.[1]}`
    const look = async (typed = 'bcdf-ghjk') =>
      shown(await lookAtDevice(site(), visit({ user_code: typed }), ann))
    const approve = async (verb: 'approve' | 'deny' = 'approve') =>
      shown(await decide(site(), visit({ user_code: CODE }), ann, verb))
    const taken = ['codes take user-ann', `codes take ${NETWORK}`]
    const right = [...taken, 'codes giveBack user-ann', `codes giveBack ${NETWORK}`]
    const wrong = [...taken, 'codes failed user-ann', `codes failed ${NETWORK}`]

    it('are counted by person and by network, and given back when one waits with it', async () => {
      await code()
      expect(await look()).toBe('200 Approve this device?')
      expect(asked).toEqual([...right, `ask /device?user_code=${CODE}`])
      asked = []
      expect(await approve()).toMatch(/^200 /)
      expect(asked).toEqual([...right, 'ask /device/approve'])
      asked = []
      expect(await approve('deny')).toMatch(/^200 /)
      expect(asked).toEqual([...right, 'ask /device/deny'])
    })

    it.each([
      ['unknown', { userCode: 'XXXXXXXX' }],
      ['approved already', { status: 'approved' }],
      ['denied already', { status: 'denied' }],
      ['expired', { expiresAt: new Date(Date.now() - 1).toISOString() }],
    ])('count as wrong when the code is %s', async (_, change) => {
      await code(change)
      for (const guess of [look, approve]) {
        asked = []
        expect(await guess()).toMatch(/^400 No device waits with this code/)
        expect(asked).toEqual(wrong)
      }
      expect(refused).toHaveLength(2)
    })

    it.each(['codes user-ann', `codes ${NETWORK}`])('are refused while %s is shut', async key => {
      await code()
      waits[key] = 61
      for (const guess of [look, approve]) {
        asked = []
        expect(await guess()).toMatch(/^400 Too many wrong codes/)
        expect(asked).toEqual(taken)
      }
    })

    it.each([['somebody else', 'user-bob'] as const, ['nobody', null] as const])(
      'approve nothing that %s has opened',
      async (_, userId) => {
        await code({ userId })
        expect(await look()).toMatch(/^400 Another user opened this code first/)
        asked = []
        for (const verb of ['approve', 'deny'] as const) {
          expect(await approve(verb)).toMatch(/^400 Another user opened this code first/)
        }
        expect(asked.filter(one => one.startsWith('ask'))).toEqual([])
        expect(refused).toHaveLength(3)
      },
    )

    it.each(['', 'BCDF-GHJ', 'BCDFGHJKL', 'ABCDEFGH', 'BCDF_GHJK'])('%j are no codes', async typed => {
      expect(await look(typed)).toMatch(/^400 A code has eight letters/)
      expect(asked).toEqual([])
    })
  })
})

const PASSWORD_OF_ANN = {
  id: 'account of ann',
  userId: 'user-ann',
  accountId: 'user-ann',
  providerId: 'credential',
  createdAt: new Date(0).toISOString(),
  updatedAt: new Date(0).toISOString(),
} as never
