// From a draft to the files of a device, judged by the device's own checks.

import { create, toBinary } from '@bufbuild/protobuf'
import {
  accept,
  GetTeamHooksRequestSchema,
  type GetTeamHooksResponse,
  GetTeamHooksResponseSchema,
  NO_MARK,
  type Standing,
  TeamHookSchema,
  verifyTrustChain,
} from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { draftOf } from '../../packages/server/src/hooks/content.js'
import { hookOf, markFit, saveDraft } from '../../packages/server/src/hooks/drafts.js'
import { publish } from '../../packages/server/src/hooks/publish.js'
import { type OpenTeam, openTeam } from '../../packages/server/src/open-team.js'
import { messageIn, openDelivery } from '../../packages/server/src/rollout/delivery.js'
import { pin, setKillSwitch } from '../../packages/server/src/rollout/orders.js'
import { rollBack } from '../../packages/server/src/rollout/send.js'
import { situationOf } from '../../packages/server/src/rollout/situation.js'
import { stepRelease } from '../../packages/server/src/rollout/steps.js'
import { openSecrets } from '../../packages/server/src/secrets.js'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { seat } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }
const ADMIN: Person = {
  kind: 'person',
  userId: 'u1',
  name: 'Ada',
  role: 'admin',
  via: 'session',
  address: '',
}
const START = Date.UTC(2026, 0, 1)

