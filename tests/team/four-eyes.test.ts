// Attacks on four-eyes: over HTTP, with a session of each person and a clock of the server.

import { RolloutService } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saveSettings, settingsIn } from '../../packages/server/src/store/team.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { type Browser, startServer, type TestServer } from './people.js'
import { passDraft } from './server.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const OK = { status: 200 }
const WAITS = { code: 'failed_precondition', message: expect.stringMatching(/needs a second admin/) }
const NOT_INDEPENDENT = {
  code: 'permission_denied',
  message: expect.stringMatching(/not independent/),
}

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let ada: Browser
  let bob: Browser
  beforeEach(async () => {
    database = await create()
    server = await startServer(database)
    ada = await server.owner()
    bob = await server.member('admin', 'bob@example.com')
    server.ahead += DAY
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })

  const settings = async () => (await ada.call('RolloutService/GetRolloutSettings')).body
  const setFourEyes = async (by: Browser, fourEyes: boolean) =>
    by.call('RolloutService/SetRolloutSettings', {
      settings: { ...(await settings()).settings, fourEyes },
    })
  const draft = async (by: Browser, name: string) => {
    const { body } = await by.call('HooksService/SaveDraft', {
      name,
      draft: { hookStep: 'stop', scriptName: `${name}.sh`, scriptContent: '#!/bin/sh\n', isActive: true },
    })
    await passDraft(server.team, body.hook.id)
    return { hookId: body.hook.id as number, draftVersion: body.hook.draftVersion as number }
  }
  const publish = (by: Browser, drafts: object[], more: object = {}) =>
    by.call('RolloutService/Publish', { drafts, skipRings: true, ...more })
  const publishBoth = async (name: string) => {
    const one = await draft(ada, name)
    expect(await publish(bob, [one])).toMatchObject(OK)
    return one.hookId
  }
  /** What one admin could prepare while four-eyes was off. */
  const beforehand = async <T>(work: () => Promise<T>): Promise<T> => {
    const { store } = server.team
    const now = await settingsIn(store.db)
    await store.write(tx => saveSettings(tx, { ...now, fourEyes: false }))
    const done = await work()
    await store.write(tx => saveSettings(tx, now))
    return done
  }
  const idOf = async (email: string): Promise<string> => {
    const { members } = (await ada.call('PeopleService/ListMembers')).body
    return members.find((one: { email: string }) => one.email === email).userId
  }
  const actions = async () => {
    const { body } = await ada.call('AuditService/ListAdminActions', { pageSize: 50, peopleOnly: true })
    return (body.actions as { action: string; actor: string; detailJson: string }[]).map(one => ({
      ...one,
      detail: JSON.parse(one.detailJson || '{}'),
    }))
  }

  describe('switched on', () => {
    beforeEach(async () => expect(await setFourEyes(ada, true)).toMatchObject(OK))

    it('cannot be switched off, or weakened, by one admin', async () => {
      expect(await setFourEyes(ada, false)).toMatchObject(WAITS)
      expect(await setFourEyes(ada, false)).toMatchObject(WAITS)
      const { settings: now } = await settings()
      const { rings: _, ...rest } = now
      expect(
        await ada.call('RolloutService/SetRolloutSettings', {
          settings: { ...rest, rings: [{ name: 'all', share: 1 }] },
        }),
      ).toMatchObject(WAITS)
      expect((await settings()).settings).toMatchObject({ fourEyes: true, rings: now.rings })
      expect(await setFourEyes(ada, false)).toMatchObject(WAITS)
      expect(await setFourEyes(bob, false)).toMatchObject(OK)
      expect((await settings()).settings.fourEyes ?? false).toBe(false)
    })

    it('needs a second person to publish what one wrote', async () => {
      const one = await draft(ada, 'one')
      expect(await publish(ada, [one])).toMatchObject(WAITS)
      expect(await publish(ada, [one])).toMatchObject(WAITS)
      expect(await publish(bob, [one])).toMatchObject(OK)
      const two = await draft(ada, 'two')
      const three = await draft(bob, 'three')
      expect(await publish(ada, [two, three])).toMatchObject(WAITS)
      expect(await publish(bob, [two, three])).toMatchObject(OK)
    })

    it('needs a second person to remove a hook, also beside a draft of somebody else', async () => {
      const id = await publishBoth('one')
      const two = await draft(bob, 'two')
      expect(await publish(ada, [], { remove: [id] })).toMatchObject(WAITS)
      expect(await publish(ada, [two], { remove: [id] })).toMatchObject(WAITS)
      // The confirmation is for exactly the same change.
      expect(await publish(bob, [], { remove: [id] })).toMatchObject(WAITS)
      expect(await publish(bob, [two], { remove: [id] })).toMatchObject(OK)
    })

    it('needs a second person to roll back, to pin and to end a pin', async () => {
      await publishBoth('one')
      await publishBoth('two')
      const { id } = await server.device()
      const until = new Date(Date.now() + server.ahead + DAY).toISOString()
      const pin = { deviceId: id, release: 1, until, reason: 'slow' }
      for (const [method, body] of [
        ['RollBack', { to: 1 }],
        ['Pin', pin],
        ['Unpin', { deviceId: id }],
      ] as const) {
        expect(await ada.call(`RolloutService/${method}`, body), method).toMatchObject(WAITS)
        const later = 'until' in body ? { ...body, until: until.replace(/\.\d+Z/, '.999Z') } : body
        expect(await bob.call(`RolloutService/${method}`, later), method).toMatchObject(OK)
      }
      const { body } = await ada.call('RolloutService/ListReleases')
      expect(body.releases).toHaveLength(3)
    })

    it('needs a second person to move a device into or out of a group that is pinned', async () => {
      await publishBoth('one')
      const { id } = await server.device()
      const move = (by: Browser, group: string) => by.call('DevicesService/SetDeviceGroup', { id, group })
      expect(await move(ada, 'builders')).toMatchObject(OK)
      const until = new Date(Date.now() + server.ahead + DAY).toISOString()
      for (const by of [ada, bob]) await by.call('RolloutService/Pin', { group: 'slow', release: 1, until })
      expect(await move(ada, 'testers')).toMatchObject(OK)
      expect(await move(ada, 'slow')).toMatchObject(WAITS)
      expect(await move(bob, 'slow')).toMatchObject(OK)
      expect(await move(bob, 'testers')).toMatchObject(WAITS)
      expect(await move(ada, 'testers')).toMatchObject(OK)
    })

    it('lets one person halt, and needs a second one to resume', async () => {
      const one = await draft(ada, 'one')
      await publish(bob, [one], { skipRings: false })
      expect(await ada.call('RolloutService/Halt', { number: 1, reason: 'no' })).toMatchObject(OK)
      expect(await ada.call('RolloutService/Resume', { number: 1 })).toMatchObject(WAITS)
      expect(await bob.call('RolloutService/Resume', { number: 1 })).toMatchObject(OK)
    })

    it('needs a second person for every member who could be one, so that nobody prepares a second account', async () => {
      const refused = { code: 'failed_precondition', message: expect.stringMatching(/only auditors/) }
      for (const role of ['author', 'admin', 'owner']) {
        const wish = { email: `${role}@example.com`, role }
        expect(await ada.call('PeopleService/InviteMember', wish)).toMatchObject(refused)
      }
      const puppet = await server.member('auditor', 'puppet@example.com')
      const userId = await idOf('puppet@example.com')
      const become = (by: Browser, role: string) => by.call('PeopleService/SetMemberRole', { userId, role })
      expect(await become(ada, 'author')).toMatchObject(WAITS)
      server.ahead += 2 * HOUR
      expect(await become(ada, 'author')).toMatchObject(WAITS)
      expect((await puppet.call('HooksService/SaveDraft', { name: 'x' })).code).toBe('permission_denied')
      expect(await become(bob, 'author')).toMatchObject(OK)
      expect((await actions())[0]).toMatchObject({
        action: 'member.role',
        actor: 'bob@example.com',
        detail: { from: 'auditor', to: 'author', requested_by: 'olga@example.com' },
      })
      // Both vouched, so for a day neither publishes alone what the new author writes.
      const mine = await draft(puppet, 'mine')
      expect(await publish(bob, [mine])).toMatchObject(WAITS)
      expect(await publish(ada, [mine])).toMatchObject(OK)
      // A lower role takes one admin.
      expect(await become(ada, 'auditor')).toMatchObject(OK)
    })

    it('lets an invitation from before it was switched on admit an auditor only', async () => {
      const wish = { email: 'early@example.com', role: 'admin' }
      const { body } = await beforehand(() => ada.call('PeopleService/InviteMember', wish))
      const early = server.browser()
      await early.join(server.secret(body.link), { name: 'Early' })
      expect((await early.call('PeopleService/WhoAmI')).body.member.role).toBe('auditor')
      expect((await actions())[0]).toMatchObject({ action: 'member.join', detail: { role: 'auditor' } })
    })

    it('needs a second person to halt a release that every device has, which sends all of them back', async () => {
      const author = await beforehand(() => server.member('author', 'author@example.com'))
      await publishBoth('one')
      await publishBoth('two')
      const halt = (by: Browser) => by.call('RolloutService/Halt', { number: 2, reason: 'no' })
      expect(await halt(author)).toMatchObject({ code: 'permission_denied' })
      expect(await halt(ada)).toMatchObject(WAITS)
      expect((await ada.call('RolloutService/GetRelease', { number: 2 })).body.release.state).toBe('done')
      expect(await halt(bob)).toMatchObject(OK)
      expect((await ada.call('RolloutService/GetRelease', { number: 2 })).body.release.state).toBe('halted')
    })

    it('needs a second person to kill, and to switch the hooks on again', async () => {
      for (const on of [true, false]) {
        const order = { on, reason: 'bad day' }
        expect(await ada.call('RolloutService/SetKillSwitch', order)).toMatchObject(WAITS)
        expect(Boolean((await settings()).killed)).toBe(!on)
        expect(
          await bob.call('RolloutService/SetKillSwitch', { ...order, reason: 'so it is' }),
        ).toMatchObject(OK)
        expect(Boolean((await settings()).killed)).toBe(on)
      }
    })

    it('lets one person kill in an emergency, which every admin sees', async () => {
      const order = { on: true, reason: 'they all hang', emergency: true }
      expect(await ada.call('RolloutService/SetKillSwitch', order)).toMatchObject(OK)
      const emergency = { by: 'olga@example.com', reason: 'they all hang' }
      expect((await bob.call('RolloutService/GetRolloutSettings')).body).toMatchObject({
        killed: true,
        emergency,
      })
      expect((await actions())[0]).toMatchObject({ action: 'team.emergency-kill', actor: 'olga@example.com' })
      expect(server.logged.join('\n')).toContain('used in an emergency')
      // A token may be stolen.
      const token = await server.token(bob, { role: 'admin', days: 30 })
      const bearer = { authorization: `Bearer ${token}` }
      const stolen = await server.call('RolloutService/SetKillSwitch', order, bearer)
      expect(stolen).toMatchObject({ code: 'permission_denied', message: expect.stringContaining('token') })
      // It cannot be dismissed in an emergency, and stays announced when it is over.
      const off = { on: false, reason: 'over', emergency: true }
      expect(await ada.call('RolloutService/SetKillSwitch', off)).toMatchObject({ code: 'invalid_argument' })
      expect(await ada.call('RolloutService/SetKillSwitch', { ...off, emergency: false })).toMatchObject(
        WAITS,
      )
      expect(await bob.call('RolloutService/SetKillSwitch', { ...off, emergency: false })).toMatchObject(OK)
      expect(await settings()).toMatchObject({ emergency })
      server.ahead += 7 * DAY
      expect((await settings()).emergency).toBeUndefined()
    })

    it('does not take an account that the first person invited a moment ago', async () => {
      await publishBoth('one')
      const puppet = await beforehand(() => server.member('admin', 'puppet@example.com'))
      const order = { to: 1 }
      expect(await ada.call('RolloutService/RollBack', order)).toMatchObject(WAITS)
      expect(await puppet.call('RolloutService/RollBack', order)).toMatchObject(NOT_INDEPENDENT)
      server.ahead += 22 * HOUR
      expect(await puppet.call('RolloutService/RollBack', order)).toMatchObject(NOT_INDEPENDENT)
      server.ahead += 3 * HOUR
      expect(await ada.call('RolloutService/RollBack', order)).toMatchObject(WAITS)
      expect(await puppet.call('RolloutService/RollBack', order)).toMatchObject(OK)
    })

    it('does not take it as the first person either, nor one that it invited in turn', async () => {
      await publishBoth('one')
      const puppet = await beforehand(() => server.member('admin', 'puppet@example.com'))
      const other = await beforehand(async () => {
        const x = { email: 'x@example.com', role: 'admin' }
        const { body } = await puppet.call('PeopleService/InviteMember', x)
        const browser = server.browser()
        await browser.join(server.secret(body.link), { name: 'X' })
        return browser
      })
      expect(await puppet.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(NOT_INDEPENDENT)
      expect(await other.call('RolloutService/RollBack', { to: 1 })).toMatchObject(NOT_INDEPENDENT)
      const mine = await draft(puppet, 'mine')
      expect(await publish(ada, [mine])).toMatchObject(WAITS)
      expect(await publish(other, [mine])).toMatchObject(NOT_INDEPENDENT)
      expect(await publish(bob, [mine])).toMatchObject(OK)
    })

    it('does not take an account that the first person promoted a moment ago, nor the other way round', async () => {
      await publishBoth('one')
      const puppet = await server.member('auditor', 'puppet@example.com')
      server.ahead += 2 * DAY
      const { body } = await ada.call('PeopleService/ListMembers')
      const { userId } = body.members.find(({ email }: { email: string }) => email === 'puppet@example.com')
      const become = (role: string) => ada.call('PeopleService/SetMemberRole', { userId, role })
      expect(await beforehand(() => become('admin'))).toMatchObject(OK)
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      expect(await puppet.call('RolloutService/RollBack', { to: 1 })).toMatchObject(NOT_INDEPENDENT)
      expect(await bob.call('RolloutService/RollBack', { to: 1 })).toMatchObject(OK)
      // A request by a former admin does not count.
      expect(await puppet.call('RolloutService/RollBack', { to: 2 })).toMatchObject(WAITS)
      expect(await become('author')).toMatchObject(OK)
      expect(await bob.call('RolloutService/RollBack', { to: 2 })).toMatchObject(NOT_INDEPENDENT)
    })

    it('does not take an account whose inviter was invited by the first and removed since', async () => {
      await publishBoth('one')
      const between = await beforehand(() => server.member('admin', 'between@example.com'))
      const puppet = await beforehand(async () => {
        const invited = { email: 'puppet@example.com', role: 'admin' }
        const { body } = await between.call('PeopleService/InviteMember', invited)
        const browser = server.browser()
        await browser.join(server.secret(body.link), { name: 'P' })
        return browser
      })
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      const members = (await ada.call('PeopleService/ListMembers')).body.members
      const { userId } = members.find(({ email }: { email: string }) => email === 'between@example.com')
      expect(await ada.call('PeopleService/RemoveMember', { userId })).toMatchObject(OK)
      expect(await puppet.call('RolloutService/RollBack', { to: 1 })).toMatchObject(NOT_INDEPENDENT)
      expect(await bob.call('RolloutService/RollBack', { to: 1 })).toMatchObject(OK)
    })

    it('does not take an account that a third admin promoted after the first invited it', async () => {
      await publishBoth('one')
      const puppet = await server.member('auditor', 'puppet@example.com')
      const members = (await bob.call('PeopleService/ListMembers')).body.members
      const { userId } = members.find(({ email }: { email: string }) => email === 'puppet@example.com')
      const promote = () => bob.call('PeopleService/SetMemberRole', { userId, role: 'admin' })
      expect(await beforehand(promote)).toMatchObject(OK)
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      expect(await puppet.call('RolloutService/RollBack', { to: 1 })).toMatchObject(NOT_INDEPENDENT)
    })

    it('does not accept an account that joined after the request, by any invitation', async () => {
      await publishBoth('one')
      const order = { to: 1 }
      const invited = { email: 'new@example.com', role: 'admin' }
      const { body } = await beforehand(() => bob.call('PeopleService/InviteMember', invited))
      expect(await ada.call('RolloutService/RollBack', order)).toMatchObject(WAITS)
      server.ahead += HOUR
      const newcomer = server.browser()
      await beforehand(() => newcomer.join(server.secret(body.link), { name: 'New' }))
      expect(await newcomer.call('RolloutService/RollBack', order)).toMatchObject(NOT_INDEPENDENT)
    })

    it('counts everyone who saved a draft as its author, not the last one only', async () => {
      const writer = await beforehand(() => server.member('author', 'writer@example.com'))
      server.ahead += 2 * DAY
      const mine = await draft(ada, 'mine')
      const { body } = await writer.call('HooksService/SaveDraft', {
        id: mine.hookId,
        name: 'mine',
        baseVersion: mine.draftVersion,
        draft: { hookStep: 'stop', scriptName: 'mine.sh', scriptContent: '#!/bin/sh\n# \n', isActive: true },
      })
      await passDraft(server.team, mine.hookId)
      const now = { ...mine, draftVersion: body.hook.draftVersion }
      expect(await publish(ada, [now])).toMatchObject(WAITS)
      expect(await publish(bob, [now])).toMatchObject(OK)
      // Later drafts of the hook are prepared by those who write them.
      const later = await writer.call('HooksService/SaveDraft', {
        id: mine.hookId,
        name: 'mine',
        baseVersion: now.draftVersion,
        draft: { hookStep: 'stop', scriptName: 'mine.sh', scriptContent: '#!/bin/sh\n# 2\n', isActive: true },
      })
      await passDraft(server.team, mine.hookId)
      expect(await publish(ada, [{ ...mine, draftVersion: later.body.hook.draftVersion }])).toMatchObject(OK)
    })

    it('shows a request with all that a second admin needs to confirm or refuse it', async () => {
      await publishBoth('one')
      const puppet = await beforehand(() => server.member('admin', 'puppet@example.com'))
      const auditor = await server.member('auditor', 'reader@example.com')
      await ada.call('RolloutService/RollBack', { to: 1, note: 'it hangs' })
      const open = async (by: Browser) =>
        (await by.call('RolloutService/GetRolloutSettings')).body.requests?.[0] ?? null
      const request = await open(bob)
      expect(request).toMatchObject({ method: 'RolloutService/RollBack', by: 'olga@example.com' })
      expect(request.whyNot ?? '').toBe('')
      expect((await open(ada)).whyNot).toContain('You requested this')
      expect((await open(puppet)).whyNot).toContain('not independent')
      expect((await open(auditor)).whyNot).toContain('Only admins')
      expect(await auditor.call('RolloutService/RefuseChange', { id: request.id })).toMatchObject({
        code: 'permission_denied',
      })
      expect(await bob.call('RolloutService/RefuseChange', { id: request.id })).toMatchObject(OK)
      expect(await open(bob)).toBe(null)
      expect(await bob.call('RolloutService/RefuseChange', { id: request.id })).toMatchObject({
        code: 'not_found',
      })
      expect((await actions())[0]).toMatchObject({ action: 'change.refuse', actor: 'bob@example.com' })
      // The first one has to ask again: what was refused is not confirmed by the second.
      expect(await bob.call(request.method, JSON.parse(request.callJson))).toMatchObject(WAITS)
      expect(await ada.call(request.method, JSON.parse((await open(ada)).callJson))).toMatchObject(OK)
    })

    it('takes no confirmation after a day, and none for somebody who has left', async () => {
      await publishBoth('one')
      expect(await bob.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      server.ahead += DAY
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      expect(await bob.call('RolloutService/RollBack', { to: 1 })).toMatchObject(OK)
      expect(await bob.call('RolloutService/RollBack', { to: 2 })).toMatchObject(WAITS)
      const { body } = await ada.call('PeopleService/ListMembers')
      const { userId } = body.members.find(({ email }: { email: string }) => email === 'bob@example.com')
      expect(await ada.call('PeopleService/RemoveMember', { userId })).toMatchObject(OK)
      expect(await ada.call('RolloutService/RollBack', { to: 2 })).toMatchObject({
        code: 'permission_denied',
      })
    })

    it('counts a token as the member who created it', async () => {
      await publishBoth('one')
      const token = await server.token(ada, { role: 'admin', days: 30 })
      const bearer = { authorization: `Bearer ${token}` }
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      expect(await server.call('RolloutService/RollBack', { to: 1 }, bearer)).toMatchObject(WAITS)
      expect(await bob.call('RolloutService/RollBack', { to: 1 })).toMatchObject(OK)
    })

    it('lists what waits, once for each change, and names both people afterwards', async () => {
      await publishBoth('one')
      for (const note of ['a', 'b']) await ada.call('RolloutService/RollBack', { to: 1, note })
      expect((await settings()).requests).toMatchObject([
        {
          method: 'RolloutService/RollBack',
          subject: 'release 1',
          by: 'olga@example.com',
          wishJson: '{"to":1}',
        },
      ])
      await bob.call('RolloutService/RollBack', { to: 1 })
      expect((await settings()).requests ?? []).toEqual([])
      const [done, asked] = await actions()
      expect(done).toMatchObject({
        action: 'release.roll-back',
        actor: 'bob@example.com',
        detail: { requested_by: 'olga@example.com' },
      })
      expect(asked).toMatchObject({
        action: 'change.request',
        actor: 'olga@example.com',
        detail: { method: 'RolloutService/RollBack', wish: { to: 1 } },
      })
    })

    it('records no request that could not be carried out', async () => {
      expect(await ada.call('RolloutService/RollBack', { to: 9 })).toMatchObject({ code: 'not_found' })
      expect(await ada.call('RolloutService/SetKillSwitch', { on: true })).toMatchObject({
        code: 'invalid_argument',
      })
      expect((await settings()).requests ?? []).toEqual([])
    })

    it('makes a change once when both confirm at the same moment', async () => {
      await publishBoth('one')
      expect(await ada.call('RolloutService/RollBack', { to: 1 })).toMatchObject(WAITS)
      const answers = await Promise.all([1, 2, 3].map(() => bob.call('RolloutService/RollBack', { to: 1 })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const { body } = await ada.call('RolloutService/ListReleases')
      expect(body.releases).toHaveLength(2)
    })
  })

  it('is off unless somebody switches it on, which one admin may do', async () => {
    const one = await draft(ada, 'one')
    expect(await publish(ada, [one])).toMatchObject(OK)
    expect(await setFourEyes(bob, true)).toMatchObject(OK)
  })

  it('covers every method of the service that changes what devices run', () => {
    // Sign and Advance continue what two people decided; Halt stops a rollout, and asks for two when it is complete.
    // A refusal changes nothing.
    const alone = ['RefuseChange', 'Sign', 'Advance', 'Halt']
    const covered = ['Publish', 'RollBack', 'Resume', 'SetKillSwitch', 'SetRolloutSettings', 'Pin', 'Unpin']
    const reads = ['ListReleases', 'GetRelease', 'GetRolloutSettings', 'ListPins']
    expect(RolloutService.methods.map(({ name }) => name).sort()).toEqual(
      [...alone, ...covered, ...reads].sort(),
    )
  })
})
