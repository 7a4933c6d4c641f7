// The contents of a release, the notifications of each change, and the entries in the log. In process, on SQLite.

import { create } from '@bufbuild/protobuf'
import {
  generateKeys,
  keyIdOf,
  keysOf,
  publicKeyOf,
  type SignedHook,
  signPayload,
  TeamHookSchema,
} from '@holdfast/team'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { contentOf, draftOf, messageOf } from '../../packages/server/src/hooks/content.js'
import {
  discardDraft,
  hookOf,
  markFit,
  problemsBefore,
  saveDraft,
} from '../../packages/server/src/hooks/drafts.js'
import { problemsOf } from '../../packages/server/src/hooks/problems.js'
import { publish } from '../../packages/server/src/hooks/publish.js'
import { revisionOf, scriptOf, sideOf } from '../../packages/server/src/hooks/revisions.js'
import { watchPages } from '../../packages/server/src/push/pages.js'
import { expiringIn } from '../../packages/server/src/rollout/expiry.js'
import { healthOf } from '../../packages/server/src/rollout/health.js'
import { trustIn } from '../../packages/server/src/rollout/keys.js'
import { makeRelease } from '../../packages/server/src/rollout/make.js'
import { evidenceOf } from '../../packages/server/src/rollout/monitor.js'
import { listPins, pin, setKillSwitch, unpin } from '../../packages/server/src/rollout/orders.js'
import {
  changesIn,
  haltedBy,
  listReleases,
  newestHooks,
  releaseOf,
} from '../../packages/server/src/rollout/releases.js'
import { rollBack } from '../../packages/server/src/rollout/send.js'
import {
  keepSituation,
  rulesBy,
  situationOf,
  wantedFor,
} from '../../packages/server/src/rollout/situation.js'
import { signRelease, stepRelease } from '../../packages/server/src/rollout/steps.js'
import { ROLLOUT } from '../../packages/server/src/setup.js'
import { countLive } from '../../packages/server/src/store/live.js'
import { releasesWith } from '../../packages/server/src/store/releases.js'
import { membersOf } from '../../packages/server/src/store/rings.js'
import type { Team } from '../../packages/server/src/team.js'
import { DAY } from './records.js'
import { codeOf, NOW, openRows, type Rows } from './rows.js'

let rows: Rows
let owner: Person
let admin: Person
beforeAll(async () => {
  rows = await openRows()
  owner = await rows.seat('owner')
  admin = await rows.seat('admin')
})
afterAll(() => rows.close())
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('ring_members', 'pins', 'evidence', 'release_hooks', 'releases', 'devices')
  await rows.empty('revisions', 'hooks')
  await db().updateTable('team').set({ killed: 0, killed_because: '' }).execute()
  await set({})
})

const db = () => rows.team.store.db
const set = (change: object) =>
  db()
    .updateTable('team')
    .set({ rollout: JSON.stringify({ ...ROLLOUT, ...change }) })
    .execute()

const FULL = {
  hookStep: 'stop',
  scriptName: 'guard.sh',
  scriptContent: '#!/bin/sh\n',
  isActive: true,
}
const saved = async (name: string, { id = 0, base = 0, ...more }: Record<string, unknown> = {}) =>
  (
    await saveDraft(rows.team, admin, {
      id: id as number,
      base: base as number,
      name,
      draft: draftOf(create(TeamHookSchema, { ...FULL, scriptName: `${name}.sh`, ...more })),
    })
  ).hook
async function published(name: string, { skipRings = true, ...more }: Record<string, unknown> = {}) {
  const hook = await saved(name, more)
  await markFit(rows.team, hook)
  const drafts = [{ hookId: hook.id, draftVersion: hook.draft_version }]
  return publish(rows.team, admin, { drafts, remove: [], note: 'why', skipRings: skipRings as boolean })
}

