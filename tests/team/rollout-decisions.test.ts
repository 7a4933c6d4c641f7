// Which devices a release is for, and when the monitor halts or advances it. Each case differs from a counted one in
// a single column.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import {
  type RolloutMonitor,
  reachedBy,
  startRolloutMonitor,
} from '../../packages/server/src/rollout/monitor.js'
import { releaseOf } from '../../packages/server/src/rollout/releases.js'
import {
  assignMembers,
  MOST_ASSIGNED,
  nextRings,
  RECENT_MS,
} from '../../packages/server/src/rollout/rings.js'
import { situationOf, wantedFor } from '../../packages/server/src/rollout/situation.js'
import { stepRelease } from '../../packages/server/src/rollout/steps.js'
import { ROLLOUT } from '../../packages/server/src/setup.js'
import type { DeviceEvidence } from '../../packages/server/src/store/evidence.js'
import { membersOf, recentPlaces } from '../../packages/server/src/store/rings.js'
import type { PinRow } from '../../packages/server/src/store/schema.js'
import { DAY, HOUR } from './records.js'
import { NOW, openRows, type Rows } from './rows.js'

let rows: Rows
beforeAll(async () => {
  rows = await openRows()
})
afterAll(() => rows.close())
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('ring_members', 'pins', 'evidence', 'releases', 'devices')
  await set({})
})

const db = () => rows.team.store.db
const set = (change: object) =>
  db()
    .updateTable('team')
    .set({ rollout: JSON.stringify({ ...ROLLOUT, ...change }) })
    .execute()
const pin = (kind: PinRow['kind'], whom: string, release: number, until = NOW + DAY) =>
  db().insertInto('pins').values({ kind, whom, release, until, reason: '', by: '' }).execute()
const put = (release: number, deviceId: string, ring: number) =>
  db().insertInto('ring_members').values({ release, ring, device_id: deviceId }).execute()

async function show(release: number, deviceId: string, shown: Partial<DeviceEvidence> = {}): Promise<void> {
  const { runs = 20, failures = 0, denials = 0, firstFailures = 0 } = shown
  await db()
    .insertInto('evidence')
    .values({ release, device_id: deviceId, runs, failures, denials, first_failures: firstFailures, at: NOW })
    .onConflict(conflict =>
      conflict
        .columns(['release', 'device_id'])
        .doUpdateSet({ runs, failures, denials, first_failures: firstFailures }),
    )
    .execute()
}

describe('rings', () => {
  it('hold devices that are enrolled and were seen in the last seven days', async () => {
    await rows.device('seen')
    await rows.device('seen a week ago', { last_seen_at: NOW - RECENT_MS + 1 })
    await rows.device('silent', { last_seen_at: NOW - RECENT_MS })
    await rows.device('revoked', { revoked_at: NOW })
    const found = await recentPlaces(db(), NOW - RECENT_MS, 10)
    expect(found.map(({ id }) => id).sort()).toEqual(['seen', 'seen a week ago'])
  })

  it('hold a large fleet by its shares alone, in equal numbers on every page', async () => {
    await rows.release(1)
    await rows.device('first')
    const device = await db().selectFrom('devices').selectAll().executeTakeFirstOrThrow()
    await db().deleteFrom('devices').execute()
    const all = Array.from({ length: MOST_ASSIGNED + 1 }, (_, index) => ({
      ...device,
      id: `device ${index}`,
      place: index / (MOST_ASSIGNED + 1),
    }))
    for (let from = 0; from < all.length; from += 500)
      await db()
        .insertInto('devices')
        .values(all.slice(from, from + 500))
        .execute()
    await rows.team.store.write(tx => assignMembers(tx, 1, NOW))
    expect((await membersOf(db(), 1)).size).toBe(0)
    expect(await nextRings(db(), NOW)).toEqual([101, 400, 1500])
    await db().deleteFrom('devices').where('id', '=', 'device 0').execute()
    await rows.team.store.write(tx => assignMembers(tx, 1, NOW))
    expect((await membersOf(db(), 1)).size).toBe(MOST_ASSIGNED)
    expect(await nextRings(db(), NOW)).toEqual([100, 400, 1500])
  })

  it('are stored for each release', async () => {
    for (const number of [1, 2]) await rows.release(number)
    await rows.device('one')
    await rows.team.store.write(tx => assignMembers(tx, 1, NOW))
    await rows.device('two')
    await rows.team.store.write(tx => assignMembers(tx, 2, NOW))
    expect([...(await membersOf(db(), 1)).keys()]).toEqual(['one'])
    expect([...(await membersOf(db(), 2)).keys()].sort()).toEqual(['one', 'two'])
    expect((await membersOf(db(), 3)).size).toBe(0)
  })
})