describe.each(DATABASES)('$kind', ({ create: createDatabase, kind }) => {
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let opened: OpenTeam
  let now = START
  const standings = new Map<string, Pick<Standing, 'mark' | 'inForce'>>()
  beforeEach(async () => {
    now = START
    standings.clear()
    database = await createDatabase()
    opened = await openTeam({
      database: database.url,
      secrets: openSecrets(Buffer.alloc(32, 7)),
      url: 'http://127.0.0.1',
      log: SILENT,
      now: () => now,
    })
    await seat(opened.team, ADMIN)
  })
  afterEach(async () => {
    await opened.close()
    await database.drop()
  })

  const guard = (script: string, more: object = {}) =>
    create(TeamHookSchema, {
      hookStep: 'beforeShellExecution',
      scriptName: 'guard.sh',
      scriptContent: script,
      isActive: true,
      ...more,
    })

  async function published(
    script: string,
    { id = 0, name = 'Guard', skipRings = false, more = {} as object } = {},
  ) {
    const { team } = opened
    const base = id === 0 ? 0 : (await hookOf(team.store.db, id)).draft_version
    const { hook } = await saveDraft(team, ADMIN, { id, name, draft: draftOf(guard(script, more)), base })
    await markFit(team, hook)
    now += 1000
    const drafts = [{ hookId: hook.id, draftVersion: hook.draft_version }]
    return {
      hook,
      release: await publish(team, ADMIN, { drafts, remove: [], note: 'n', skipRings }),
    }
  }

  async function device(index: number, place = index / 100) {
    const id = String(index).padStart(32, '0')
    await opened.team.store.db
      .insertInto('devices')
      .values({
        id,
        name: `laptop ${index}`,
        operating_system: 'Linux',
        os_version: '',
        client_version: '',
        group: index % 2 ? 'odd' : 'even',
        enrolled_at: now,
        enrolled_by: 'test',
        owner: '',
        enrolment_key: null,
        token_id: '',
        last_seen_at: now,
        release: 0,
        release_hash: '',
        trust_version: 0,
        state: 'no_bundle',
        problems: '[]',
        queued: 0,
        place,
        revoked_at: null,
        looks_cloned: 0,
        lease_seq: 0,
      })
      .execute()
    return id
  }

  async function answerFor(id: string): Promise<GetTeamHooksResponse> {
    const { team } = opened
    const row = await team.store.db
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const request = create(GetTeamHooksRequestSchema, {
      leaseSeq: BigInt(standings.get(id)?.mark.lease_seq ?? 0),
    })
    return messageIn(await openDelivery(team)(row, await situationOf(team), request))
  }
  /** The result of the device's own checks: the order, or the code of the refusal. */
  async function taken(id: string): Promise<string> {
    const answer = await answerFor(id)
    const { trust } = verifyTrustChain(undefined, opened.fingerprint, answer.trust)
    const { mark, inForce } = standings.get(id) ?? { mark: NO_MARK, inForce: undefined }
    const judged = accept(
      { deviceId: id, system: 'Linux', now, trust: trust!, mark, inForce, scriptOf: () => undefined },
      { release: answer.release, lease: answer.lease, scripts: answer.scripts },
    )
    if (!judged.ok) return judged.refusal.code
    const { accepted } = judged
    const release = accepted.release && { hash: accepted.release.hash, release: accepted.release.payload }
    standings.set(id, { mark: accepted.mark, inForce: release ?? inForce })
    return `${accepted.order} ${accepted.lease.release}`
  }

  usualIt('serves a release that passes every check of a device', async () => {
    const id = await device(1)
    const { release } = await published('#!/bin/sh\necho "{}"\n', { skipRings: true })
    expect(release).toMatchObject({ number: 1, state: 'done' })
    const answer = await answerFor(id)
    const { hooks } = JSON.parse(Buffer.from(answer.release!.payload).toString())
    expect(hooks).toMatchObject([{ hook_step: 'beforeShellExecution', revision: 1 }])
    expect(await taken(id)).toBe('take 1')
  })

  usualIt('advances through the rings, halts, rolls back and continues', async () => {
    const ids: string[] = []
    for (let index = 0; index < 20; index++) ids.push(await device(index, index / 20))
    const { hook } = await published('#!/bin/sh\n# one\n', { skipRings: true })
    const { release } = await published('#!/bin/sh\n# two\n', { id: hook.id })
    expect(release).toMatchObject({ number: 2, state: 'rolling', ring: 0 })
    const all = () => Promise.all(ids.map(taken))
    expect((await all()).filter(said => said === 'take 2')).toHaveLength(1)
    const { team } = opened
    await stepRelease(team, ADMIN, 2, 'advance')
    expect((await all()).filter(said => said === 'take 2')).toHaveLength(5)
    await stepRelease(team, ADMIN, 2, 'halt', { reason: 'it fails' })
    const halted = await all()
    expect(halted.filter(said => said === 'revert 1')).toHaveLength(5)
    expect(halted.filter(said => said === 'take 1')).toHaveLength(15)
    await stepRelease(team, ADMIN, 2, 'resume')
    expect((await all()).filter(said => said === 'take 2')).toHaveLength(5)
    await rollBack(team, ADMIN, { to: 1, note: 'back' })
    expect(new Set(await all())).toEqual(new Set(['take 3']))
  })

  it('a hook that is switched off is in no answer, and neither is its script', async () => {
    const id = await device(1, 0)
    await published('# one', { skipRings: true })
    const more = { isActive: false, scriptName: 'spare.sh' }
    await published('# spare', { name: 'spare', skipRings: true, more })
    const answer = await answerFor(id)
    expect(answer.scripts.map(({ content }) => Buffer.from(content).toString())).toEqual(['# one'])
    expect(Buffer.from(toBinary(GetTeamHooksResponseSchema, answer)).toString()).not.toContain('spare')
  })

  it('every script that is sent is named by the signed release, and once', async () => {
    const id = await device(1)
    await published('# one', { skipRings: true })
    const answer = await answerFor(id)
    const text = Buffer.from(toBinary(GetTeamHooksResponseSchema, answer)).toString('latin1')
    expect(text.split('# one')).toHaveLength(2)
    expect(
      Object.keys(answer)
        .filter(key => !key.startsWith('$'))
        .sort(),
    ).toEqual(['etag', 'lease', 'release', 'ring', 'scripts', 'trust'])
  })

  usualIt('a pin keeps a device on its release; the kill switch removes all hooks', async () => {
    const [one, two] = [await device(1), await device(2)]
    const { hook } = await published('#!/bin/sh\n# one\n', { skipRings: true })
    await published('#!/bin/sh\n# two\n', { id: hook.id, skipRings: true })
    const { team } = opened
    await pin(team, ADMIN, { kind: 'device', whom: one, release: 1, until: now + 1000, reason: 'r' })
    expect(await taken(one)).toBe('revert 1')
    expect(await taken(two)).toBe('take 2')
    now += 2000
    expect(await taken(one)).toBe('take 2')
    await setKillSwitch(team, ADMIN, { isOn: true, reason: 'bad day', isEmergency: false })
    expect(await taken(two)).toBe('kill 0')
    expect(await answerFor(two)).toMatchObject({ scripts: [] })
    expect((await answerFor(two)).release).toBeUndefined()
  })

  usualIt('publishes only the reviewed and checked version of a draft', async () => {
    const { team } = opened
    const { hook } = await saveDraft(team, ADMIN, {
      id: 0,
      name: 'Guard',
      draft: draftOf(guard('#!/bin/sh\n')),
      base: 0,
    })
    const wish = (draftVersion: number) => ({
      drafts: [{ hookId: hook.id, draftVersion }],
      remove: [],
      note: '',
      skipRings: true,
    })
    await expect(publish(team, ADMIN, wish(1))).rejects.toThrow(/not checked/)
    await markFit(team, hook)
    await saveDraft(team, ADMIN, {
      id: hook.id,
      name: 'Guard',
      draft: draftOf(guard('#!/bin/sh\n#2\n')),
      base: 1,
    })
    await expect(publish(team, ADMIN, wish(1))).rejects.toThrow(/changed since/)
    await expect(publish(team, ADMIN, wish(2))).rejects.toThrow(/not checked/)
    const stale = saveDraft(team, ADMIN, { id: hook.id, name: 'Guard', draft: draftOf(guard('x')), base: 1 })
    await expect(stale).rejects.toThrow(/somebody else/)
  })

  usualIt('reports the problems of a draft with the messages of the engine', async () => {
    const save = (more: object) =>
      saveDraft(opened.team, ADMIN, {
        id: 0,
        name: `Guard ${Math.random()}`,
        draft: draftOf(guard('#!/bin/sh\n', more)),
        base: 0,
      })
    const codes = async (more: object) =>
      (await save(more)).problems.map(({ code, field }) => `${code} ${field}`)
    expect(await codes({})).toEqual([])
    expect(await codes({ hookStep: 'beforeShellExecutoin' })).toEqual(['config/unknown-event hook_step'])
    expect(await codes({ matcher: '(' })).toEqual(['config/bad-matcher matcher'])
    expect(await codes({ scriptName: '' })).toEqual(['team/script-name script_name'])
    expect(await codes({ timeout: -1 })).toEqual(['config/bad-field timeout'])
  })
})
