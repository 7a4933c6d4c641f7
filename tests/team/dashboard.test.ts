// What the overview, the list of devices and the settings show of a team.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { startServer, type TestServer } from './people.js'

const DAY = 86_400_000

describe.each(ANY_DATABASE)('$kind', ({ kind, create }) => {
  let database: TestDatabase
  let server: TestServer
  beforeEach(async () => {
    database = await create()
    server = await startServer(database, { otlp: { url: 'http://user:pass@127.0.0.1:9/v1/logs?key=abc' } })
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })
  type Count = { name?: string; count?: number }
  const counts = (list: Count[] = []) =>
    Object.fromEntries(list.map(({ name = '', count = 0 }) => [name, count]))

  it('devices are counted by state as the list says it, and by what else they are', async () => {
    const owner = await server.owner()
    const draft = {
      hookStep: 'stop',
      scriptName: 'a.sh',
      scriptContent: '#!/bin/sh\necho "{}"\n',
      isActive: true,
    }
    const { body: saved } = await owner.call('HooksService/SaveDraft', { name: 'a', draft })
    await owner.call('HooksService/CheckDraft', { id: saved.hook.id })
    const drafts = [{ hookId: saved.hook.id, draftVersion: 1 }]
    expect(await owner.call('RolloutService/Publish', { drafts, note: 'n', skipRings: true })).toMatchObject({
      status: 200,
    })
    const key = await server.key({ group: 'desks' })
    const states = { in_sync: 1, attention: 0, behind: 2, no_bundle: 3, silent: 1, killed: 0, stale: 0 }
    const make = async (change: object) => {
      const { id } = await server.device({ key: key.secret })
      await server.store.db.updateTable('devices').set(change).where('id', '=', id).execute()
    }
    await make({ release: 1, state: 'in_sync' })
    // It reports what it knows; only the server knows that there is more.
    for (let index = 0; index < 2; index++) await make({ release: 9, state: 'in_sync' })
    for (let index = 0; index < 3; index++) await make({ release: 0, operating_system: 'Windows' })
    await make({ release: 1, state: 'in_sync', last_seen_at: Date.now() - 4 * DAY, group: '' })
    await make({ revoked_at: 1, release: 1 })

    const { body } = await owner.call('DevicesService/CountDevices')
    expect(body.total).toBe(7)
    expect(counts(body.states)).toEqual(states)
    expect(counts(body.groups)).toEqual({ desks: 6, '': 1 })
    expect(counts(body.releases)).toEqual({ 0: 3, 1: 2, 9: 2 })
    expect(counts(body.operatingSystems)).toEqual({ Linux: 4, Windows: 3 })
    expect(counts(body.clientVersions)).toEqual({ '0.1.0': 7 })
    for (const [state, count] of Object.entries(states)) {
      const list = await owner.call('DevicesService/ListDevices', { state })
      expect(list.body.total ?? 0, state).toBe(count)
    }
    const overview = (await owner.call('AuditService/GetOverview')).body
    expect(overview).toMatchObject({ devices: 7, inSync: 1, silent: 1, behind: 5 })
    expect(counts(overview.deviceStates)).toEqual(states)
  })

  it('what was refused is shown to admins, newest first and in pages', async () => {
    const admin = await server.member('admin')
    const auditor = await server.member('auditor')
    for (const method of ['PeopleService/InviteMember', 'RolloutService/Pin', 'KeysService/PrepareKey']) {
      expect((await auditor.call(method)).code).toBe('permission_denied')
    }
    await server.people.flush()
    const first = await admin.call('AuditService/ListRefusedCalls', { pageSize: 2 })
    expect(first.body.calls).toMatchObject([
      { what: 'KeysService/PrepareKey', who: expect.stringContaining('m2@example.com') },
      { what: 'RolloutService/Pin', detail: expect.stringContaining('This needs the role admin') },
    ])
    const { nextPageToken: pageToken } = first.body
    const second = await admin.call('AuditService/ListRefusedCalls', { pageSize: 2, pageToken })
    expect(second.body.calls).toMatchObject([{ what: 'PeopleService/InviteMember' }])
    expect(second.body.nextPageToken ?? '').toBe('')
    const found = await admin.call('AuditService/ListRefusedCalls', { query: 'preparekey' })
    expect(found.body.calls).toMatchObject([{ id: expect.any(Number), what: 'KeysService/PrepareKey' }])
    expect((await admin.call('AuditService/ListRefusedCalls', { query: '%' })).body.calls ?? []).toEqual([])
    expect((await auditor.call('AuditService/ListRefusedCalls')).code).toBe('permission_denied')
  })

  it('settings that come from the start are shown without their secrets', async () => {
    const owner = await server.owner()
    const { body } = await owner.call('PeopleService/GetServer')
    expect(body).toMatchObject({
      url: server.team.url,
      database: kind,
      otlpUrl: 'http://127.0.0.1:9/v1/logs',
    })
    expect(JSON.stringify(body)).not.toMatch(/abc|pass/)
    expect(body.oidcIssuer ?? '').toBe('')
  })
})
