// Actions of members on the server: sentences with names, however many there are, and the hash chain that proves
// them.

import { AuditService, DevicesService, HooksService, PeopleService, RolloutService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { append } from '../../packages/server/src/audit/chain.js'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, openWindow, picture } from './browser.js'
import { draft, enrol, publish, type TestDevice } from './fleet.js'
import { type Person, startTeam, type TestTeam } from './team.js'

/** A database id, complete or long enough to be taken for one. */
const ID = /[0-9a-f]{10}/

describe.skipIf(!hasChromium())('what people did', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
    await team.owner.as(DevicesService).createEnrolmentKey({ note: 'for the fleet', maxUses: 3, hours: 2 })
    await enrol(team, 'ada-laptop')
  })
  afterAll(() => team?.stop())

  it('lists the newest first with the state of its chain; machines are hidden and counted', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit/admin`)
    const { verifiedTo, headHash } = await team.owner.as(AuditService).verifyChain({})
    const chain = page.getByRole('region', { name: 'Chain of actions' })
    await chain.getByText(`Verified to action ${verifiedTo}`).waitFor()
    expect(await chain.locator('code').first().getAttribute('title')).toBe(headHash)
    const grid = page.getByRole('grid', { name: 'Admin actions' })
    await grid.getByText('made the enrolment key').first().waitFor()
    expect(await grid.getByText('created the team').count()).toBe(0)
    const machines = page.getByRole('checkbox', { name: /Show actions of the server and devices: \d+/ })
    await machines.check()
    await grid.getByText('created the team').waitFor()
    await chain.getByRole('button', { name: 'Verify on your machine' }).click()
    await chain.getByText(/holdfast audit verify --server/).waitFor()
    await picture(page, 'team-admin')
    await page.keyboard.press('/')
    await page.keyboard.type('enrolment')
    await expect.poll(() => grid.getByText('created the team').count()).toBe(0)
    await grid.getByText('made the enrolment key').last().click()
    const panel = page.getByRole('complementary', { name: 'Action' })
    await panel.getByText('for the fleet').first().waitFor()
    await examine(page, 'an action')
    await close()
  })

  itInAll('shows where the hash chain is broken, also when it breaks while the page is open', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit/admin`)
    const chain = page.getByRole('region', { name: 'Chain of actions' })
    await chain.getByText(/Verified to action/).waitFor()
    const { db } = team.server.team.store
    await db.updateTable('admin_actions').set({ actor: 'somebody@else' }).where('seq', '=', 2).execute()
    await chain.getByRole('button', { name: 'Verify now' }).click()
    await chain.getByText(/The chain is altered after action 1/).waitFor()
    await examineInBoth(page, 'a broken chain')
    await close()
  })
})

