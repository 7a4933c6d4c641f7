// Entries name devices, hooks and people by ids that never change, with their current names beside them.

import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fieldsIn, listActions } from '../../packages/server/src/audit/actions.js'
import { calledToday } from '../../packages/server/src/audit/called-today.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { type Browser, startServer, type TestServer } from './people.js'
import { passDraft } from './server.js'

interface Action {
  action: string
  actor: string
  subject: string
  detailJson: string
}
interface Called {
  kind: string
  id: string
  name: string
}

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let owner: Browser
  beforeEach(async () => {
    database = await create()
    server = await startServer(database, { name: 'Harbour works' })
    owner = await server.owner()
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })
  const list = async (wish: object = {}) => {
    const { body } = await owner.call('AuditService/ListAdminActions', { pageSize: 200, ...wish })
    const { actions = [], names = [] } = body as { actions?: Action[]; names?: Called[] }
    const called = new Map(names.map(({ kind, id, name }) => [`${kind} ${id}`, name]))
    const details = (kind: string) =>
      actions.filter(({ action }) => action === kind).map(({ detailJson }) => JSON.parse(detailJson))
    return { actions, called, details, subjects: actions.map(({ subject }) => subject) }
  }
  const rename = (id: string, name: string) =>
    server.store.db.updateTable('devices').set({ name }).where('id', '=', id).execute()
  const publish = async (name: string) => {
    const draft = { hookStep: 'stop', scriptName: `${name}.sh`, scriptContent: '#!/bin/sh\n', isActive: true }
    const { body } = await owner.call('HooksService/SaveDraft', { name, draft })
    const { id, draftVersion } = body.hook
    await passDraft(server.team, id)
    const drafts = [{ hookId: id, draftVersion }]
    expect(await owner.call('RolloutService/Publish', { drafts, note: 'n' })).toMatchObject({ status: 200 })
    return id as number
  }

  it('names of the day are in the chain, those of today beside it', async () => {
    const { id } = await server.device()
    await rename(id, 'old-laptop')
    await owner.call('DevicesService/SetDeviceGroup', { id, group: 'desks' })
    const hook = await publish('guard-push')
    const until = new Date(Date.now() + 86_400_000).toISOString()
    await owner.call('RolloutService/Pin', { deviceId: id, release: 1, until })
    await owner.call('RolloutService/Unpin', { deviceId: id })
    await rename(id, 'new-laptop')
    const { called, details } = await list()
    expect(details('team.found')[0]).toMatchObject({ name: 'Harbour works' })
    expect(details('device.group')).toEqual([{ name: 'old-laptop', from: '', to: 'desks' }])
    expect(details('release.pin')[0]).toMatchObject({ name: 'old-laptop', release: 1 })
    expect(details('release.unpin')).toEqual([{ name: 'old-laptop', release: 1 }])
    expect(details('release.publish')[0]).toMatchObject({
      changed: [{ name: 'guard-push', revision: 1 }],
      ring: 'canary',
    })
    expect(called.get(`device ${id}`)).toBe('new-laptop')
    expect(called.get(`hook ${hook}`)).toBe('guard-push')
    expect(called.get(`team ${server.team.id}`)).toBe('Harbour works')
    expect([...called.keys()].filter(key => key.startsWith('member '))).toHaveLength(1)
    expect((await owner.call('AuditService/VerifyChain')).body.state).toBe('whole')
  })

  it('taken out again, a hook is named in the chain although it is in no release any more', async () => {
    const hook = await publish('guard-push')
    await publish('lint')
    expect(
      await owner.call('RolloutService/Publish', { remove: [hook], note: 'n', skipRings: true }),
    ).toMatchObject({ status: 200 })
    const [out] = (await list()).details('release.publish')
    expect(out).toMatchObject({ removed: ['guard-push'], at_once: true })
    expect(out.changed).toBeUndefined()
  })

  it('what is shown can be looked for: by the names of today and by those of the day', async () => {
    const { id } = await server.device()
    const hook = await publish('guard-push')
    await rename(id, 'Build 100%_machine')
    expect((await list({ query: 'build 100%_m' })).subjects).toEqual([id])
    expect((await list({ query: 'GUARD-PUSH' })).subjects).toEqual(['release 1', `hook ${hook}`])
    const email = 'ada@example.com'
    await server.member('author', email)
    await server.store.db.updateTable('user').set({ name: 'Zoë' }).where('email', '=', email).execute()
    const found = await list({ query: 'zoë' })
    expect(found.subjects).toContain(email)
    expect(found.called.get(`member ${email}`)).toBe('Zoë')
    expect((await list({ query: 'nowhere to be found' })).subjects).toEqual([])
  })

  it('one action by its number, whatever else is asked for', async () => {
    const { actions } = await list()
    const seq = actions.length - 1
    const { body } = await owner.call('AuditService/ListAdminActions', { seq })
    expect(body.actions).toHaveLength(1)
    expect(body.actions[0]).toMatchObject({ seq })
    expect((await owner.call('AuditService/ListAdminActions', { seq: 9999 })).body.actions ?? []).toEqual([])
  })

  it('the bytes of the chain only for who wants to verify it', async () => {
    const bodies = async (wish: object) => {
      const { body } = await owner.call('AuditService/ListAdminActions', wish)
      return (body.actions as { body?: string }[]).map(action => action.body !== undefined)
    }
    expect(new Set(await bodies({}))).toEqual(new Set([true]))
    expect(new Set(await bodies({ withoutBody: true }))).toEqual(new Set([false]))
  })

  it('one question for each kind, however many there are', async () => {
    const key = await server.key({ maxUses: 40 })
    for (let index = 0; index < 12; index++) await server.device({ key: key.secret })
    await publish('guard-push')
    let asked = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        asked++
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const db = server.store.db.withPlugin(counting)
    const team = { ...server.team, store: { ...server.store, db } }
    const { actions } = await listActions(team, {
      pageSize: 200,
      pageToken: '',
      query: '',
      oldestFirst: false,
    })
    expect(actions.length).toBeGreaterThan(14)
    asked = 0
    const names = await calledToday(
      team,
      actions.map(({ body }) => fieldsIn(body)),
    )
    expect(names.filter(({ kind }) => kind === 'device')).toHaveLength(12)
    expect(asked).toBe(3)
  })
})
