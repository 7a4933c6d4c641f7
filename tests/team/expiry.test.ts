// Expiring things are announced before they expire: in the log of the server, on the overview, by readyz, and on the
// machine.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditService, DevicesService, RolloutService } from '@holdfast/team'
import { aroundOf, enrol, readStatus, sync } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expiringIn, startExpiryAlarm } from '../../packages/server/src/rollout/expiry.js'
import { holdfast } from './command.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const GOOD = `#!/bin/sh\ncat > /dev/null\necho '{}'\n`
const DAY = 86_400_000

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let home: string
  let now = Date.now()
  beforeEach(async () => {
    now = Date.now()
    database = await create()
    server = await startTestServer(database.url, { now: () => now })
    home = mkdtempSync(join(tmpdir(), 'holdfast-expiry-'))
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
    rmSync(home, { recursive: true, force: true })
  })

  /** Its tokens last a day; a later one is needed after time has passed. */
  const admin = async (name: string) => callerOf(server.url, await seatMember(server, 'admin', name))
  const warned = () =>
    server.logged.map(line => JSON.parse(line)).filter(({ message }) => message === 'something expires soon')
  const ready = async () => (await fetch(`${server.url}/readyz`)).text()

  it('the newest release: reported once a day, until there is another', async () => {
    const alarm = startExpiryAlarm(server.team)
    try {
      await publishHook(server, await admin('ada'), GOOD)
      await alarm.look()
      expect(warned()).toEqual([])
      expect(await ready()).toBe('ready\n')
      now += 340 * DAY
      for (const hours of [0, 1, 22]) {
        now += hours * 3_600_000
        await alarm.look()
      }
      expect(warned()).toMatchObject([
        {
          level: 'warn',
          what: 'release',
          name: 'release 1',
          days_left: 25,
          expires_at: expect.stringMatching(/^\d{4}-/),
          advice: expect.stringContaining('in 25 days'),
        },
      ])
      now += 20 * DAY
      await alarm.look()
      expect(warned()).toHaveLength(2)
      expect(await ready()).toBe('degraded: the newest release expires (4 days left)\n')
      const bea = await admin('bea')
      const { expiring } = await bea(AuditService).getOverview({})
      expect(expiring).toMatchObject([{ what: 'release', name: 'release 1', daysLeft: 4 }])
      now += 10 * DAY
      await alarm.look()
      expect(warned().at(-1)).toMatchObject({ days_left: 0, advice: expect.stringContaining('since 2') })

      const caller = await admin('cleo')
      await caller(RolloutService).rollBack({ to: 1, note: 'a new date' })
      expect((await caller(AuditService).getOverview({})).expiring).toEqual([])
      expect(await ready()).toBe('ready\n')
    } finally {
      alarm.stop()
    }
  })

  it('a token that is in use: on the page of its owner, and on no other', async () => {
    await admin('ada')
    await admin('bea')
    const at = now
    await server.team.store.db
      .updateTable('tokens')
      .set({ name: 'deploy', created_at: at - 80 * DAY, expires_at: at + 10 * DAY, last_used_at: at })
      .where('owner', '=', 'user-ada')
      .execute()
    const alarm = startExpiryAlarm(server.team)
    await alarm.look()
    alarm.stop()
    expect(warned()).toMatchObject([{ what: 'token', name: 'deploy', days_left: 10 }])
    expect(await expiringIn(server.team, 'user-ada')).toHaveLength(1)
    expect(await expiringIn(server.team, 'user-bea')).toEqual([])
  })

  it('once a day for the whole team: not again by another server, nor after a restart', async () => {
    await admin('ada')
    await server.team.store.db
      .updateTable('tokens')
      .set({ name: 'deploy', created_at: now - 80 * DAY, expires_at: now + 10 * DAY, last_used_at: now })
      .where('owner', '=', 'user-ada')
      .execute()
    const rounds = async () => {
      const alarms = [1, 2, 3].map(() => startExpiryAlarm(server.team))
      await Promise.all(alarms.map(alarm => alarm.look()))
      for (const alarm of alarms) alarm.stop()
    }
    await rounds()
    now += 20 * 3_600_000
    await rounds()
    expect(warned()).toHaveLength(1)
    now += 5 * 3_600_000
    await rounds()
    await rounds()
    expect(warned().map(({ days_left }) => days_left)).toEqual([10, 8])
  })

  it('two tokens of one name are two', async () => {
    await admin('ada')
    await admin('bea')
    await server.team.store.db
      .updateTable('tokens')
      .set({ name: 'deploy', created_at: now - 80 * DAY, expires_at: now + 10 * DAY, last_used_at: now })
      .execute()
    const alarm = startExpiryAlarm(server.team)
    await alarm.look()
    alarm.stop()
    expect(warned()).toHaveLength(2)
  })

  it('on the machine: token, lease and release, with what to do', { timeout: 60_000 }, async () => {
    const caller = await admin('ada')
    await publishHook(server, caller, GOOD)
    const { secret } = await caller(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
    const around = aroundOf({ home, clientVersion: '0.1.0', now: () => now })
    await enrol(around, { server: server.url, proof: { enrolmentKey: secret } })
    const teamId = server.team.id
    await sync(around, teamId)
    const near = () => readStatus(around, teamId)!.expiring.map(({ what, daysLeft }) => `${what} ${daysLeft}`)
    expect(near()).toEqual([])
    expect((await holdfast(home, ['team'])).stdout).not.toContain('Soon over')
    now += 5.5 * DAY
    expect(near()).toEqual(['lease 1'])
    now += 75 * DAY
    expect(near()).toEqual(['token 9', 'lease 0'])
    now += 260 * DAY
    expect(near()).toEqual(['token 0', 'lease 0', 'release 24'])

    // As the command sees it, by the clock of this machine.
    const folder = join(home, '.cursor', 'managed', `team_${teamId}`)
    const edit = (name: string, change: (value: Record<string, unknown>) => object) => {
      const file = join(folder, name)
      writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))))
    }
    const inDays = (days: number) => new Date(Date.now() + days * DAY + 60_000).toISOString()
    edit('enrolment.json', value => ({ ...value, token_until: inDays(5) }))
    edit('state.json', value => ({ ...value, leased: { ...(value.leased as object), until: inDays(1) } }))
    const { stdout, code } = await holdfast(home, ['team', 'status'])
    expect(code).toBe(0)
    expect(stdout).toContain("this machine's token is valid until")
    expect(stdout).toContain('(5 days left)')
    expect(stdout).toContain('(1 day left)')
    const [json] = JSON.parse((await holdfast(home, ['team', '--json'])).stdout)
    expect(json.expiring).toMatchObject([
      { what: 'token', daysLeft: 5, isOver: false },
      { what: 'lease', daysLeft: 1 },
    ])
  })
})