describe('evidence for a release', () => {
  const reached = async (number: number) => {
    const { devices, shown } = await reachedBy(db(), await releaseOf(db(), number), NOW)
    return { devices, shown: shown.map(({ deviceId }) => deviceId).sort() }
  }

  it('comes from enrolled devices of its rings that were seen lately', async () => {
    await rows.release(1)
    const devices = {
      counted: {},
      silent: { last_seen_at: NOW - RECENT_MS },
      revoked: { revoked_at: NOW },
      'in a later ring': { place: 0.9 },
      'without runs': {},
    }
    for (const [id, change] of Object.entries(devices)) {
      await rows.device(id, { place: 0.01, ...change })
      await show(1, id, { runs: id === 'without runs' ? 0 : 20, failures: 1 })
    }
    await show(1, 'unknown', { failures: 1 })
    expect(await reached(1)).toEqual({ devices: 2, shown: ['counted'] })
    await rows.release(2)
    expect(await reached(2)).toEqual({ devices: 2, shown: [] })
  })

  it('follows the rings that were assigned, and everybody once the release is done', async () => {
    await rows.release(1, { ring: 1 })
    await rows.release(2, { ring: 1, state: 'done' })
    for (const ring of [0, 1, 2]) await put(1, await rows.device(`ring ${ring}`), ring)
    expect(await reached(1)).toMatchObject({ devices: 2 })
    expect(await reached(2)).toMatchObject({ devices: 3 })
  })

  it('follows pins that have not ended, that of the device before that of its group', async () => {
    await rows.release(1, { state: 'done' })
    await rows.release(2, { state: 'done' })
    await rows.device('free')
    await rows.device('pinned')
    await pin('device', 'pinned', 1)
    await rows.device('pin ended')
    await pin('device', 'pin ended', 1, NOW)
    await rows.device('group pinned', { group: 'g' })
    await pin('group', 'g', 1)
    await rows.device('both', { group: 'g' })
    await pin('device', 'both', 2)
    for (const { id } of await db().selectFrom('devices').select('id').execute()) {
      await show(1, id, { failures: 1 })
      await show(2, id, { failures: 1 })
    }
    expect((await reached(2)).shown).toEqual(['both', 'free', 'pin ended'])
    expect((await reached(1)).shown).toEqual(['free', 'group pinned', 'pin ended', 'pinned'])
  })
})

describe('the release a device gets', () => {
  const wanted = async (device: { id?: string; group?: string; place?: number } = {}) =>
    wantedFor({ id: 'd', group: 'g', place: 0.5, ...device }, await situationOf(rows.team), NOW)
  const numberOf = async (device = {}) => (await wanted(device)).release?.number ?? 0

  it('is the newest that is signed, not halted, and has reached its ring', async () => {
    expect(await numberOf()).toBe(0)
    await rows.release(1, { state: 'done' })
    await rows.release(2, { state: 'halted', ring: 2 })
    await rows.release(3, { state: 'unsigned', signatures: '[]', ring: 2 })
    await rows.release(4, { ring: 1 })
    expect(await numberOf()).toBe(1)
    expect(await numberOf({ place: 0.2 })).toBe(4)
    await put(4, 'd', 0)
    expect(await numberOf()).toBe(4)
    await put(4, 'late', 2)
    expect(await numberOf({ id: 'late', place: 0.2 })).toBe(1)
  })

  it('is the one of its pin, then of the pin of its group, while they last', async () => {
    for (const number of [1, 2, 3]) await rows.release(number, { state: 'done' })
    await pin('group', 'g', 2)
    expect(await numberOf()).toBe(2)
    expect(await numberOf({ group: 'other' })).toBe(3)
    await pin('device', 'd', 1)
    expect(await numberOf()).toBe(1)
    await db().updateTable('pins').set({ until: NOW }).where('kind', '=', 'device').execute()
    expect(await numberOf()).toBe(2)
    await db().updateTable('pins').set({ until: NOW }).execute()
    expect(await numberOf()).toBe(3)
  })

  it('is a step back exactly when a newer one had reached the device', async () => {
    await rows.release(1, { state: 'done' })
    await rows.release(2, { ring: 0 })
    expect(await wanted()).toMatchObject({ release: { number: 1 }, isBack: false })
    await db().updateTable('releases').set({ ring: 2, state: 'halted' }).where('number', '=', 2).execute()
    expect(await wanted()).toMatchObject({ release: { number: 1 }, isBack: true })
  })
})