describe('every change', () => {
  /** Topics that were notified, and entries that were appended to the log meanwhile. */
  async function traced(work: () => Promise<unknown>) {
    const topics: string[] = []
    const forget = rows.team.hub.subscribe(topic => void topics.push(topic))
    const last = () => db().selectFrom('admin_head').select('seq').executeTakeFirstOrThrow()
    const { seq } = await last()
    try {
      await work()
    } finally {
      forget()
    }
    const added = await db()
      .selectFrom('admin_actions')
      .select(['action', 'actor', 'subject', 'body'])
      .where('seq', '>', seq)
      .orderBy('seq')
      .execute()
    return {
      topics,
      log: added.map(({ action, actor, subject }) => `${actor}: ${action} ${subject}`),
      detail: added.map(({ body }) => JSON.parse(Buffer.from(body).toString()).detail),
    }
  }
  const who = () => admin.name

  it('of a draft is logged and announced', async () => {
    let id = 0
    const create = await traced(async () => {
      id = (await saved('one')).id
    })
    expect(create).toMatchObject({
      topics: ['hooks'],
      log: [`${who()}: hook.create hook ${id}`],
      detail: [{ name: 'one', version: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
    const change = await traced(() => saved('one', { id, base: 1, scriptContent: '#!/bin/sh\n#2\n' }))
    expect(change).toMatchObject({
      topics: ['hooks'],
      log: [`${who()}: hook.draft hook ${id}`],
      detail: [{ name: 'one', version: 2 }],
    })
    expect((change.detail[0] as { sha256: string }).sha256).not.toBe(
      (create.detail[0] as { sha256: string }).sha256,
    )
    expect(await traced(() => discardDraft(rows.team, admin, id))).toMatchObject({
      topics: ['hooks'],
      log: [`${who()}: hook.discard hook ${id}`],
      detail: [{ name: 'one' }],
    })
  })

  it('of a release is logged and announced', async () => {
    await rows.device('d')
    const steps: [() => Promise<unknown>, string, object][] = [
      [
        () => published('one'),
        'release.publish release 1',
        {
          note: 'why',
          state: 'done',
          ring: 'all',
          at_once: true,
          changed: [{ name: 'one', revision: 1 }],
        },
      ],
      [
        () => published('two', { skipRings: false }),
        'release.publish release 2',
        { state: 'rolling', ring: 'canary', changed: [{ name: 'two', revision: 1 }] },
      ],
      [
        () => stepRelease(rows.team, admin, 2, 'advance'),
        'release.advance release 2',
        { ring: 'early', state: 'rolling' },
      ],
      [
        () => stepRelease(rows.team, admin, 2, 'halt', { reason: 'bad' }),
        'release.halt release 2',
        { state: 'halted', reason: 'bad' },
      ],
      [
        () => stepRelease(rows.team, admin, 2, 'resume'),
        'release.resume release 2',
        { ring: 'early', state: 'rolling' },
      ],
      [
        () => rollBack(rows.team, admin, { to: 1, note: 'back' }),
        'release.roll-back release 3',
        { note: 'back', rolls_back_to: 1, removed: ['two'] },
      ],
      [
        () =>
          pin(rows.team, admin, {
            kind: 'device',
            whom: 'd',
            release: 1,
            until: NOW + DAY,
            reason: 'slow',
          }),
        'release.pin device d',
        { name: 'd', release: 1, until: new Date(NOW + DAY).toISOString(), reason: 'slow' },
      ],
      [() => unpin(rows.team, admin, 'device', 'd'), 'release.unpin device d', { name: 'd', release: 1 }],
      [
        () => setKillSwitch(rows.team, admin, { isOn: true, reason: 'bad day', isEmergency: false }),
        `team.kill team ${rows.team.id}`,
        { reason: 'bad day' },
      ],
      [
        () => setKillSwitch(rows.team, admin, { isOn: false, reason: 'over', isEmergency: false }),
        `team.revive team ${rows.team.id}`,
        { reason: 'over' },
      ],
    ]
    for (const [work, action, detail] of steps) {
      const seen = await traced(work)
      // The draft that is published is saved before.
      expect(
        seen.topics.filter(topic => topic === 'releases'),
        action,
      ).toHaveLength(1)
      expect(seen.log.at(-1)).toBe(`${who()}: ${action}`)
      expect(seen.detail.at(-1), action).toMatchObject(detail)
    }
    const halted = await traced(() =>
      stepRelease(rows.team, 'server', 3, 'halt', {
        reason: 'fails',
        by: [{ id: 'd', name: 'D', runs: 5, failures: 5, denials: 0 }],
      }),
    )
    expect(halted).toMatchObject({ log: ['server: release.halt release 3'], detail: [{ by: [{ id: 'd' }] }] })
  })

  it('that is refused is neither logged nor announced', async () => {
    await published('one')
    for (const work of [
      () => stepRelease(rows.team, admin, 1, 'advance'),
      () => unpin(rows.team, admin, 'device', 'd'),
      () => setKillSwitch(rows.team, admin, { isOn: true, reason: '', isEmergency: false }),
      () => rollBack(rows.team, admin, { to: 9, note: '' }),
      () => discardDraft(rows.team, admin, 99),
    ]) {
      expect(await traced(() => codeOf(work()))).toEqual({ topics: [], log: [], detail: [] })
    }
  })

  it('of keys is logged and announced', async () => {
    const other = await openRows()
    try {
      const person = await other.seat('owner')
      const seen: string[] = []
      const forget = other.team.hub.subscribe(topic => void seen.push(topic))
      await other.rotate(person, 'release', { newEpoch: true })
      forget()
      const trust = await trustIn(other.team.store.db)
      expect(seen).toEqual(['releases'])
      const log = await other.team.store.db
        .selectFrom('admin_actions')
        .select(['action', 'subject', 'actor', 'body'])
        .orderBy('seq', 'desc')
        .limit(2)
        .execute()
      expect(log.map(({ action, subject, actor }) => `${actor} ${action} ${subject}`)).toEqual([
        `${person.name} keys.trust trust 2`,
        `${person.name} keys.prepare key ${keyIdOf(keysOf(trust.release_keys)[0]!)}`,
      ])
      const root = keyIdOf(publicKeyOf(other.rootKeys[0]!))
      expect(JSON.parse(Buffer.from(log[0]!.body).toString()).detail).toEqual({ epoch: 1, signed_by: [root] })
      // The next release names them.
      const { release } = await makeRelease(other.team.store.db, other.team, [])
      expect(release).toMatchObject({ trust_version: 2, epoch: 1 })
    } finally {
      await other.close()
    }
  })
})

describe('a release', () => {
  const hook = (id: number, change: Partial<SignedHook> = {}): SignedHook => ({
    id,
    revision: 1,
    name: `hook ${id}`,
    hook_step: 'stop',
    type: 'command',
    mode: 'enforce',
    operating_systems: [],
    script_name: `s${id}.sh`,
    sha256: id.toString(16).padStart(64, '0'),
    size: 1,
    ...change,
  })
  const make = (hooks: SignedHook[]) => makeRelease(db(), rows.team, hooks)

  it('has the next number, its end, and the keys and settings of today', async () => {
    await set({ releaseDays: 3, records: 'all' })
    expect((await make([hook(2), hook(1)])).release).toMatchObject({
      team_id: rows.team.id,
      release: 1,
      epoch: 0,
      trust_version: 1,
      issued_at: new Date(NOW).toISOString(),
      expires_at: new Date(NOW + 3 * DAY).toISOString(),
      records: 'all',
      hooks: [{ id: 1 }, { id: 2 }],
      may_revert_to: [],
    })
    await rows.release(6, { state: 'halted' })
    expect((await make([])).release).toMatchObject({ release: 7 })
  })

  it('lets devices go back to the newest that are out, and to nothing halted or unsigned', async () => {
    const hash = (number: number) => String(number).repeat(64)
    await rows.release(1, { state: 'done', hash: hash(1) })
    await rows.release(2, { state: 'done', hash: hash(2) })
    await rows.release(3, { state: 'halted', hash: hash(3) })
    await rows.release(4, { state: 'rolling', hash: hash(4) })
    await rows.release(5, { state: 'unsigned', signatures: '[]', hash: hash(5) })
    await set({ revertDepth: 2 })
    expect((await make([])).release.may_revert_to).toEqual([hash(2), hash(4)])
    await set({ revertDepth: 1 })
    expect((await make([])).release.may_revert_to).toEqual([hash(4)])
  })

  it.each([
    ['500 hooks', 'ok', () => Array.from({ length: 500 }, (_, index) => hook(index + 1))],
    ['501 hooks', 'too-much', () => Array.from({ length: 501 }, (_, index) => hook(index + 1))],
    [
      'scripts of 16 MiB',
      'ok',
      () => Array.from({ length: 16 }, (_, index) => hook(index + 1, { size: 2 ** 20 })),
    ],
    [
      'scripts of more than 16 MiB',
      'too-much',
      () => [
        ...Array.from({ length: 16 }, (_, index) => hook(index + 1, { size: 2 ** 20 })),
        hook(17, { size: 1 }),
      ],
    ],
    [
      'two scripts of one name',
      'invalid',
      () => [hook(1, { script_name: 'a.sh' }), hook(2, { script_name: 'a.sh' })],
    ],
    ['a name that is a path', 'invalid', () => [hook(1, { script_name: '../a.sh' })]],
    ['a hook that no device can read', 'invalid', () => [hook(1, { hook_step: '' })]],
    ['a hook twice', 'invalid', () => [hook(1), hook(1)]],
    [
      'more text than 1 MiB',
      'too-much',
      () => Array.from({ length: 120 }, (_, index) => hook(index + 1, { matcher: 'x'.repeat(9000) })),
    ],
  ])('with %s: %s', async (_, code, hooks) => {
    expect(await codeOf(make(hooks()))).toBe(code)
  })

  it('assigns rings when it begins to roll, and also when all devices have it at once', async () => {
    for (const id of ['a', 'b', 'c']) await rows.device(id, { place: 0.9 })
    await published('one')
    expect((await membersOf(db(), 1)).size).toBe(3)
    await published('two', { skipRings: false })
    expect([...(await membersOf(db(), 2)).values()].sort()).toEqual([0, 1, 2])
  })

  it('is dealt out and begins its soak time when it is signed', async () => {
    const other = await openRows()
    try {
      const [person, key] = [await other.seat('owner'), generateKeys()]
      await other.device('a')
      await other.rotate(person, 'release', { publicKey: key.publicKey })
      const draft = draftOf(create(TeamHookSchema, FULL))
      const { hook: one } = await saveDraft(other.team, person, { id: 0, name: 'x', draft, base: 0 })
      await markFit(other.team, one)
      const drafts = [{ hookId: one.id, draftVersion: one.draft_version }]
      const row = await publish(other.team, person, { drafts, remove: [], note: '', skipRings: false })
      expect(row).toMatchObject({ state: 'unsigned', ring: 0 })
      expect((await membersOf(other.team.store.db, 1)).size).toBe(0)
      other.clock.now += DAY
      const signature = signPayload('release', new Uint8Array(row.payload), key.privateKey)
      const before = await other.team.store.db
        .selectFrom('admin_head')
        .select('seq')
        .executeTakeFirstOrThrow()
      const told: string[] = []
      other.team.hub.subscribe(topic => void told.push(topic))
      expect(await signRelease(other.team, person, 1, signature)).toMatchObject({
        state: 'rolling',
        ring_since: NOW + DAY,
        generation: 2,
      })
      expect(told).toEqual(['releases'])
      expect((await membersOf(other.team.store.db, 1)).size).toBe(1)
      const [logged] = await other.team.store.db
        .selectFrom('admin_actions')
        .select(['action', 'subject', 'actor'])
        .where('seq', '>', before.seq)
        .execute()
      expect(logged).toMatchObject({ action: 'release.sign', subject: 'release 1', actor: person.name })
    } finally {
      await other.close()
    }
  })

  it('starts from the newest that is not halted, and names what differs from it', async () => {
    await published('one')
    await published('two')
    await stepRelease(rows.team, admin, 2, 'halt', { reason: 'bad' })
    expect((await newestHooks(db())).map(({ name }) => name)).toEqual(['one'])
    await published('three')
    const change = async (number: number) =>
      (await changesIn(db(), await releaseOf(db(), number))).map(({ name, change }) => `${name} ${change}`)
    expect(await change(1)).toEqual(['one added'])
    expect(await change(3)).toEqual(['one same', 'three added'])
    const one = await db().selectFrom('hooks').selectAll().where('name', '=', 'one').executeTakeFirstOrThrow()
    await published('one', { id: one.id, base: one.draft_version, scriptContent: '#!/bin/sh\n#2\n' })
    expect(await change(4)).toEqual(['one changed', 'three same'])
    await publish(rows.team, admin, { drafts: [], remove: [one.id], note: '', skipRings: true })
    expect(await change(5)).toEqual(['three same', 'one removed'])
    expect(await releasesWith(db(), one.id, 1)).toEqual([1, 2, 3])
    expect(await releasesWith(db(), one.id, 2)).toEqual([4])
    expect((await listReleases(rows.team, { pageSize: 2, pageToken: '' })).rows.map(r => r.number)).toEqual([
      5, 4,
    ])
  })

  it('is stored with its author, its reason and its end', async () => {
    await set({ releaseDays: 10 })
    await published('one')
    rows.clock.now += DAY
    await rollBack(rows.team, owner, { to: 1, note: 'back' })
    const common = { epoch: 0, generation: 1, halted_because: '', halt_causes: '[]', state: 'done' }
    expect(await releaseOf(db(), 1)).toMatchObject({
      ...common,
      author: admin.name,
      note: 'why',
      at: NOW,
      ring_since: NOW,
      expires_at: NOW + 10 * DAY,
      rolls_back_to: null,
    })
    expect(await releaseOf(db(), 2)).toMatchObject({
      ...common,
      author: owner.name,
      note: 'back',
      at: NOW + DAY,
      expires_at: NOW + 11 * DAY,
      rolls_back_to: 1,
    })
  })

  it('that is halted keeps the reason and the devices until it is resumed', async () => {
    await rows.release(1, { ring: 1, generation: 4, ring_since: NOW - DAY })
    const by = [{ id: 'd', name: 'D', runs: 5, failures: 4, denials: 1 }]
    await stepRelease(rows.team, 'server', 1, 'halt', { reason: 'it fails', by })
    const halted = await releaseOf(db(), 1)
    expect(halted).toMatchObject({ state: 'halted', ring: 1, generation: 5, halted_because: 'it fails' })
    expect(JSON.parse(halted.halt_causes)).toEqual(by)
    await stepRelease(rows.team, admin, 1, 'resume')
    expect(await releaseOf(db(), 1)).toMatchObject({
      state: 'rolling',
      ring: 1,
      ring_since: NOW,
      generation: 6,
      halted_because: '',
      halt_causes: '[]',
    })
    // The last ring has no further ring to advance to.
    await rows.release(2, { ring: 2, state: 'halted' })
    expect(await stepRelease(rows.team, admin, 2, 'resume')).toMatchObject({ state: 'done', ring: 2 })
  })

  it('that is halted names the last person who halted it', async () => {
    await published('one')
    await published('two')
    const by = async (number: number) => haltedBy(db(), await releaseOf(db(), number))
    await stepRelease(rows.team, owner, 1, 'halt')
    expect(await by(1)).toBe(owner.name)
    await stepRelease(rows.team, owner, 1, 'resume')
    expect(await by(1)).toBe('')
    await stepRelease(rows.team, admin, 1, 'halt')
    await stepRelease(rows.team, owner, 2, 'halt')
    expect([await by(1), await by(2)]).toEqual([admin.name, owner.name])
  })

  it('that was halted is a step back for the rings that it had reached by dealing', async () => {
    await rows.release(1, { state: 'done' })
    await rows.release(2, { state: 'halted', ring: 0 })
    await db()
      .insertInto('ring_members')
      .values([
        { release: 2, ring: 0, device_id: 'had' },
        { release: 2, ring: 2, device_id: 'had not' },
      ])
      .execute()
    const situation = await situationOf(rows.team)
    const isBack = (id: string, place: number) => wantedFor({ id, place, group: '' }, situation, NOW).isBack
    expect(isBack('had', 0.99)).toBe(true)
    expect(isBack('had not', 0)).toBe(false)
  })
})

it('what devices are judged by is read again after the database was away, and after a change', async () => {
  let isAway = true
  let reads = 0
  const store = {
    get db() {
      reads++
      if (isAway) throw new Error('away')
      return db()
    },
  }
  const situations = keepSituation({ ...rows.team, store } as unknown as Team)
  await expect(situations.current()).rejects.toThrow('away')
  isAway = false
  expect(await situations.current()).toMatchObject({ isKilled: false })
  await situations.current()
  expect(reads).toBe(2)
  await setKillSwitch(rows.team, admin, { isOn: true, reason: 'bad day', isEmergency: false })
  expect(await situations.current()).toMatchObject({ isKilled: true })
})

it('pages receive what changed, and nothing about tokens', async () => {
  const { hub } = rows.team
  const stop = new AbortController()
  const pages = watchPages(rows.team, stop.signal)
  const next = async () => (await pages.next()).value
  expect(await next()).toEqual({ what: '', epoch: 0 })
  let heard = next()
  hub.changed('hooks')
  expect(await heard).toEqual({ what: 'hooks', epoch: hub.epoch('hooks') })
  heard = next()
  hub.changed('tokens')
  // It only announces that the caller may have to ask again.
  expect(await heard).toEqual({ what: '', epoch: 0 })
  const end = pages.next()
  stop.abort()
  expect(await end).toMatchObject({ done: true })
})

it('the owner of a token that is in use is notified of its end', async () => {
  const used = {
    kind: 'person',
    created_at: NOW - 90 * DAY,
    last_used_at: NOW - DAY,
    expires_at: NOW + 14 * DAY,
  } as const
  const tokens = {
    told: {},
    revoked: { revoked_at: NOW },
    'of a device': { kind: 'device' as const },
    over: { expires_at: NOW },
    'later on': { expires_at: NOW + 14 * DAY + 1 },
    'not used for 30 days': { last_used_at: NOW - 30 * DAY },
    'for a few days': { created_at: NOW },
  }
  for (const [name, change] of Object.entries(tokens))
    await rows.token(admin.userId, { ...used, name, ...change })
  const named = async (whose?: string) => (await expiringIn(rows.team, whose)).map(({ name }) => name)
  expect(await named()).toEqual(['told'])
  expect(await named(admin.userId)).toEqual(['told'])
  expect(await named(owner.userId)).toEqual([])
  await rows.empty('tokens')
  await rows.release(1, { state: 'done', expires_at: NOW + 30 * DAY })
  await rows.release(2, { state: 'halted', expires_at: NOW + 99 * DAY })
  expect(await named(owner.userId)).toEqual(['release 1'])
  await rows.release(3, { state: 'rolling', expires_at: NOW + 30 * DAY + 1 })
  expect(await named()).toEqual([])
})

it('pins are listed page by page, each once', async () => {
  const whom = ['a', 'b', 'c']
  await rows.release(1)
  for (const kind of ['device', 'group'] as const)
    for (const one of whom)
      await db()
        .insertInto('pins')
        .values({ kind, whom: one, release: 1, until: NOW + DAY, reason: '', by: '' })
        .execute()
  const seen: string[] = []
  let pageToken = ''
  for (let pages = 0; pages < 6; pages++) {
    const page = await listPins(rows.team, { pageSize: 2, pageToken })
    seen.push(...page.rows.map(({ kind, whom }) => `${kind} ${whom}`))
    pageToken = page.nextPageToken
    if (pageToken === '') break
  }
  expect(seen).toEqual(['device a', 'device b', 'device c', 'group a', 'group b', 'group c'])
})

describe('the health of a ring', () => {
  it('counts enrolled devices, those that took the release, and those that are silent', async () => {
    await rows.release(2)
    const silent = { last_seen_at: NOW - 8 * DAY }
    await rows.device('took it', { place: 0.01, release: 2 })
    await rows.device('took it and fell silent', { place: 0.01, release: 2, ...silent })
    await rows.device('has another', { place: 0.01, release: 1 })
    await rows.device('revoked', { place: 0.01, release: 2, revoked_at: NOW })
    await rows.device('later', { place: 0.99, release: 1 })
    const evidence = { release: 2, first_failures: 0, at: NOW }
    await db()
      .insertInto('evidence')
      .values([
        { ...evidence, device_id: 'took it', runs: 10, failures: 2, denials: 3 },
        { ...evidence, device_id: 'has another', runs: 5, failures: 0, denials: 1 },
        { ...evidence, device_id: 'later', runs: 7, failures: 0, denials: 0 },
        { ...evidence, release: 1, device_id: 'took it', runs: 99, failures: 99, denials: 99 },
      ])
      .execute()
    const rules = await rulesBy(rows.team, keepSituation(rows.team))()
    const [canary, , all] = await healthOf(db(), 2, rules, await countLive(db(), rules))
    expect(canary).toMatchObject({
      ring: 'canary',
      devices: 3,
      progress: { active: 1, pending: 1, failed: 0, silent: 1 },
      runs: 15,
      failures: 2,
      denials: 4,
      failingDevices: 1,
    })
    expect(all).toMatchObject({ devices: 1, progress: { active: 0, pending: 0, silent: 0 }, runs: 7 })
  })

  it('is judged with the release before it that is out', async () => {
    await rows.release(1, { state: 'done' })
    await rows.release(2, { state: 'halted' })
    await rows.release(3)
    for (const [release, denials] of [
      [1, 10],
      [2, 0],
    ] as const)
      for (const device_id of ['a', 'b', 'c'])
        await db()
          .insertInto('evidence')
          .values({ release, device_id, runs: 10, failures: 0, denials, first_failures: 0, at: NOW })
          .execute()
    const usual = await evidenceOf(rows.team, await releaseOf(db(), 3))
    expect(usual.denialLimit).toBeGreaterThan(0.9)
    expect(usual.denialLimit).toBeLessThan(1)
    const first = await evidenceOf(rows.team, await releaseOf(db(), 1))
    expect(first.denialLimit).toBe(ROLLOUT.denialLimit)
  })
})

describe('a draft', () => {
  const content = (change: object) => contentOf(create(TeamHookSchema, { ...FULL, ...change }))

  it('is stored with each field that a person gave, and without the others', () => {
    expect(content({})).toEqual({
      hook_step: 'stop',
      type: 'command',
      mode: 'enforce',
      operating_systems: [],
      is_active: true,
      script_name: 'guard.sh',
    })
    const all = {
      type: 'command',
      mode: 'observe',
      operatingSystems: ['Windows', 'Linux', 'Windows'],
      isActive: false,
      matcher: 'rm',
      timeout: 2.5,
      failClosed: true,
      loopLimit: 3,
    }
    expect(content({ ...all, prompt: 'ignored', model: 'ignored' })).toEqual({
      hook_step: 'stop',
      type: 'command',
      mode: 'observe',
      operating_systems: ['Linux', 'Windows'],
      is_active: false,
      matcher: 'rm',
      timeout: 2.5,
      fail_closed: true,
      loop_limit: 3,
      script_name: 'guard.sh',
    })
    expect(content({ failClosed: false, loopLimit: 0 })).toMatchObject({
      fail_closed: false,
      loop_limit: null,
    })
    const prompt = { type: 'prompt', prompt: 'ok?', model: 'm' }
    expect(content(prompt)).toMatchObject({ type: 'prompt', prompt: 'ok?', model: 'm' })
    expect(content(prompt)).not.toHaveProperty('script_name')
    expect(draftOf(create(TeamHookSchema, { ...FULL, ...prompt })).script).toBeNull()
    expect(draftOf(create(TeamHookSchema, FULL)).script).toBe('#!/bin/sh\n')
  })

  it.each([
    {},
    { mode: 'observe', failClosed: true, timeout: 1, matcher: 'x', operatingSystems: ['Linux'] },
    { failClosed: false, loopLimit: 0 },
    { loopLimit: 7, isActive: false },
    { type: 'prompt', prompt: 'ok?', model: 'm' },
  ])('travels as it was written: %o', change => {
    const stored = content(change)
    expect(contentOf(messageOf(stored, {}))).toEqual(stored)
    expect(messageOf(stored, { script: 'text' }).scriptContent).toBe('text')
  })

  it.each([
    ['script_content', { scriptContent: 'x'.repeat(2 ** 20) }, { scriptContent: 'x'.repeat(2 ** 20 + 1) }],
    ['matcher', { matcher: 'x'.repeat(10_000) }, { matcher: 'x'.repeat(10_001) }],
    ['hook_step', { hookStep: 'x'.repeat(200) }, { hookStep: 'x'.repeat(201) }],
    [
      'prompt',
      { type: 'prompt', prompt: 'x'.repeat(100_000) },
      { type: 'prompt', prompt: 'x'.repeat(100_001) },
    ],
    [
      'model',
      { type: 'prompt', prompt: 'x', model: 'x'.repeat(200) },
      { type: 'prompt', prompt: 'x', model: 'x'.repeat(201) },
    ],
  ])('may be incomplete, but not longer than the limit: %s', async (_, fits, exceeds) => {
    expect(await codeOf(saved('a', fits))).toBe('ok')
    expect(await codeOf(saved('b', exceeds))).toBe('too-much')
  })

  it.each([
    ['a', 'ok'],
    ['ä b', 'ok'],
    ['x'.repeat(100), 'ok'],
    ['', 'invalid'],
    [' a', 'invalid'],
    ['a ', 'invalid'],
    ['a\nb', 'invalid'],
    ['a\u202eb', 'invalid'],
    ['x'.repeat(101), 'invalid'],
  ])('is called %j: %s', async (name, code) => {
    const draft = draftOf(create(TeamHookSchema, FULL))
    expect(await codeOf(saveDraft(rows.team, admin, { id: 0, name, draft, base: 0 }))).toBe(code)
    const problems = await problemsBefore(rows.team, { id: 99, name, draft, base: 0 })
    // The name of a saved draft is taken; an invalid one cannot be saved either.
    expect(problems[0]).toMatchObject({ code: 'team/name' })
    expect(await codeOf(saveDraft(rows.team, admin, { id: 0, name, draft, base: 0 }))).not.toBe('ok')
  })

  it('is passed only as it was when it was checked', async () => {
    const first = await saved('a')
    const second = await saved('a', { id: first.id, base: 1, scriptContent: '#!/bin/sh\n#2\n' })
    await markFit(rows.team, first)
    expect(await hookOf(db(), first.id)).toMatchObject({ fit: null, draft_version: 2 })
    await markFit(rows.team, second)
    const { fit } = await hookOf(db(), first.id)
    expect(fit).toMatch(/^[0-9a-f]{64}$/)
    await markFit(rows.team, await saved('b'))
    expect((await hookOf(db(), first.id)).fit).toBe(fit)
    // Saving it again removes the result of the check.
    expect(await saved('a', { id: first.id, base: 2 })).toMatchObject({ fit: null, draft_version: 3 })
  })

  it('that is discarded leaves what is published, and cannot be published', async () => {
    const { id } = await saved('other')
    await published('a')
    const hook = await db().selectFrom('hooks').selectAll().where('name', '=', 'a').executeTakeFirstOrThrow()
    expect(hook).toMatchObject({ revision: 1, draft: null, draft_script: null, draft_by: null, fit: null })
    expect(await codeOf(discardDraft(rows.team, admin, hook.id))).toBe('not-now')
    const again = await saved('a', { id: hook.id, base: hook.draft_version })
    await markFit(rows.team, again)
    expect(await discardDraft(rows.team, admin, hook.id)).toMatchObject({
      draft: null,
      draft_script: null,
      draft_by: null,
      fit: null,
      revision: 1,
      draft_version: again.draft_version + 1,
    })
    expect((await hookOf(db(), id)).draft).not.toBeNull()
    const drafts = [{ hookId: hook.id, draftVersion: again.draft_version }]
    expect(await codeOf(publish(rows.team, admin, { drafts, remove: [], note: '', skipRings: true }))).toBe(
      'not-now',
    )
  })

  it('becomes a revision of its own hook, with the bytes of its script', async () => {
    await published('a', { scriptContent: '#!/bin/sh\n#a\n' })
    await published('b', { scriptContent: '#!/bin/sh\n#b\n' })
    const [a, b] = await db().selectFrom('hooks').selectAll().orderBy('name').execute()
    const one = await revisionOf(db(), a!.id, 1)
    expect(await scriptOf(db(), one.sha256)).toBe('#!/bin/sh\n#a\n')
    expect(await scriptOf(db(), null)).toBeNull()
    expect(await codeOf(revisionOf(db(), a!.id, 2))).toBe('missing')
    expect((await sideOf(rows.team, b!.id, 1)).script).toBe('#!/bin/sh\n#b\n')
    expect(await codeOf(sideOf(rows.team, b!.id, 0))).toBe('missing')
    await saved('b', { id: b!.id, base: b!.draft_version, scriptContent: '#!/bin/sh\n#c\n' })
    expect((await sideOf(rows.team, b!.id, 0)).script).toBe('#!/bin/sh\n#c\n')
  })

  it.each([
    ['team/type', { type: 'other' }],
    ['team/mode', { mode: 'off' }],
    ['team/os', { operatingSystems: ['Linux', 'BeOS'] }],
    ['team/script-name', { scriptName: '' }],
    ['team/script-name', { scriptName: 'a/b' }],
    ['team/script-empty', { scriptContent: '' }],
    ['team/script-size', { scriptContent: `#!${'x'.repeat(2 ** 20 - 1)}` }],
  ])('has the error %s with %o', async (code, change) => {
    const problems = await problemsOf(draftOf(create(TeamHookSchema, { ...FULL, ...change })))
    expect(problems).toMatchObject([{ severity: 'error', code }])
  })
})
