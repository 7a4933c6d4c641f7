// End to end, without a gap: an author writes a hook, an admin publishes it, a device enrols and downloads it, the
// engine enforces it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { moveTeam } from '@holdfast/server'
import { AuditService, DevicesService, HooksService, RolloutService } from '@holdfast/team'
import { aroundOf, enrol, readStatus, sendRecords, sync } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { callerOf, passDraft, seatMember, startTestServer, type TestServer } from './server.js'

const DENY = `#!/bin/sh
case "$(cat)" in *'"git push'*) echo '{"permission":"deny","user_message":"No pushes from laptops."}' ;; *) echo '{}' ;; esac
`

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
  const createOther = () => DATABASES.find(other => other.kind !== kind)!.create()
  let database: TestDatabase
  let server: TestServer
  let home: string
  let authorToken = ''
  let adminToken = ''
  beforeEach(async () => {
    database = await create()
    server = await startTestServer(database.url)
    authorToken = await seatMember(server, 'author')
    adminToken = await seatMember(server, 'admin')
    home = mkdtempSync(join(tmpdir(), 'holdfast-device-'))
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
    rmSync(home, { recursive: true, force: true })
  })

  const aDevice = (at = home) =>
    aroundOf({ home: at, clientVersion: '0.1.0', deviceName: 'laptop', platform: 'linux' })

  async function publish(script: string, id = 0, isChecked = false) {
    const author = callerOf(server.url, authorToken)(HooksService)
    const base = id === 0 ? 0 : (await author.getHook({ id })).hook!.draftVersion
    const { hook } = await author.saveDraft({
      id,
      name: 'No pushes',
      baseVersion: base,
      draft: {
        hookStep: 'beforeShellExecution',
        scriptName: 'no-pushes.sh',
        scriptContent: script,
        isActive: true,
      },
    })
    const admin = callerOf(server.url, adminToken)
    if (isChecked) {
      const checked = await admin(HooksService).checkDraft({ id: hook!.id })
      expect(checked).toMatchObject({ fit: true, problems: [] })
    } else await passDraft(server.team, hook!.id)
    const { release } = await admin(RolloutService).publish({
      drafts: [{ hookId: hook!.id, draftVersion: hook!.draftVersion }],
      note: 'first',
      skipRings: true,
    })
    return { hookId: hook!.id, release: release! }
  }
  async function enrolled(at = home) {
    const { secret } = await callerOf(
      server.url,
      adminToken,
    )(DevicesService).createEnrolmentKey({ maxUses: 10, hours: 1 })
    const result = await enrol(aDevice(at), { server: server.url, proof: { enrolmentKey: secret } })
    expect(result).toMatchObject({ ok: true })
    return server.team.id
  }

  const verdictOn = async (command: string, at = home) => {
    const hooks = await openHooks({
      workspaceRoots: [],
      home: at,
      enterpriseDir: join(at, 'none'),
      watch: false,
    })
    try {
      const { permission } = await hooks.fire('beforeShellExecution', { command, cwd: at })
      return permission
    } finally {
      hooks.close()
    }
  }

  usualIt('a published hook reaches a device and is enforced; the next release replaces it', async () => {
    const teamId = await enrolled()
    expect(await sync(aDevice(), teamId)).toMatchObject({ kind: 'unchanged' })
    const { hookId } = await publish(DENY, 0, true)
    expect(await sync(aDevice(), teamId)).toMatchObject({
      kind: 'updated',
      inForce: { release: 1, hooks: 1 },
      first: true,
    })
    expect(await verdictOn('git push origin main')).toBe('deny')
    expect(await verdictOn('git status')).toBe(null)
    expect(await sync(aDevice(), teamId)).toMatchObject({ kind: 'unchanged' })
    await publish('#!/bin/sh\necho "{}"\n', hookId)
    expect(await sync(aDevice(), teamId)).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    expect(await verdictOn('git push origin main')).toBe(null)
    const { devices } = await callerOf(server.url, adminToken)(DevicesService).listDevices({})
    expect(devices).toMatchObject([{ state: 'in_sync', release: 2, wantedRelease: 2 }])
  })

  usualIt('goes back when a release is halted, and drops all when the switch is thrown', async () => {
    const teamId = await enrolled()
    const { hookId } = await publish(DENY)
    await sync(aDevice(), teamId)
    await publish('#!/bin/sh\necho "{}"\n', hookId)
    await sync(aDevice(), teamId)
    const rollout = callerOf(server.url, adminToken)(RolloutService)
    await rollout.halt({ number: 2, reason: 'it lets everything through' })
    expect(await sync(aDevice(), teamId)).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
    expect(await verdictOn('git push')).toBe('deny')
    await rollout.setKillSwitch({ on: true, reason: 'bad day' })
    expect(await sync(aDevice(), teamId)).toMatchObject({ kind: 'updated', inForce: { killed: true } })
    expect(await verdictOn('git push')).toBe(null)
    await rollout.setKillSwitch({ on: false, reason: 'better' })
    await sync(aDevice(), teamId)
    expect(await verdictOn('git push')).toBe('deny')
  })

  it('actions of hooks are in the audit log, and the log of actions of people is intact', async () => {
    const teamId = await enrolled()
    await publish(DENY)
    await sync(aDevice(), teamId)
    await verdictOn('git push origin main')
    await verdictOn('git status')
    expect(await sendRecords(aDevice(), teamId, { urgent: true })).toMatchObject({
      kind: 'sent',
      sent: 2,
      left: 0,
    })
    const audit = callerOf(server.url, adminToken)(AuditService)
    const { records } = await audit.searchRecords({})
    expect(records.map(({ verdict, summary }) => `${verdict} ${summary}`).sort()).toEqual([
      'deny git push origin main',
      'none git status',
    ])
    expect(records[0]).toMatchObject({
      event: 'beforeShellExecution',
      deviceName: 'laptop',
      release: 1,
      revision: 1,
    })
    expect(await audit.verifyChain({})).toMatchObject({ state: 'whole' })
    const moved = await createOther()
    try {
      await server.close()
      await moveTeam({ from: database.url, to: moved.url })
      await expect(startTestServer(database.url)).rejects.toThrow(/has moved/)
      server = await startTestServer(moved.url)
      const there = callerOf(server.url, adminToken)(AuditService)
      expect((await there.searchRecords({})).records).toHaveLength(2)
      expect(await there.verifyChain({})).toMatchObject({ state: 'whole' })
      await publish('#!/bin/sh\necho "{}"\n', 1)
      await server.close()
    } finally {
      await moved.drop()
    }
  })

  usualIt('a revoked device gets nothing new and keeps what it has', async () => {
    const teamId = await enrolled()
    const { hookId } = await publish(DENY)
    await sync(aDevice(), teamId)
    const devices = callerOf(server.url, adminToken)(DevicesService)
    const { devices: all } = await devices.listDevices({})
    await devices.revokeDevice({ id: all[0]!.id, reason: 'stolen' })
    await publish('#!/bin/sh\necho "{}"\n', hookId)
    expect((await sync(aDevice(), teamId)).kind).toBe('failed')
    expect(await verdictOn('git push')).toBe('deny')
    expect(readStatus(aDevice(), teamId)).toMatchObject({ inForce: { release: 1 } })
  })
})