describe('the monitor', () => {
  let monitor: RolloutMonitor
  beforeEach(async () => {
    monitor = startRolloutMonitor(rows.team, DAY)
    monitor.stop()
    for (const id of ['a', 'b', 'c']) await rows.device(id, { place: 0.01 })
  })
  const showAll = async (release: number, shown: Partial<DeviceEvidence>) => {
    for (const id of ['a', 'b', 'c']) await show(release, id, shown)
  }
  /** Bad enough to halt, but not immediately. */
  const bad = (release: number) => showAll(release, { failures: 18 })
  const good = (release: number) => showAll(release, { failures: 0 })
  const stateOf = async (number: number) => (await releaseOf(db(), number)).state
  const looks = async (number: number) => {
    await monitor.look()
    return stateOf(number)
  }

  it('halts only what looks bad twice in a row', async () => {
    await rows.release(1)
    await bad(1)
    expect(await looks(1)).toBe('rolling')
    await good(1)
    expect(await looks(1)).toBe('rolling')
    await bad(1)
    expect(await looks(1)).toBe('rolling')
    expect(await looks(1)).toBe('halted')
  })

  it('starts from nothing after a halted release was resumed', async () => {
    await rows.release(1)
    await bad(1)
    await monitor.look()
    expect(await looks(1)).toBe('halted')
    await stepRelease(rows.team, 'server', 1, 'resume')
    expect(await looks(1)).toBe('rolling')
    await bad(1)
    expect(await looks(1)).toBe('rolling')
    expect(await looks(1)).toBe('halted')
  })

  it('suspects each release by itself', async () => {
    await rows.release(1, { state: 'done' })
    await rows.release(2)
    await bad(1)
    await monitor.look()
    await good(1)
    await bad(2)
    await monitor.look()
    expect([await stateOf(1), await stateOf(2)]).toEqual(['done', 'rolling'])
  })

  it('halts at once when the first five runs of enough devices failed', async () => {
    await rows.release(1)
    await show(1, 'a', { runs: 5, failures: 5, firstFailures: 5 })
    expect(await looks(1)).toBe('rolling')
    await show(1, 'b', { runs: 5, failures: 5, firstFailures: 4 })
    expect(await looks(1)).toBe('rolling')
    await show(1, 'b', { runs: 5, failures: 5, firstFailures: 5 })
    expect(await looks(1)).toBe('halted')
  })

  it('judges denials by the limit of the team, and by what was usual before', async () => {
    const denied = { runs: 20, denials: 18 }
    await rows.release(1)
    await showAll(1, denied)
    await set({ denialLimit: 1 })
    await monitor.look()
    expect(await looks(1)).toBe('rolling')
    await set({})
    await monitor.look()
    expect(await looks(1)).toBe('halted')
    // The release before it denied as much.
    await db().updateTable('releases').set({ state: 'done' }).execute()
    await rows.release(2)
    await showAll(2, denied)
    await monitor.look()
    expect(await looks(2)).toBe('rolling')
  })

  it('looks at the release before the newest one, too, and not further back', async () => {
    for (const number of [1, 2, 3]) await rows.release(number, { state: 'done' })
    for (const number of [1, 2]) await bad(number)
    await monitor.look()
    await monitor.look()
    expect([await stateOf(1), await stateOf(2), await stateOf(3)]).toEqual(['done', 'halted', 'done'])
  })

  it.each([
    ['halt', bad],
    ['advance', good],
  ])('does not %s a release that a person changed after the monitor read it', async (_, shown) => {
    const { team } = rows
    const { store } = team
    await rows.release(1, { ring_since: NOW - 60 * 60_000 })
    await shown(1)
    let generation = 1
    /** A user acted before the time of the transaction. */
    const write: typeof store.write = async work => {
      generation += 10
      await db().updateTable('releases').set({ generation }).execute()
      return store.write(work)
    }
    const racing = {
      ...team,
      store: new Proxy(store, { get: (on, key) => (key === 'write' ? write : Reflect.get(on, key, on)) }),
    }
    const late = startRolloutMonitor(racing, DAY)
    late.stop()
    await late.look()
    await late.look()
    expect(generation).toBeGreaterThan(1)
    expect(await releaseOf(db(), 1)).toMatchObject({ state: 'rolling', ring: 0, generation })
  })

  it('leaves a release that is done for over a day to people', async () => {
    await rows.release(1, { state: 'done', ring_since: NOW - DAY - 1 })
    await bad(1)
    await monitor.look()
    expect(await looks(1)).toBe('done')
    await db()
      .updateTable('releases')
      .set({ ring_since: NOW - DAY })
      .execute()
    await monitor.look()
    expect(await looks(1)).toBe('halted')
  })

  it('advances a rolling release after its soak time, with enough good runs', async () => {
    const soaked = NOW - 60 * 60_000
    await rows.release(1, { ring_since: soaked })
    const ringAfterLook = async () => {
      await monitor.look()
      return (await releaseOf(db(), 1)).ring
    }
    await showAll(1, { runs: 6 })
    expect(await ringAfterLook()).toBe(0)
    await good(1)
    await db()
      .updateTable('releases')
      .set({ ring_since: soaked + 1 })
      .execute()
    expect(await ringAfterLook()).toBe(0)
    await db().updateTable('releases').set({ ring_since: soaked }).execute()
    await set({ soakMinutes: 0 })
    expect(await ringAfterLook()).toBe(0)
    await set({})
    await db().updateTable('releases').set({ state: 'halted' }).execute()
    expect(await ringAfterLook()).toBe(0)
    await db().updateTable('releases').set({ state: 'rolling' }).execute()
    expect(await ringAfterLook()).toBe(1)
    // The soak time begins again in the next ring.
    expect(await ringAfterLook()).toBe(1)
    rows.clock.now += HOUR
    expect(await ringAfterLook()).toBe(2)
    expect(await stateOf(1)).toBe('done')
  })
})

