// Several people at once, and states that no order of actions may produce.

import { generateKeys, HooksService, RolloutService, signPayload } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { callerOf, passDraft, seatMember, startTestServer, type TestServer } from './server.js'

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let server: TestServer
  let admin = ''
  let author = ''
  const elsewhere = generateKeys()
  beforeEach(async () => {
    database = await create()
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })
  const start = async (more: object = {}) => {
    server = await startTestServer(database.url, more)
    admin = await seatMember(server, 'admin')
    author = await seatMember(server, 'author')
  }
  const rollout = () => callerOf(server.url, admin)(RolloutService)
  const hooks = () => callerOf(server.url, admin)(HooksService)
  const contentOf = (name: string) => ({
    hookStep: 'stop',
    scriptName: `${name}.sh`,
    scriptContent: '#!/bin/sh\necho "{}"\n',
    isActive: true,
  })
  const checkedDraft = async (name: string) => {
    const { hook } = await hooks().saveDraft({ name, draft: contentOf(name) })
    await passDraft(server.team, hook!.id)
    return { hookId: hook!.id, draftVersion: hook!.draftVersion }
  }
  const logOfErrors = () => server.logged.filter(line => line.includes('"level":"error"'))

  it('who publishes at the same time publishes one after the other, and nothing is lost', async () => {
    await start()
    const drafts = []
    for (const name of ['a', 'b', 'c', 'd']) drafts.push(await checkedDraft(name))
    const said = await Promise.allSettled(
      drafts.map(draft => rollout().publish({ drafts: [draft], note: 'n', skipRings: true })),
    )
    expect(said.map(one => (one.status === 'rejected' ? String(one.reason) : 'ok'))).toEqual(
      Array(4).fill('ok'),
    )
    const { releases } = await rollout().listReleases({})
    expect(releases.map(({ number }) => number)).toEqual([4, 3, 2, 1])
    expect(releases[0]!.hooks).toHaveLength(4)
    expect(logOfErrors()).toEqual([])
  })

  usualIt('the check of a draft reports what publishing would: another script has its name', async () => {
    await start()
    const script = (text: string) => `#!/bin/sh\n# ${text}\necho "{}"\n`
    const content = (scriptName: string, text: string) => ({
      ...contentOf('x'),
      scriptName,
      scriptContent: script(text),
    })
    const save = async (name: string, scriptName: string, text: string, id = 0, checkOnly = false) => {
      const baseVersion = id === 0 ? 0 : (await hooks().getHook({ id })).hook!.draftVersion
      return hooks().saveDraft({ id, name, baseVersion, checkOnly, draft: content(scriptName, text) })
    }
    const wishOf = async (id: number) => ({
      hookId: id,
      draftVersion: (await hooks().getHook({ id })).hook!.draftVersion,
    })
    const first = (await save('first', 'guard.sh', 'one')).hook!.id
    await hooks().checkDraft({ id: first })
    await rollout().publish({ drafts: [await wishOf(first)], note: 'n', skipRings: true })

    const taken = {
      severity: 'error',
      code: 'team/script-name-taken',
      field: 'script_name',
      message: expect.stringContaining('Two different scripts are called "guard.sh"'),
      hint: '"first" has it already.',
    }
    expect((await save('second', 'guard.sh', 'two', 0, true)).problems).toMatchObject([taken])
    const saved = await save('second', 'guard.sh', 'two')
    expect(saved.problems).toMatchObject([taken])
    const second = saved.hook!.id
    expect(await hooks().checkDraft({ id: second })).toMatchObject({ fit: false, problems: [taken] })
    await expect(
      rollout().publish({ drafts: [await wishOf(second)], note: 'n', skipRings: true }),
    ).rejects.toThrow('is not checked in this version')
    // On some machines, names that differ only in case are one file.
    expect((await save('second', 'GUARD.sh', 'two', second, true)).problems[0]!.message).toContain(
      'one file on some machines',
    )
    // The same script may be used by both, and its own hook may change it.
    expect((await save('second', 'guard.sh', 'one', second, true)).problems).toEqual([])
    expect((await save('first', 'guard.sh', 'new', first, true)).problems).toEqual([])
    expect((await save('second', 'other.sh', 'two', second)).problems).toEqual([])
    expect(await hooks().checkDraft({ id: second })).toMatchObject({ fit: true, problems: [] })
    await rollout().publish({ drafts: [await wishOf(second)], note: 'n', skipRings: true })

    // Two that swap places: neither can move alone, both together can.
    await save('first', 'other.sh', 'one', first)
    await save('second', 'guard.sh', 'two', second)
    for (const id of [first, second]) {
      expect(await hooks().checkDraft({ id })).toMatchObject({
        fit: true,
        problems: [{ severity: 'warning', hint: expect.stringContaining('publish them together') }],
      })
    }
    const both = [await wishOf(first), await wishOf(second)]
    await expect(rollout().publish({ drafts: [both[0]!], note: 'n' })).rejects.toThrow(
      'Two different scripts',
    )
    expect((await rollout().publish({ drafts: both, note: 'n' })).release).toMatchObject({ number: 3 })
    expect(logOfErrors()).toEqual([])
  })

  it('of concurrent saves of one draft one succeeds, and the others get an error', async () => {
    await start()
    const { hook } = await hooks().saveDraft({ name: 'a', draft: contentOf('a') })
    const said = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        hooks().saveDraft({ id: hook!.id, name: 'a', draft: contentOf(`a${index}`), baseVersion: 1 }),
      ),
    )
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of said) if (one.status === 'rejected') expect(String(one.reason)).toMatch(/somebody else/)
    const names = await Promise.allSettled(
      Array.from({ length: 3 }, () => hooks().saveDraft({ name: 'same', draft: contentOf('b') })),
    )
    expect(names.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of names) if (one.status === 'rejected') expect(String(one.reason)).toMatch(/is called/)
    expect(logOfErrors()).toEqual([])
  })

  usualIt('so many drafts are checked at once, and the next ones are asked to wait', async () => {
    await start()
    const draft = { ...contentOf('a'), scriptContent: '#!/bin/sh\nsleep 2\necho "{}"\n' }
    const { hook } = await hooks().saveDraft({ name: 'a', draft })
    const said = await Promise.allSettled(
      Array.from({ length: 6 }, () => hooks().checkDraft({ id: hook!.id })),
    )
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    for (const one of said) if (one.status === 'rejected') expect(String(one.reason)).toMatch(/Try again/)
    const quick = { ...contentOf('a'), scriptContent: '#!/bin/sh\necho "{}"\n' }
    await hooks().saveDraft({ id: hook!.id, name: 'a', draft: quick, baseVersion: hook!.draftVersion })
    expect(await hooks().checkDraft({ id: hook!.id })).toMatchObject({ fit: true })
  })

  usualIt('a release that was never signed is nobody’s way back, halted or not', async () => {
    await start({ releaseKey: elsewhere.publicKey })
    const { unsigned } = await rollout().publish({
      drafts: [await checkedDraft('a')],
      note: 'n',
      skipRings: true,
    })
    await rollout().sign({
      number: 1,
      signature: signPayload('release', unsigned!.payload, elsewhere.privateKey),
    })
    await rollout().publish({ drafts: [await checkedDraft('b')], note: 'n', skipRings: true })
    await rollout().halt({ number: 2, reason: 'no' })
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const whom = { case: 'group', value: 'all' } as const
    await expect(rollout().pin({ whom, release: 2, until, reason: '' })).rejects.toThrow(/not signed/)
    await expect(rollout().rollBack({ to: 2, note: '' })).rejects.toThrow(/never signed/)
    await rollout().publish({ drafts: [await checkedDraft('c')], note: 'n', skipRings: true })
    await expect(rollout().resume({ number: 2 })).rejects.toThrow(/waits for its signature/)
  })

  usualIt('what people say has an end, so that no list of it is without one', async () => {
    await start()
    await rollout().publish({ drafts: [await checkedDraft('a')], note: 'n', skipRings: true })
    const long = 'x'.repeat(5000)
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const whom = { case: 'group', value: 'all' } as const
    const byAuthor = callerOf(server.url, author)
    const other = await checkedDraft('b')
    for (const call of [
      () => rollout().publish({ drafts: [other], note: long }),
      () => rollout().rollBack({ to: 1, note: long }),
      () => byAuthor(RolloutService).halt({ number: 1, reason: long }),
      () => rollout().setKillSwitch({ on: true, reason: long }),
      () => rollout().pin({ whom, release: 1, until, reason: long }),
      () => rollout().pin({ whom: { case: 'group', value: long }, release: 1, until, reason: '' }),
      () =>
        byAuthor(HooksService).saveDraft({
          name: 'c',
          draft: { ...contentOf('c'), matcher: 'x'.repeat(20_000) },
        }),
      () =>
        byAuthor(HooksService).saveDraft({
          name: 'c',
          draft: { hookStep: 'stop', type: 'prompt', prompt: 'x'.repeat(200_000), isActive: true },
        }),
      () =>
        byAuthor(HooksService).saveDraft({
          name: 'c',
          draft: { ...contentOf('c'), scriptContent: 'x'.repeat(2 * 1024 * 1024) },
        }),
    ]) {
      await expect(call()).rejects.toThrow(/longer than|at most/)
    }
  })

  it('finds hooks and actions by what people type, whatever signs are in it', async () => {
    await start()
    for (const name of ['pre_tool', 'pretool', '100%', 'back\\slash'])
      await hooks().saveDraft({ name, draft: contentOf('a') })
    const found = async (query: string) => (await hooks().listHooks({ query })).hooks.map(({ name }) => name)
    expect(await found('e_t')).toEqual(['pre_tool'])
    expect(await found('0%')).toEqual(['100%'])
    expect(await found('k\\s')).toEqual(['back\\slash'])
    expect(await found('%')).toEqual(['100%'])
  })

  usualIt('tokens for pages that nobody gave are refused, and are no failure of the server', async () => {
    await start()
    for (const text of ['[1e999]', '[1.5]', '[-1e300]', `[${2 ** 60}]`, '["x"]', '{}', 'null', '[', '']) {
      const pageToken = Buffer.from(text).toString('base64url') || '-'
      await expect(rollout().listReleases({ pageToken }), text).rejects.toThrow(/page_token/)
    }
    expect(logOfErrors()).toEqual([])
  })
})