describe.skipIf(!hasChromium())('what people did, by name', () => {
  let team: TestTeam
  let ada: Person
  let laptop: TestDevice
  beforeAll(async () => {
    team = await startTeam('Harbour works')
    ada = await team.member('admin', 'Ada')
    laptop = await enrol(team, 'ada-laptop')
    const hostile = await enrol(team, 'hostile')
    const devices = ada.as(DevicesService)
    const rollout = ada.as(RolloutService)
    await devices.setDeviceGroup({ id: laptop.id, group: 'desks' })
    const guard = await draft(ada, 'guard-push')
    const { number } = await publish(ada, guard)
    await rollout.advance({ number, fromRing: 0 })
    await rollout.halt({ number, reason: 'asks too often' })
    await rollout.resume({ number })
    const until = new Date(Date.now() + 86_400_000).toISOString()
    await rollout.pin({
      whom: { case: 'deviceId', value: laptop.id },
      release: number,
      until,
      reason: 'a demo',
    })
    await rollout.unpin({ deviceId: laptop.id })
    await ada.as(PeopleService).inviteMember({ email: 'bo@example.com', role: 'author' })
    await ada.as(HooksService).discardDraft({ id: (await draft(ada, 'lint')).id })
    await devices.revokeDevice({ id: laptop.id, reason: 'sold' })
    await hostile.report(0, {
      facts: {
        name: 'turned \u202e<b>around',
        operatingSystem: 'Linux',
        osVersion: '6',
        clientVersion: '0.1.0',
      },
    })
    await devices.revokeDevice({ id: hostile.id })
  })
  afterAll(() => team?.stop())
  const open = (more: object = {}) => openWindow({ cookies: team.owner.cookies, ...more })
  const rowsOf = (page: Awaited<ReturnType<typeof open>>['page']) =>
    page.getByRole('grid', { name: 'Admin actions' }).locator('[aria-rowindex]:not([aria-rowindex="1"])')

  itInAll('shows each action as a sentence, with ids only after names', async () => {
    const { page, close } = await open()
    await page.goto(`${team.url}/audit/admin?machines=shown`)
    const rows = rowsOf(page)
    await rows.first().waitFor()
    const texts = (await rows.allTextContents()).map(text => text.replace(/^\d+[\d:.]+/, ''))
    for (const sentence of [
      /^The server created the team Harbour works$/,
      /^Ada ada@example\.compublished revision 1 of guard-push to the ring canary, as release 1$/,
      /^Ada ada@example\.comtook release 1 on to the ring early$/,
      /halted release 1 in the ring early: asks too often$/,
      /moved the device ada-laptop to the group desks$/,
      /pinned the device ada-laptop to release 1 until .*: a demo$/,
      /unpinned the device ada-laptop from release 1$/,
      /invited bo@example\.com as an author$/,
      /discarded the draft of the hook lint$/,
      /revoked the device ada-laptop: sold$/,
      /^ada-laptop deviceenrolled with the enrolment key ada-laptop$/,
      /revoked the device turned \\u202e<b>around$/,
    ]) {
      expect(
        texts.some(text => sentence.test(text)),
        `${sentence} in\n${texts.join('\n')}`,
      ).toBe(true)
    }
    expect(texts.filter(text => ID.test(text))).toEqual([])
    const named = rows.filter({ hasText: 'to the group desks' }).locator('strong').first()
    expect(await named.getAttribute('title')).toBe(laptop.id)
    await picture(page, 'team-admin-names')
    await rows.filter({ hasText: 'to the group desks' }).click()
    const panel = page.getByRole('complementary', { name: 'Action' })
    await panel.getByText(laptop.id).first().waitFor()
    await panel.getByText('moved the device').waitFor()
    await picture(page, 'team-admin-action')
    await page.keyboard.press(']')
    await panel.getByText('moved the device').waitFor({ state: 'hidden' })
    await close()
  })

  itInAll(
    'finds actions by the names shown, and opens an action that is not listed by its link',
    async () => {
      const { page, close } = await open()
      await page.goto(`${team.url}/audit/admin?q=guard-push`)
      const rows = rowsOf(page)
      await rows.filter({ hasText: 'published revision 1 of guard-push' }).waitFor()
      expect(await rows.count()).toBe(2)
      await page.goto(`${team.url}/audit/admin?q=guard-push&action=1`)
      const panel = page.getByRole('complementary', { name: 'Action' })
      await panel.getByText('created the team').waitFor()
      await page.goto(`${team.url}/audit/admin?action=99999`)
      await panel.getByText('There is no action with this number.').waitFor()
      await page.goto(`${team.url}/audit/admin?action=nonsense`)
      await panel.getByText('There is no action with this number.').waitFor()
      await close()
    },
  )

  itInAll('announces new actions above the list without moving rows', async () => {
    const { page, close } = await open()
    await page.goto(`${team.url}/audit/admin`)
    const rows = rowsOf(page)
    const first = (await rows.first().textContent())!
    await ada.as(PeopleService).inviteMember({ email: 'cy@example.com', role: 'auditor' })
    await page.getByText('1 new action.').waitFor()
    expect(await rows.first().textContent()).toBe(first)
    await examine(page, 'with a new action')
    await page.getByRole('button', { name: 'Show them' }).click()
    await expect.poll(() => rows.first().textContent()).toContain('invited cy@example.com as an auditor')
    await close()
  })

  itInAll('keeps few of thousands of actions in memory and loads evicted ones again', async () => {
    await team.server.team.store.write(async tx => {
      for (let index = 0; index < 4200; index++) {
        const action = { action: 'hook.draft', subject: 'hook 1', detail: { name: `no. ${index}` } } as const
        await append(tx, 'server', Date.now(), action)
      }
    })
    const { page, close } = await open()
    let reads = 0
    page.on('request', request => {
      if (request.url().includes('ListAdminActions')) reads++
    })
    await page.goto(`${team.url}/audit/admin?machines=shown`)
    const rows = rowsOf(page)
    await rows.first().waitFor()
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End')
          return rows.filter({ hasText: 'created the team Harbour works' }).count()
        },
        { timeout: 60_000, interval: 50 },
      )
      .toBe(1)
    const before = reads
    expect(before).toBeGreaterThan(20)
    await page.keyboard.press('Home')
    await rows.filter({ hasText: 'no. 4199' }).waitFor()
    // The page evicted the second part.
    for (let index = 0; index < 150; index++) await page.keyboard.press('j')
    await rows.filter({ hasText: 'no. 4049' }).waitFor()
    expect(reads).toBeGreaterThan(before)
    await close()
  })
})
