// A member with the role author attacks the server through HTTP: script names that are paths, scripts that never run,
// and dry runs on a machine without a sandbox.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findSandbox } from '../../packages/server/src/replay/sandbox.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { type Browser, startServer, type TestServer } from './people.js'

const { sandbox } = await findSandbox([])
const SCRIPT = "#!/bin/sh\ncat > /dev/null\necho '{}'\n"

let database: TestDatabase
let server: TestServer
let author: Browser
let folder: string
const start = async () => {
  database = await SQLITE.create()
  server = await startServer(database)
  author = await server.member('author')
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-author-'))
})
afterEach(async () => {
  await server.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const draft = (more: object = {}) => ({
  hookStep: 'beforeShellExecution',
  scriptName: 'guard.sh',
  scriptContent: SCRIPT,
  isActive: true,
  ...more,
})
const save = (more: object, name = 'Guard') =>
  author.call('HooksService/SaveDraft', { id: 0, name, baseVersion: 0, draft: draft(more) })

describe('names and contents of drafts', () => {
  beforeEach(() => start())

  it.each([
    ['a path to another folder', { scriptName: '../../../../PWNED' }],
    ['an absolute path', { scriptName: '/tmp/PWNED' }],
    ['the manifest', { scriptName: 'manifest.json' }],
    ['a control character', { scriptName: 'a\u0000.sh' }],
    ['an unknown type', { type: 'binary' }],
    ['an unknown mode', { mode: 'off' }],
    ['an unknown system', { operatingSystems: ['../../x'] }],
  ])('are not stored with %s', async (_, more) => {
    const { code } = await save(more)
    expect(code).toBe('invalid_argument')
    expect((await author.call('HooksService/ListHooks')).body.total ?? 0).toBe(0)
  })

  it('may be saved before they are complete', async () => {
    expect(await save({ scriptName: '', scriptContent: '' })).toMatchObject({ status: 200 })
  })

  it('do no harm if an earlier version stored them with a path', async () => {
    const { body } = await save({})
    const mark = join(folder, 'PWNED')
    const scriptName = `${'../'.repeat(20)}${mark.slice(1)}`
    const content = {
      ...draft(),
      script_name: scriptName,
      hook_step: 'beforeShellExecution',
      type: 'command',
    }
    await server.store.db
      .updateTable('hooks')
      .set({ draft: JSON.stringify({ ...content, mode: 'enforce', operating_systems: [], is_active: true }) })
      .execute()
    const { id } = body.hook
    const checked = await author.call('HooksService/CheckDraft', { id })
    expect(checked.body).toMatchObject({ problems: [{ code: 'team/script-name' }] })
    expect(checked.body.fit ?? false).toBe(false)
    const replayed = await stream(server, author, { hookId: id, days: 7 })
    expect(replayed).toMatch(/team\/script-name|plain name/)
    expect(existsSync(mark)).toBe(false)
  })
})

describe('a draft whose script never ran', () => {
  beforeEach(() => start())

  it.runIf(sandbox)('is not fit to be published', async () => {
    const { body } = await save({ matcher: 'terraform apply' })
    const samples = [{ name: 'other', payloadJson: '{"command":"ls"}' }]
    const checked = await author.call('HooksService/CheckDraft', { id: body.hook.id, samples })
    expect(checked.body.fit ?? false).toBe(false)
    expect(checked.body.problems).toMatchObject([{ code: 'team/never-ran', severity: 'error' }])
    const { body: again } = await author.call('HooksService/GetHook', { id: body.hook.id })
    expect(again.hook.fit ?? false).toBe(false)
  })

  it.runIf(sandbox)('is run once without its matcher if no sample is given', async () => {
    const { body } = await save({ matcher: 'terraform apply' })
    const checked = await author.call('HooksService/CheckDraft', { id: body.hook.id })
    expect(checked.body).toMatchObject({ fit: true, runs: [{ ran: true }] })
  })
})

describe('a server without a sandbox', () => {
  const reason = 'Dry runs are off: no sandbox works on this machine'
  beforeEach(async () => {
    vi.stubEnv('PATH', folder)
    await start()
  })
  afterEach(() => vi.unstubAllEnvs())

  it('says so when it starts', async () => {
    await expect.poll(() => server.logged.join('\n')).toContain(reason)
  })

  it('runs drafts for nobody, admins and owners included', async () => {
    const { body } = await save({ scriptContent: `#!/bin/sh\ntouch ${folder}/ran\necho '{}'\n` })
    const { id } = body.hook
    for (const one of [author, await server.member('admin'), await server.owner()]) {
      const { code, message } = await one.call('HooksService/CheckDraft', { id })
      expect({ code, message }).toEqual({
        code: 'failed_precondition',
        message: expect.stringContaining(reason),
      })
      expect(await stream(server, one, { hookId: id, days: 7 })).toContain(reason)
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('publishes only what a second person approved, on the record', async () => {
    const admin = await server.member('admin')
    const { body } = await admin.call('HooksService/SaveDraft', { id: 0, name: 'Guard', draft: draft() })
    const { id, draftVersion } = body.hook
    const publishing = { drafts: [{ hookId: id, draftVersion }], note: 'x', skipRings: true }
    expect(await admin.call('RolloutService/Publish', publishing)).toMatchObject({
      code: 'failed_precondition',
    })
    const approval = { id, draftVersion, reason: 'Read it line by line.' }
    expect(await admin.call('HooksService/ApproveUnrun', approval)).toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('needs a second admin'),
    })
    expect(await author.call('HooksService/ApproveUnrun', approval)).toMatchObject({
      code: 'permission_denied',
    })
    const owner = await server.owner()
    const call = (change: object) => owner.call('HooksService/ApproveUnrun', { ...approval, ...change })
    expect(await call({ reason: '' })).toMatchObject({ code: 'invalid_argument' })
    expect(await call({ draftVersion: draftVersion + 1 })).toMatchObject({ code: 'aborted' })
    // The owner invited that admin a moment ago: they count as one person.
    expect(await call({})).toMatchObject({ code: 'permission_denied' })
    server.ahead += 25 * 3_600_000
    expect(await call({})).toMatchObject({ status: 200, body: { hook: { fit: true } } })
    expect(await admin.call('RolloutService/Publish', publishing)).toMatchObject({ status: 200 })
    const { body: log } = await owner.call('AuditService/ListAdminActions', { pageSize: 50 })
    expect(log.actions.map(({ action }: { action: string }) => action)).toContain('hook.approve-unrun')
    expect(JSON.stringify(log.actions)).toContain('Read it line by line.')
  })
})

describe('a server with a sandbox', () => {
  beforeEach(() => start())

  it.runIf(sandbox)('has no way around the dry run', async () => {
    const { body } = await save({})
    const { id, draftVersion } = body.hook
    const owner = await server.owner()
    expect(
      await owner.call('HooksService/ApproveUnrun', { id, draftVersion, reason: 'no time' }),
    ).toMatchObject({ code: 'failed_precondition' })
  })
})

/** The text of a streaming response, including errors at its end. */
async function stream({ url }: TestServer, by: Browser, request: object): Promise<string> {
  const body = Buffer.from(JSON.stringify(request))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(body.length, 1)
  const response = await fetch(`${url}/holdfast.team.v1.ReplayService/WhatIf`, {
    method: 'POST',
    headers: { 'content-type': 'application/connect+json', cookie: by.cookie, origin: by.origin },
    body: Buffer.concat([head, body]),
  })
  return response.text()
}
