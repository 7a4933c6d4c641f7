// The live state of every page, compared with a simple model: one list of devices, each with its actual and intended
// release.

import { create } from '@bufbuild/protobuf'
import { type LiveState, ReportRequestSchema, TeamHookSchema } from '@holdfast/team'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { overviewOf } from '../../packages/server/src/audit/overview.js'
import { draftOf } from '../../packages/server/src/hooks/content.js'
import { hookOf, markFit, saveDraft } from '../../packages/server/src/hooks/drafts.js'
import { publish } from '../../packages/server/src/hooks/publish.js'
import { openReports } from '../../packages/server/src/people/report.js'
import { pin, setKillSwitch, unpin } from '../../packages/server/src/rollout/orders.js'
import { ringAt } from '../../packages/server/src/rollout/rings.js'
import { rollBack } from '../../packages/server/src/rollout/send.js'
import { keepSituation, rulesBy } from '../../packages/server/src/rollout/situation.js'
import { type Step, stepRelease } from '../../packages/server/src/rollout/steps.js'
import { devicesRpc } from '../../packages/server/src/rpc/devices.js'
import { hooksRpc } from '../../packages/server/src/rpc/hooks.js'
import { rolloutRpc } from '../../packages/server/src/rpc/rollout.js'
import { ROLLOUT } from '../../packages/server/src/setup.js'
import type { Rules } from '../../packages/server/src/store/device-states.js'
import { membersOf } from '../../packages/server/src/store/rings.js'
import { runsEverything } from '../scope.js'
import { DAY } from './records.js'
import { codeOf, NOW, openRows, type Rows } from './rows.js'

const SYSTEMS = ['Linux', 'Macintosh'] as const
type System = (typeof SYSTEMS)[number]
const RINGS = ROLLOUT.rings

let rows: Rows
let admin: Person
let rules: Rules
beforeAll(async () => {
  rows = await openRows()
  admin = await rows.seat('admin')
  rules = rulesBy(rows.team, keepSituation(rows.team))
})
afterAll(() => rows.close())

interface ModelDevice {
  readonly id: string
  readonly place: number
  readonly system: System
  readonly group: string
  has: number
  isKilled: boolean
  hasProblem: boolean
  isSilent: boolean
}

interface ModelRelease {
  readonly number: number
  state: 'rolling' | 'done' | 'halted'
  ring: number
  /** Hook to revision. */
  readonly hooks: ReadonlyMap<number, number>
  dealt: ReadonlyMap<string, number>
}

/** Decisions of the team and actions of devices, as plain values. */
class Model {
  readonly devices: ModelDevice[] = []
  readonly releases: ModelRelease[] = []
  readonly systems = new Map<string, readonly System[]>()
  readonly revisions = new Map<number, number>()
  readonly pins = new Map<string, number>()
  isKilled = false

  newest = () => this.releases.filter(({ state }) => state !== 'halted').at(-1)
  ringOf = ({ id, place }: ModelDevice, release = this.releases.at(-1)) =>
    release?.dealt.get(id) ?? ringAt(place, RINGS)

  runs = ({ isKilled, has }: ModelDevice) => (isKilled ? 0 : has)
  wants(device: ModelDevice): number {
    if (this.isKilled) return 0
    const pinned = this.pins.get(`device ${device.id}`) ?? this.pins.get(`group ${device.group}`)
    if (pinned !== undefined) return pinned
    const found = this.releases.findLast(
      release =>
        release.state !== 'halted' &&
        (release.state === 'done' || this.ringOf(device, release) <= release.ring),
    )
    return found?.number ?? this.runs(device)
  }

  private on(release: number, hook: number, system: System): number {
    const revision = this.releases.find(({ number }) => number === release)?.hooks.get(hook) ?? 0
    return revision > 0 && this.systems.get(`${hook}@${revision}`)!.includes(system) ? revision : 0
  }