describe('a step of a release', () => {
  const step = async (...args: Parameters<typeof stepRelease> extends [unknown, ...infer R] ? R : never) =>
    stepRelease(rows.team, ...args).then(
      ({ state, ring }) => `${state} ${ring}`,
      error => error.code,
    )

  it.each([
    ['unsigned', 'advance', 'not-now'],
    ['rolling', 'advance', 'rolling 1'],
    ['done', 'advance', 'not-now'],
    ['halted', 'advance', 'not-now'],
    ['unsigned', 'halt', 'halted 0'],
    ['rolling', 'halt', 'halted 0'],
    ['done', 'halt', 'halted 0'],
    ['halted', 'halt', 'not-now'],
    ['unsigned', 'resume', 'not-now'],
    ['rolling', 'resume', 'not-now'],
    ['done', 'resume', 'not-now'],
    ['halted', 'resume', 'rolling 0'],
  ] as const)('from %s: %s gives %s', async (state, name, expected) => {
    await rows.release(1, { state, signatures: state === 'unsigned' ? '[]' : '[{}]' })
    expect(await step('server', 1, name)).toBe(expected)
  })

  it('is not taken when the release changed since somebody looked', async () => {
    await rows.release(1, { generation: 3 })
    expect(await step('server', 1, 'halt', { generation: 2 })).toBe('rolling 0')
    expect(await step('server', 1, 'advance', { fromRing: 1 })).toBe('stale')
    expect(await step('server', 1, 'halt', { generation: 3 })).toBe('halted 0')
    expect(await step('server', 2, 'halt')).toBe('missing')
  })

  it('resumes an unsigned release as unsigned, one at a time, and deletes only its evidence', async () => {
    await rows.release(1, { state: 'halted', signatures: '[]' })
    await rows.release(2, { state: 'unsigned', signatures: '[]' })
    for (const number of [1, 2]) await show(number, 'a')
    expect(await step('server', 1, 'resume')).toBe('not-now')
    await db().deleteFrom('releases').where('number', '=', 2).execute()
    expect(await step('server', 1, 'resume')).toBe('unsigned 0')
    const left = await db().selectFrom('evidence').select('release').execute()
    expect(left.map(({ release }) => release)).toEqual([2])
  })
})
