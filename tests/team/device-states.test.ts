// Lists and counts of devices, computed by the database: the same release and state as for one device at a time.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Situation, wantedFor } from '../../packages/server/src/rollout/situation.js'
import { judgedDevices, type StateRules, shownRing } from '../../packages/server/src/store/device-states.js'
import { openStore, type Store } from '../../packages/server/src/store/open.js'
import type { DeviceRow } from '../../packages/server/src/store/schema.js'
import { DATABASES, type TestDatabase } from './databases.js'

const NOW = 1_800_000_000_000
const DAY = 86_400_000

const device = (change: Partial<DeviceRow>): DeviceRow => ({
  id: randomBytes(16).toString('hex'),
  name: 'laptop',
  operating_system: 'Linux',
  os_version: '',
  client_version: '',
  group: '',
  enrolled_at: 0,
  enrolled_by: '',
  owner: '',
  enrolment_key: null,
  token_id: '',
  last_seen_at: NOW,
  release: 2,
  release_hash: '',
  trust_version: 1,
  state: 'in_sync',
  problems: '[]',
  queued: 0,
  place: 0,
  revoked_at: null,
  looks_cloned: 0,
  lease_seq: 0,
  ...change,
})

describe.each(DATABASES)('$kind', ({ create }) => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await create()
    store = await openStore({ database: database.url, now: () => NOW })
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })
  const judge = async (rows: readonly DeviceRow[], rules: Partial<StateRules>) => {
    await store.db.deleteFrom('devices').execute()
    await store.db.insertInto('devices').values(rows).execute()
    const all: StateRules = {
      now: NOW,
      isKilled: false,
      pins: [],
      rings: [{ name: 'all', share: 1 }],
      releases: [],
      ...rules,
    }
    const judged = await judgedDevices(store.db, all).selectAll().select(shownRing(all).as('ring')).execute()
    return new Map(judged.map(row => [row.id, row]))
  }
  const done = (number: number) => [{ number, state: 'done', ring: 0, hasMembers: false }]

  it.each([
    ['in_sync', {}, 2],
    ['in_sync', { release: 0 }, 0],
    ['in_sync', { release: 5 }, 0],
    ['behind', { release: 1 }, 2],
    ['behind', { release: 3 }, 2],
    ['behind', { release: 1, state: 'no_bundle' }, 2],
    ['no_bundle', { release: 0 }, 2],
    ['stale', { state: 'stale' }, 2],
    ['killed', { state: 'killed' }, 2],
    ['killed', { state: 'killed', release: 0 }, 0],
    ['in_sync', { last_seen_at: NOW - 3 * DAY }, 2],
    ['silent', { last_seen_at: NOW - 3 * DAY - 1 }, 2],
    ['attention', { problems: '[{"code":"downgrade"}]' }, 2],
    ['attention', { problems: '[{"code":"scripts"}]', state: 'killed' }, 2],
    ['silent', { last_seen_at: NOW - 4 * DAY, problems: '[{"code":"scripts"}]' }, 2],
    ['silent', { last_seen_at: NOW - 4 * DAY, state: 'killed' }, 2],
    ['revoked', { revoked_at: 1 }, 2],
    ['revoked', { revoked_at: 1, state: 'killed', last_seen_at: 0 }, 2],
    ['left', { revoked_at: 1, state: 'left' }, 2],
    ['in_sync', { state: 'left' }, 2],
  ])('is %s for %j with release %i wanted', async (state, change, wanted) => {
    const one = device(change)
    const judged = await judge([one], { releases: wanted === 0 ? [] : done(wanted) })
    const expected = 'revoked_at' in change ? 0 : wanted
    expect(judged.get(one.id)).toMatchObject({ shown_state: state, wanted: expected })
  })

  it('wants nothing while the kill switch is on', async () => {
    const one = device({})
    expect((await judge([one], { releases: done(2), isKilled: true })).get(one.id)).toMatchObject({
      wanted: 0,
    })
  })

  it('agrees with the rules for one device, whatever rolls, is halted, is pinned and was assigned', async () => {
    const chance = (most: number) => Math.floor(Math.random() * most)
    await store.db.insertInto('releases').values([1, 2, 3, 4].map(releaseRow)).execute()
    for (let round = 0; round < 25; round++) {
      const rings = [
        { name: 'a', share: 0.2 },
        { name: 'b', share: 0.6 },
        { name: 'c', share: 1 },
      ].slice(0, 1 + chance(3))
      const rows = Array.from({ length: 20 }, () =>
        device({ place: chance(100) / 100, group: ['', 'desks', "o'hara"][chance(3)]! }),
      )
      const states = ['rolling', 'halted', 'done', 'rolling'] as const
      const releases = [4, 3, 2, 1].slice(chance(4)).map(number => ({
        number,
        hash: `${number}`,
        state: states[chance(4)]!,
        ring: chance(3),
        hasMembers: true,
      }))
      const assigned = new Map(
        rows.slice(0, 12).flatMap(({ id }) => [1, 2, 3, 4].map(n => [`${n} ${id}`, chance(3)] as const)),
      )
      await store.db.deleteFrom('ring_members').execute()
      const members = [...assigned].map(([key, ring]) => {
        const [release, device_id] = key.split(' ')
        return { release: Number(release), device_id: device_id!, ring }
      })
      await store.db.insertInto('ring_members').values(members).execute()
      const pins = [
        { kind: 'device' as const, whom: rows[0]!.id, release: 1 + chance(4) },
        { kind: 'device' as const, whom: rows[15]!.id, release: 1 + chance(4) },
        { kind: 'group' as const, whom: "o'hara", release: 1 + chance(4) },
      ].slice(0, chance(4))
      const situation = {
        settings: { rings },
        releases: releases.map(release => ({
          ...release,
          hasMembers: true,
          ringOf: (id: string) => assigned.get(`${release.number} ${id}`),
        })),
        pins: new Map(
          pins.map(({ kind, whom, release }) => [`${kind} ${whom}`, { release, until: NOW + 1 }]),
        ),
      } as unknown as Situation
      const judged = await judge(rows, { pins, releases, rings })
      for (const row of rows) {
        const { release, ring } = wantedFor(row, situation, NOW)
        const expected = { wanted: release?.number ?? 0, ring }
        const at = JSON.stringify({
          row: { id: row.id, place: row.place, group: row.group },
          rings,
          releases,
          pins,
        })
        expect(judged.get(row.id), at).toMatchObject(expected)
      }
    }
  })
})

const releaseRow = (number: number) => ({
  number,
  epoch: 1,
  hash: `${number}`,
  payload: new Uint8Array(),
  signatures: '[{}]',
  state: 'done' as const,
  ring: 0,
  ring_since: 0,
  note: '',
  author: '',
  at: 0,
  expires_at: 0,
  generation: 0,
  halted_because: '',
  halt_causes: '[]',
  rolls_back_to: null,
})