  live(hook: number): Pick<LiveState, 'state' | 'release' | 'released'> & { rings: object[] } {
    const release = this.newest()?.number ?? 0
    const released = this.newest()?.hooks.get(hook) ?? 0
    const all = this.devices.map(device => ({
      ring: RINGS[this.ringOf(device)]!.name,
      has: this.on(this.runs(device), hook, device.system),
      wants: this.on(this.wants(device), hook, device.system),
      isFor: this.on(release, hook, device.system) > 0,
      device,
    }))
    const concerned = all.filter(({ has, wants, isFor }) => has > 0 || wants > 0 || isFor)
    const seen = concerned.filter(({ device }) => !device.isSilent)
    const with_ = seen.filter(({ has }) => has === released).length
    const rings = RINGS.map(({ name: ring }) => {
      const here = concerned.filter(one => one.ring === ring)
      const numbers = new Set(
        here.flatMap(({ has, wants, device }) => (device.isSilent ? [has] : [has, wants])),
      )
      const count = (is: (one: (typeof here)[number]) => boolean) => here.filter(is).length
      return {
        ring,
        devices: here.length,
        revisions: [...numbers]
          .sort((a, b) => b - a)
          .map(revision => ({
            revision,
            active: count(({ has, device }) => !device.isSilent && has === revision),
            silent: count(({ has, device }) => device.isSilent && has === revision),
            pending: count(
              ({ has, wants, device: { isSilent, hasProblem } }) =>
                !isSilent && !hasProblem && has !== wants && wants === revision,
            ),
            failed: count(
              ({ has, wants, device: { isSilent, hasProblem } }) =>
                !isSilent && hasProblem && has !== wants && wants === revision,
            ),
          })),
      }
    })
    const state =
      this.revisions.get(hook) === 0
        ? 'draft'
        : released === 0
          ? all.some(({ has }) => has > 0)
            ? 'removing'
            : 'removed'
          : this.isKilled
            ? 'killed'
            : with_ === 0
              ? 'released'
              : with_ === seen.length
                ? 'active'
                : 'partial'
    return { state, release, released, rings }
  }

  progress(release: number, devices = this.devices) {
    const concerned = devices.filter(
      device => this.runs(device) === release || this.wants(device) === release,
    )
    const seen = concerned.filter(({ isSilent }) => !isSilent)
    const lacking = seen.filter(device => this.runs(device) !== release)
    return {
      active: seen.length - lacking.length,
      pending: lacking.filter(({ hasProblem }) => !hasProblem).length,
      failed: lacking.filter(({ hasProblem }) => hasProblem).length,
      silent: concerned.length - seen.length,
    }
  }

  shownState({ number, state }: ModelRelease): string {
    if (state === 'halted') return state
    return this.releases.some(newer => newer.number > number && newer.state === 'done') ? 'replaced' : state
  }
}

const STEPS = [
  ...['publish', 'publish', 'publish at once', 'remove', 'draft', 'advance', 'advance', 'halt', 'resume'],
  ...['roll back', 'pin device', 'pin group', 'unpin', 'kill', 'enrol', 'revoke'],
  ...['report', 'report', 'report', 'report all', 'report all', 'problem', 'silent'],
] as const
type Step_ = { readonly kind: (typeof STEPS)[number]; readonly a: number; readonly b: number }
const histories = fc.array(
  fc.record({ kind: fc.constantFrom(...STEPS), a: fc.nat(1000), b: fc.nat(1000) }) as fc.Arbitrary<Step_>,
  { minLength: 15, maxLength: 50, size: 'max' },
)

const at = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)]

