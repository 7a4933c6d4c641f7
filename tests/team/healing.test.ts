// A small fleet of real devices on a real server, through random histories: releases, halts, kill switches, damage to
// any file of the managed folder, absences and clock jumps. Afterwards each device has what the server intends, or
// reports why not; with a correct clock, `sync` alone repairs it.

import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ConnectError } from '@connectrpc/connect'
import { openHooks } from '@holdfast/hooks'
import { placeOf } from '@holdfast/hooks/team'
import { DevicesService, RolloutService } from '@holdfast/team'
import { aroundOf, enrol, readStatus, type SyncResult, sync } from '@holdfast/team/device'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const START = Date.UTC(2026, 5, 15, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const DEVICES = 2

const DAMAGE = [
  'remove',
  'empty',
  'garbage',
  'append',
  'folder',
  'link',
  'mode',
  'extra file',
  'extra folder',
] as const

type Step =
  | { readonly do: 'publish'; readonly script: number; readonly everywhere: boolean }
  | { readonly do: 'roll back' | 'advance' | 'halt' | 'resume'; readonly back: number }
  | { readonly do: 'kill' | 'revive' }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'sync'; readonly device: number }
  | { readonly do: 'set clock'; readonly device: number; readonly ms: number }
  | {
      readonly do: 'damage'
      readonly device: number
      /** By its position in the list of all files, or the last whose path contains this. */
      readonly file: number | string
      readonly how: (typeof DAMAGE)[number]
    }

const device = fc.nat(DEVICES - 1)
/** `back`: how many releases before the newest. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      script: fc.nat(3),
      everywhere: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('roll back' as const, 'advance' as const, 'halt' as const, 'resume' as const),
      back: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'revive' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(5 * DAY) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('sync' as const), device }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set clock' as const),
      device,
      ms: fc.integer({ min: -400 * DAY, max: 400 * DAY }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('damage' as const),
      device,
      file: fc.nat(1000),
      how: fc.constantFrom(...DAMAGE),
    }),
  },
)

/** Whether the file still has an enrolment after the damage. */
function isReadable(path: string): boolean {
  try {
    return lstatSync(path).isFile() && typeof JSON.parse(readFileSync(path, 'utf8')).server === 'string'
  } catch {
    return false
  }
}

const everywhere = (script: number): Step => ({ do: 'publish', script, everywhere: true })
const later = (what: 'roll back' | 'halt', back: number): Step => ({ do: what, back })
const synced: Step = { do: 'sync', device: 0 }
const damaged = (how: (typeof DAMAGE)[number], file: string): Step => ({ do: 'damage', device: 0, file, how })

/** Each once left a device that refused every sync. */
const HISTORIES: readonly (readonly Step[])[] = [
  // A killed set keeps its release, but no script of it.
  [
    everywhere(1),
    synced,
    { do: 'kill' },
    synced,
    everywhere(2),
    { do: 'revive' },
    synced,
    later('roll back', 1),
  ],
  // The release that permits the roll back is damaged.
  ...['shell.sh', 'release.json', 'manifest.json', 'enrolment.json', 'state.json'].map(file => [
    everywhere(1),
    synced,
    everywhere(2),
    synced,
    later('halt', 0),
    damaged('garbage', file),
  ]),
  // All files of the release that permits the roll back are gone.
  [everywhere(1), synced, everywhere(2), synced, later('halt', 0), damaged('remove', 'store')],
  // Nothing remains that identifies the device.
  [everywhere(1), synced, damaged('remove', 'enrolment.json'), damaged('garbage', 'enrolled_')],
]

const open: Fleet[] = []
afterEach(async () => {
  for (const fleet of open.splice(0)) await fleet.close()
})

