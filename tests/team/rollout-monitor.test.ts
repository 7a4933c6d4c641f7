// A release that fails on the first devices is rolled back before others have it, without an administrator: real
// devices with separate homes, hooks that really fail, records that really arrive.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { AuditService, DevicesService, RolloutService } from '@holdfast/team'
import { aroundOf, enrol, sendRecords, sync, watchTeam } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RolloutMonitor, startRolloutMonitor } from '../../packages/server/src/rollout/monitor.js'
import { itInAll } from '../scope.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { recordAt } from './records.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const GOOD = `#!/bin/sh\ncat > /dev/null\necho '{}'\n`
/** Works in the check before publishing, but not on laptops. */
const BREAKS = `#!/bin/sh\ncase "$(cat)" in *'make release'*) exit 1 ;; *) echo '{}' ;; esac\n`
const DEVICES = 8

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let folder: string
  let monitor: RolloutMonitor
  let admin: ReturnType<typeof callerOf>
  beforeEach(async () => {
    database = await create()
    server = await startTestServer(database.url)
    monitor = startRolloutMonitor(server.team, 100)
    folder = mkdtempSync(join(tmpdir(), 'holdfast-monitor-'))
    admin = callerOf(server.url, await seatMember(server, 'admin'))
    const { settings: usual } = await admin(RolloutService).getRolloutSettings({})
    const { $typeName: _, ...settings } = usual!
    const rings = [
      { name: 'canary', share: 0.375 },
      { name: 'all', share: 1 },
    ]
    await admin(RolloutService).setRolloutSettings({ settings: { ...settings, rings } })
  })
  afterEach(async () => {
    monitor.stop()
    await server.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function laptops() {
    const { secret } = await admin(DevicesService).createEnrolmentKey({ maxUses: DEVICES, hours: 1 })
    const all = []
    for (let index = 0; index < DEVICES; index++) {
      const home = join(folder, `laptop-${index}`)
      mkdirSync(home)
      const around = aroundOf({ home, clientVersion: '0.1.0', deviceName: `laptop ${index}` })
      expect(await enrol(around, { server: server.url, proof: { enrolmentKey: secret } })).toMatchObject({
        ok: true,
      })
      all.push({ home, around })
    }
    return all
  }
  type Laptop = Awaited<ReturnType<typeof laptops>>[number]
  const synced = async ({ around }: Laptop) => (await sync(around, server.team.id)).inForce?.release
  /** An agent at work: some events, then the device sends its records. */
  async function work({ home, around }: Laptop, times: number) {
    const hooks = await openHooks({
      workspaceRoots: [],
      home,
      enterpriseDir: join(home, 'none'),
      watch: false,
    })
    for (let time = 0; time < times; time++) {
      await hooks.fire('beforeShellExecution', { command: 'make release', cwd: home })
    }
    hooks.close()
    expect(await sendRecords(around, server.team.id, { urgent: true })).toMatchObject({ kind: 'sent' })
  }
  /** The user of a machine can write anything into its queue. */
  async function claims({ home, around }: Laptop, release: number, failed: number, went: number) {
    const queue = join(home, '.cursor', 'managed', `team_${server.team.id}`, 'queue')
    const failure = { outcome: 'failed', failed_open: true, permission: null, response: null }
    const lines = Array.from({ length: failed + went }, (_, index) =>
      JSON.stringify(recordAt(Date.now(), { release, revision: 1, ...(index < failed ? failure : {}) })),
    )
    mkdirSync(queue, { recursive: true })
    appendFileSync(join(queue, 'active.jsonl'), `${lines.join('\n')}\n`)
    expect(await sendRecords(around, server.team.id, { urgent: true })).toMatchObject({ kind: 'sent' })
  }
  const stateOf = async (number: number) => (await admin(RolloutService).getRelease({ number })).release!

  it('halts what fails, takes it back from those who have it, and tells why', {
    timeout: 120_000,
  }, async () => {
    const all = await laptops()
    const { hookId } = await publishHook(server, admin, GOOD)
    expect(new Set(await Promise.all(all.map(synced)))).toEqual(new Set([1]))
    await publishHook(server, admin, BREAKS, { id: hookId, skipRings: false })
    const first = []
    for (const one of all) if ((await synced(one)) === 2) first.push(one)
    expect(first).toHaveLength(3)

    // A single laptop may be broken itself.
    await work(first[0]!, 6)
    await monitor.look()
    await monitor.look()
    expect(await stateOf(2)).toMatchObject({ state: 'rolling' })
    // A device in the background rolls back without a command.
    const listening = watchTeam(first[0]!.around, server.team.id, { atOnce: true })
    try {
      for (const one of first.slice(1)) await work(one, 6)
      await expect.poll(async () => (await stateOf(2)).state, { timeout: 20_000 }).toBe('halted')
      const releaseOf = async (name: string) =>
        (await admin(DevicesService).listDevices({})).devices.find(({ facts }) => facts?.name === name)!
          .release
      const { name } = first[0]!.around.facts
      await expect.poll(() => releaseOf(name), { timeout: 30_000 }).toBe(1)
    } finally {
      await listening.stop()
    }
    expect(await stateOf(2)).toMatchObject({ haltedBecause: expect.stringContaining('first 5 runs failed') })
    for (const one of all) expect(await synced(one)).toBe(1)
    const { devices } = await admin(DevicesService).listDevices({})
    expect(new Set(devices.map(({ state, release }) => `${state} ${release}`))).toEqual(
      new Set(['in_sync 1']),
    )

    const { actions } = await admin(AuditService).listAdminActions({})
    expect(actions[0]).toMatchObject({ action: 'release.halt', actor: 'server' })
    const names = first.map(({ around }) => around.facts.name)
    const { by } = JSON.parse(actions[0]!.detailJson) as { by: { name: string; runs: number }[] }
    const { haltCauses } = await stateOf(2)
    for (const named of [by, haltCauses]) {
      expect(named.length).toBeGreaterThanOrEqual(2)
      expect(names).toEqual(expect.arrayContaining(named.map(({ name }) => name)))
      expect(named[0]).toMatchObject({ runs: 6, failures: 6, denials: 0 })
    }
    expect(server.logged.join('')).toContain('a release was halted')
    const { records } = await admin(AuditService).searchRecords({})
    expect(records.filter(({ failedOpen }) => failedOpen)).toHaveLength(18)
  })

  it('one device that lies halts nothing: in the ring, out of it, or before all others', {
    timeout: 120_000,
  }, async () => {
    const all = await laptops()
    const { hookId } = await publishHook(server, admin, GOOD)
    // The first device with the release is not all of its ring.
    await synced(all[0]!)
    await claims(all[0]!, 1, 50, 0)
    await monitor.look()
    await monitor.look()
    expect(await stateOf(1)).toMatchObject({ state: 'done' })
    await Promise.all(all.map(synced))

    await publishHook(server, admin, `${GOOD}# two\n`, { id: hookId, skipRings: false })
    const [inside, outside]: [Laptop[], Laptop[]] = [[], []]
    for (const one of all) ((await synced(one)) === 2 ? inside : outside).push(one)
    expect(inside).toHaveLength(3)
    for (const one of outside) await claims(one, 2, 50, 0)
    for (const one of inside.slice(1)) await claims(one, 2, 1, 40)
    await claims(inside[0]!, 2, 200, 0)
    await monitor.look()
    await monitor.look()
    expect(await stateOf(2)).toMatchObject({
      state: 'rolling',
      evidence: { devicesNeeded: 2, devicesNeededAtOnce: 2, failingDevices: 3 },
    })
    // A second failing device triggers the halt.
    await claims(inside[1]!, 2, 40, 0)
    await expect.poll(async () => (await stateOf(2)).state, { timeout: 20_000 }).toBe('halted')
  })

  itInAll('does not halt a release that works', { timeout: 120_000 }, async () => {
    const all = await laptops()
    const { hookId } = await publishHook(server, admin, GOOD)
    await Promise.all(all.map(synced))
    await publishHook(server, admin, `${GOOD}# two\n`, { id: hookId, skipRings: false })
    for (const one of all) if ((await synced(one)) === 2) await work(one, 8)
    await monitor.look()
    await monitor.look()
    expect(await stateOf(2)).toMatchObject({ state: 'rolling', haltedBecause: '' })
  })
})
