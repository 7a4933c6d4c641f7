// How often somebody may be wrong, and polls that are answered from memory.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Limit, openLimit } from '../../packages/server/src/access/limits.js'
import { openPolls } from '../../packages/server/src/push/poll.js'
import { etagFor, situationOf } from '../../packages/server/src/rollout/delivery.js'
import { keepSituation } from '../../packages/server/src/rollout/situation.js'
import { DAY } from './records.js'
import { NOW, openRows, type Rows } from './rows.js'

let rows: Rows
beforeAll(async () => {
  rows = await openRows()
})
afterAll(() => rows.close())
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('limits', 'pins', 'releases', 'devices')
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
  const polled = async (id: string | undefined, tag: string | undefined, change: object = {}) => {
    const polls = openPolls(rows.team, {
      situations: keepSituation(rows.team),
      identify: () => id,
      seen() {},
    })
    const url = '/holdfast.team.v1.DeviceService/GetTeamHooks?encoding=json'
    const request = { method: 'GET', url, headers: { 'if-none-match': tag }, ...change }
    const response = { writeHead() {}, end() {} }
    return polls.handle(request as unknown as IncomingMessage, response as unknown as ServerResponse)
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

  it('is not for a device that is revoked or unknown, nor for anybody else', async () => {
    await rows.device('d', { revoked_at: NOW })
    for (const id of ['d', 'unknown', undefined]) expect(await polled(id, '*')).toBe(false)
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
    expect(await polled('d', tag)).toBe(true)
    rows.clock.now += DAY
    expect(await polled('d', tag)).toBe(false)
  })
})