async function playStep(model: Model, { kind, a, b }: Step_): Promise<void> {
  const { team } = rows
  const device = at(model.devices, a)
  const release = at(model.releases, a)
  const add = async (number: number, isAtOnce: boolean, hooks: ReadonlyMap<number, number>) => {
    const last = RINGS.length - 1
    const dealt = await membersOf(team.store.db, number)
    expect(dealt.size).toBe(model.devices.length)
    model.releases.push({
      number,
      state: isAtOnce ? 'done' : 'rolling',
      ring: isAtOnce ? last : 0,
      hooks,
      dealt,
    })
  }
  const takeUp = async (one: ModelDevice) => {
    one.isKilled = model.isKilled
    if (!model.isKilled) one.has = model.wants(one)
    one.isSilent = false
    await tell(one)
  }
  const tell = ({ id, has, isKilled, hasProblem }: ModelDevice) =>
    openReports(team)(
      id,
      create(ReportRequestSchema, {
        release: has,
        state: isKilled ? 'killed' : 'in_sync',
        problems: hasProblem ? [{ code: 'downgrade', message: 'older', at: '' }] : [],
      }),
    )
  switch (kind) {
    case 'publish':
    case 'publish at once': {
      const isNew = model.revisions.size === 0 || (a % 3 === 0 && model.revisions.size < 4)
      const old = isNew ? 0 : at([...model.revisions.keys()], b)!
      const base = isNew ? 0 : (await hookOf(team.store.db, old)).draft_version
      const name = isNew ? `hook-${model.revisions.size}` : (await hookOf(team.store.db, old)).name
      const systems = b % 4 === 0 ? SYSTEMS.slice(0, 1) : b % 4 === 1 ? SYSTEMS.slice(1) : SYSTEMS
      const draft = draftOf(
        create(TeamHookSchema, {
          hookStep: 'stop',
          scriptName: `${name}.sh`,
          scriptContent: `#!/bin/sh\n# ${a} ${b}\n`,
          isActive: true,
          operatingSystems: [...systems],
        }),
      )
      const { hook } = await saveDraft(team, admin, { id: old, base, name, draft })
      await markFit(team, hook)
      const drafts = [{ hookId: hook.id, draftVersion: hook.draft_version }]
      const skipRings = kind === 'publish at once'
      const { number } = await publish(team, admin, { drafts, remove: [], note: '', skipRings })
      const revision = hook.revision + 1
      model.revisions.set(hook.id, revision)
      model.systems.set(`${hook.id}@${revision}`, systems)
      const hooks = new Map(model.releases.filter(({ state }) => state !== 'halted').at(-1)?.hooks ?? []).set(
        hook.id,
        revision,
      )
      return add(number, skipRings, hooks)
    }
    case 'remove': {
      const hooks = new Map(model.newest()?.hooks ?? [])
      const id = at([...hooks.keys()], a)
      if (id === undefined) return
      hooks.delete(id)
      const { number } = await publish(team, admin, {
        drafts: [],
        remove: [id],
        note: '',
        skipRings: b % 2 === 0,
      })
      return add(number, b % 2 === 0, hooks)
    }
    case 'draft': {
      if (model.revisions.size >= 4) return
      const name = `hook-${model.revisions.size}`
      const draft = draftOf(
        create(TeamHookSchema, { hookStep: 'stop', scriptName: `${name}.sh`, scriptContent: '#!/bin/sh\n' }),
      )
      const { hook } = await saveDraft(team, admin, { id: 0, base: 0, name, draft })
      model.revisions.set(hook.id, 0)
      return
    }
    case 'advance':
    case 'halt':
    case 'resume': {
      if (!release) return
      const isReplaced = model.shownState(release) === 'replaced'
      const isAllowed =
        kind === 'advance'
          ? release.state === 'rolling' && !isReplaced
          : (release.state === 'halted') === (kind === 'resume')
      expect(await codeOf(stepRelease(team, admin, release.number, kind as Step))).toBe(
        isAllowed ? 'ok' : 'not-now',
      )
      if (!isAllowed) return
      if (kind === 'advance') release.ring++
      release.state = kind === 'halt' ? 'halted' : release.ring === RINGS.length - 1 ? 'done' : 'rolling'
      return
    }
    case 'roll back': {
      if (!release) return
      const { number } = await rollBack(team, admin, { to: release.number, note: '' })
      return add(number, true, release.hooks)
    }
    case 'pin device':
    case 'pin group': {
      const which = kind === 'pin device' ? 'device' : 'group'
      if (!release || !device) return
      const whom = which === 'device' ? device.id : 'desks'
      const wish = {
        kind: which,
        whom,
        release: release.number,
        until: rows.clock.now + DAY,
        reason: '',
      } as const
      if ((await codeOf(pin(team, admin, wish))) === 'ok') model.pins.set(`${which} ${whom}`, release.number)
      return
    }
    case 'unpin': {
      const key = at([...model.pins.keys()], a)
      if (!key) return
      const [which, whom] = key.split(' ') as ['device' | 'group', string]
      await unpin(team, admin, which, whom)
      model.pins.delete(key)
      return
    }
    case 'kill':
      await setKillSwitch(team, admin, { isOn: !model.isKilled, reason: 'bad', isEmergency: false })
      model.isKilled = !model.isKilled
      return
    case 'enrol': {
      const id = `device-${model.devices.length}-${a}-${b}`
      if (model.devices.length >= 8 || model.devices.some(one => one.id === id)) return
      const one = { id, place: (a % 100) / 100, system: SYSTEMS[b % 2]!, group: ['', 'desks'][a % 2]! }
      await rows.device(id, { place: one.place, operating_system: one.system, group: one.group })
      model.devices.push({ ...one, has: 0, isKilled: false, hasProblem: false, isSilent: false })
      return
    }
    case 'revoke':
      if (!device || model.devices.length < 3) return
      await team.store.db
        .updateTable('devices')
        .set({ revoked_at: rows.clock.now })
        .where('id', '=', device.id)
        .execute()
      model.devices.splice(model.devices.indexOf(device), 1)
      return
    case 'report':
      return device && takeUp(device)
    case 'report all':
      for (const one of model.devices) await takeUp(one)
      return
    case 'problem':
      if (!device) return
      device.hasProblem = !device.hasProblem
      device.isSilent = false
      return tell(device)
    case 'silent':
      if (!device) return
      device.isSilent = true
      await team.store.db
        .updateTable('devices')
        .set({ last_seen_at: rows.clock.now - 4 * DAY })
        .where('id', '=', device.id)
        .execute()
  }
}