describe('a device heals by synchronising', () => {
  it('after any history', { timeout: runsEverything ? 1_200_000 : 300_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 30 }) as fc.Arbitrary<readonly Step[]>,
        async steps => {
          const fleet = await openFleet()
          try {
            for (const one of steps) await fleet.take(one)
            await fleet.mustConverge()
          } finally {
            open.splice(open.indexOf(fleet), 1)
            await fleet.close()
          }
        },
      ),
      {
        numRuns: HISTORIES.length + (runsEverything ? 200 : 6),
        examples: HISTORIES.map(history => [history]),
      },
    ),
  )
})

interface Fleet {
  take(step: Step): Promise<void>
  mustConverge(): Promise<void>
  close(): Promise<void>
}

async function openFleet(): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-healing-'))
  const database: TestDatabase = await SQLITE.create()
  const clock = { now: START }
  const server: TestServer = await startTestServer(database.url, { now: () => clock.now })
  const caller = callerOf(server.url, await seatMember(server, 'owner'))
  // Longer than any history takes.
  await server.team.store.db
    .updateTable('tokens')
    .set({ expires_at: START + 3650 * DAY })
    .execute()
  const rollout = caller(RolloutService)
  const { secret } = await caller(DevicesService).createEnrolmentKey({ maxUses: DEVICES, hours: 1 })
  const teamId = server.team.id
  const devices = await Promise.all(
    Array.from({ length: DEVICES }, async (_, index) => {
      const home = join(folder, `home${index}`)
      mkdirSync(home)
      const skew = { ms: 0 }
      const around = aroundOf({
        home,
        clientVersion: '1',
        deviceName: `laptop ${index}`,
        platform: 'linux',
        now: () => clock.now + skew.ms,
      })
      const enrolled = await enrol(around, { server: server.url, proof: { enrolmentKey: secret } })
      if (!enrolled.ok) throw new Error(JSON.stringify(enrolled))
      return { home, skew, around, place: placeOf(home, teamId), id: enrolled.enrolment.device_id }
    }),
  )
  let newest = 0
  let hookId = 0

  const order = async ({ ...one }: Step): Promise<void> => {
    switch (one.do) {
      case 'publish': {
        const script = `#!/bin/sh\n# script ${one.script}\necho '{}'\n`
        const made = await publishHook(server, caller, script, { id: hookId, skipRings: one.everywhere })
        hookId = made.hookId
        newest = made.number
        return
      }
      case 'roll back':
        newest = (await rollout.rollBack({ to: newest - one.back, note: 'back' })).release!.number
        return
      case 'advance':
        return void (await rollout.advance({ number: newest - one.back }))
      case 'halt':
        return void (await rollout.halt({ number: newest - one.back, reason: 'bad' }))
      case 'resume':
        return void (await rollout.resume({ number: newest - one.back }))
      case 'kill':
      case 'revive':
        return void (await rollout.setKillSwitch({ on: one.do === 'kill', reason: 'bad day' }))
      case 'pass':
        clock.now += one.ms
        return
      case 'sync': {
        const { around } = devices[one.device]!
        return void (await sync(around, teamId))
      }
      case 'set clock':
        devices[one.device]!.skew.ms = one.ms
        return
      case 'damage':
        return damage(devices[one.device]!.place.managed, one)
    }
  }

  const look = async ({ home, around, id }: (typeof devices)[number], result: SyncResult) => {
    const { device: row } = await caller(DevicesService).getDevice({ id })
    return {
      result,
      status: readStatus(around, teamId),
      engine: await engineOf(home),
      row: row!,
    }
  }
  type Looked = Awaited<ReturnType<typeof look>>
  const isKilled = async () =>
    (await server.team.store.db.selectFrom('team').select('killed').executeTakeFirstOrThrow()).killed === 1

  /** What is wrong with a device that should have recovered. */
  const problemOf = async ({ result, status, engine, row }: Looked): Promise<string | undefined> => {
    if (result.problem) return `${result.problem.code}: ${result.problem.message}`
    if (status?.problem) return `status ${status.problem.code}: ${status.problem.message}`
    const killed = await isKilled()
    const wanted = row.wantedRelease
    const has = result.inForce
    if (killed !== (has?.killed ?? false) && (killed || wanted > 0))
      return `killed: ${has?.killed}, wanted ${killed}`
    if (!killed && wanted > 0 && has?.release !== wanted) return `has ${has?.release}, wanted ${wanted}`
    if (has && engine.issues.length > 0) return `engine: ${engine.issues.join(', ')}`
    if (status?.ring !== row.ring) return `receives ring ${status?.ring}, listed in ${row.ring}`
    if (has && engine.hooks !== has.hooks) return `engine has ${engine.hooks} hooks, wanted ${has.hooks}`
    return undefined
  }

  const fleet: Fleet = {
    async take(one) {
      try {
        await order(one)
      } catch (error) {
        // Refused actions change nothing.
        if (!(error instanceof ConnectError)) throw error
      }
    },
    async mustConverge() {
      const rings: string[] = []
      for (const one of devices) {
        // Without the enrolment and its copy there is no key to sign in with: the user must log in again.
        const isEnrolled = [one.place.enrolment, one.place.enrolled].some(isReadable)
        // With the current clock, every deviation has a reason.
        const first = await look(one, await sync(one.around, teamId))
        if (!isEnrolled) {
          expect(first.result.problem?.code).toBe('enrolment')
          rings.push(first.row.ring)
          continue
        }
        const problem = await problemOf(first)
        if (problem)
          expect(first.row.problems.length + first.result.warnings.length, problem).toBeGreaterThan(0)
        one.skew.ms = 0
        await sync(one.around, teamId)
        const looked = await look(one, await sync(one.around, teamId))
        expect(await problemOf(looked)).toBeUndefined()
        rings.push(looked.row.ring)
      }
      if (newest === 0) return
      const { release } = await rollout.getRelease({ number: newest })
      for (const { ring, devices } of release!.health)
        expect(rings.filter(name => name === ring)).toHaveLength(devices)
    },
    async close() {
      await server.close()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  open.push(fleet)
  return fleet
}

function damage(managed: string, { file, how }: Extract<Step, { do: 'damage' }>): void {
  const all = readdirSync(managed, { recursive: true }).map(String).sort()
  const named =
    typeof file === 'number'
      ? all[file % all.length]
      : (all.findLast(name => name.endsWith(file)) ?? all.findLast(name => name.includes(file)))
  const path = join(managed, named ?? '')
  const stats = lstatSync(path)
  const replaceBy = (make: () => void) => {
    rmSync(path, { recursive: true, force: true })
    make()
  }
  if (how === 'remove') replaceBy(() => {})
  else if (how === 'folder') replaceBy(() => mkdirSync(path))
  else if (how === 'link') replaceBy(() => symlinkSync('/nowhere', path))
  else if (how === 'mode') {
    if (!stats.isSymbolicLink()) chmodSync(path, 0)
  } else if (how === 'extra file') writeFileSync(join(dirname(path), 'extra.js'), 'x')
  else if (how === 'extra folder') mkdirSync(join(dirname(path), 'node_modules'), { recursive: true })
  else if (stats.isFile()) {
    chmodSync(path, 0o600)
    if (how === 'append') appendFileSync(path, '\n')
    else writeFileSync(path, how === 'empty' ? '' : '{"garbage":')
  }
  // A lock without a holder becomes stale.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false) utimesSync(path, 0, 0)
}

async function engineOf(home: string): Promise<{ hooks: number; issues: readonly string[] }> {
  const hooks = await openHooks({
    workspaceRoots: [],
    home,
    enterpriseDir: join(home, 'none'),
    watch: false,
    log: { file: null },
  })
  try {
    const layers = hooks.catalog().layers.filter(({ source }) => source.kind === 'team')
    return {
      hooks: layers.flatMap(layer => layer.hooks).length,
      issues: hooks.issues().map(({ code }) => code),
    }
  } finally {
    hooks.close()
  }
}