/** Every page of the dashboard against the model. */
async function comparePages(model: Model): Promise<void> {
  const { team } = rows
  const call = <T>(method: unknown, request: object) => (method as (request: object) => Promise<T>)(request)
  const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value))

  const hooksService = hooksRpc(team, rules)
  const page = { pageSize: 200, pageToken: '', query: '' }
  const { hooks } = await call<{ hooks: { id: number; live: LiveState }[] }>(hooksService.listHooks, page)
  expect(hooks).toHaveLength(model.revisions.size)
  for (const { id, live } of hooks) {
    expect(plain(live), `hook ${id} in the list`).toEqual(model.live(id))
    const { hook } = await call<{ hook: { live: LiveState } }>(hooksService.getHook, { id })
    expect(plain(hook.live), `hook ${id} on its page`).toEqual(model.live(id))
  }

  const rollout = rolloutRpc(team, rules)
  type Shown = {
    number: number
    state: string
    devices: object
    health: { ring: string; progress: object }[]
  }
  const { releases } = await call<{ releases: Shown[] }>(rollout.listReleases, page)
  expect(releases.map(({ number, state, devices }) => ({ number, state, devices }))).toEqual(
    model.releases.toReversed().map(release => ({
      number: release.number,
      state: model.shownState(release),
      devices: model.progress(release.number),
    })),
  )
  for (const release of model.releases.slice(-3)) {
    const { release: shown } = await call<{ release: Shown }>(rollout.getRelease, { number: release.number })
    expect(shown.state).toBe(model.shownState(release))
    expect(shown.health.map(({ ring, progress }) => ({ ring, progress }))).toEqual(
      RINGS.map(({ name }, index) => {
        const here = model.devices.filter(device => model.ringOf(device, release) === index)
        return { ring: name, progress: model.progress(release.number, here) }
      }),
    )
  }

  const devicesService = devicesRpc(team, rules)
  const list = async (more: object) => {
    const request = { ...page, group: '', release: 0, state: '', ring: '', owner: '', ...more }
    type Found = {
      devices: { id: string; ring: string; wantedRelease: number; state: string }[]
      total: number
    }
    const { devices, total } = await call<Found>(devicesService.listDevices, request)
    expect(total).toBe(devices.length)
    return devices
  }
  const idsOf = (devices: readonly { id: string }[]) => devices.map(({ id }) => id).sort()
  const all = await list({})
  expect(idsOf(all)).toEqual(idsOf(model.devices))
  for (const one of all) {
    const device = model.devices.find(({ id }) => id === one.id)!
    expect(one.ring).toBe(RINGS[model.ringOf(device)]!.name)
    if (one.wantedRelease !== 0) expect(one.wantedRelease).toBe(model.wants(device))
  }
  for (const { name } of RINGS) {
    const here = model.devices.filter(device => RINGS[model.ringOf(device)]!.name === name)
    expect(idsOf(await list({ ring: name }))).toEqual(idsOf(here))
  }
  for (const id of model.revisions.keys()) {
    const released = model.live(id).released
    if (released === 0) continue
    const systems = model.systems.get(`${id}@${released}`)!
    // The newest release that contains it decides its systems; halted ones do not count, as on other pages.
    if (model.releases.findLast(({ hooks }) => hooks.has(id))?.hooks.get(id) !== released) continue
    const has = model.devices.filter(device => {
      const release = model.releases.find(({ number }) => number === model.runs(device))
      return release?.hooks.get(id) === released && systems.includes(device.system)
    })
    const lacks = model.devices.filter(device => systems.includes(device.system) && !has.includes(device))
    const hook = { hookId: id, revision: released }
    expect(idsOf(await list({ hook: { ...hook, lacks: false } })), `devices with hook ${id}`).toEqual(
      idsOf(has),
    )
    expect(idsOf(await list({ hook: { ...hook, lacks: true } })), `devices without hook ${id}`).toEqual(
      idsOf(lacks),
    )
  }

  const overview = await overviewOf(team, rules, { from: '', to: '' })
  for (const { name, count } of overview.deviceStates)
    expect(count, name).toBe(all.filter(({ state }) => state === name).length)
}

describe('what is live', () => {
  it('is the same on every page, after any history', {
    timeout: runsEverything ? 1_200_000 : 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(histories, async steps => {
        rows.clock.now = NOW
        await rows.empty(
          'ring_members',
          'pins',
          'evidence',
          'release_hooks',
          'releases',
          'devices',
          'revisions',
          'hooks',
        )
        await rows.team.store.db.updateTable('team').set({ killed: 0, killed_because: '' }).execute()
        rows.team.hub.changed('releases')
        const model = new Model()
        for (let index = 0; index < 3; index++)
          await playStep(model, { kind: 'enrol', a: index * 37 + 1, b: index })
        for (const step of steps) await playStep(model, step)
        await comparePages(model)
      }),
      { numRuns: runsEverything ? 300 : 40 },
    )
  })
})
