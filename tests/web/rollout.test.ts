// The page of a release in progress: rings, halts, roll back, pins, settings, and the kill switch.

import { generateKeys, type Release, RolloutService, signPayload } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRolloutMonitor } from '../../packages/server/src/rollout/monitor.js'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, openWindow, picture, weigh } from './browser.js'
import { ALLOW_ALL, canariesOf, draft, enrol, publish, type TestDevice } from './fleet.js'
import { justNow } from './sent.js'
import { type Person, startTeam, type TestTeam } from './team.js'

const REFUSED = [/status of [45]\d\d/, /ERR_FAILED/]
/** Pictures at three widths in two themes take their time. */
const LONG = { timeout: 240_000 }

describe.skipIf(!hasChromium())('the rollout', () => {
  let team: TestTeam
  let auditor: Person
  let author: Person
  const devices: TestDevice[] = []
  beforeAll(async () => {
    team = await startTeam()
    auditor = await team.member('auditor', 'Vera')
    author = await team.member('author', 'Ada')
    for (let index = 1; index <= 20; index++) {
      const name = `laptop ${String(index).padStart(2, '0')}`
      devices.push(await enrol(team, name, { group: index % 2 ? 'odd' : 'even' }))
    }
  }, 120_000)
  afterAll(() => team.stop())
  const open = (person: Person, more: object = {}) => openWindow({ cookies: person.cookies, ...more })
  const rollout = () => team.owner.as(RolloutService)
  const at = async (number: number): Promise<Release> => (await rollout().getRelease({ number })).release!

  let made = 0
  /** A release of its own for each test. */
  const released = async (more: { note?: string; skipRings?: boolean } = {}): Promise<Release> =>
    publish(team.owner, await draft(team.owner, `Guard ${++made}`), more)

  itInAll('explains releases while there is none', LONG, async () => {
    const other = await startTeam('Empty')
    const { page, close } = await openWindow({ cookies: other.owner.cookies })
    await page.goto(`${other.url}/rollout`)
    await page.getByRole('heading', { name: 'No releases yet' }).waitFor()
    await picture(page, 'team-rollout-empty')
    await page.getByRole('link', { name: 'All releases' }).click()
    await page.getByText('A release is made when somebody publishes a draft.').waitFor()
    await close()
    await other.stop()
  })

  it(
    'shows the rings with devices, gates and limits, and updates as devices take the release',
    LONG,
    async () => {
      const { number } = await released({ note: 'The first guard' })
      const { page, close } = await open(team.owner)
      await page.goto(`${team.url}/rollout`)
      await page.getByRole('heading', { name: `Release ${number}` }).waitFor()
      const rings = page.getByRole('list', { name: 'Rings' }).getByRole('listitem')
      await expect.poll(() => rings.count()).toBe(3)
      expect(await rings.nth(0).textContent()).toMatch(
        /canary in progress.*0 of 1 device.*Advances in .*, 0 of 20 runs/,
      )
      expect(await rings.nth(1).textContent()).toMatch(
        /early not reached.*4 devices.*Advances after 1 h and 20 runs/,
      )
      expect(await rings.nth(2).textContent()).toMatch(/all not reached.*15 devices/)
      await page.getByText('Halts above 5 % failed runs on at least 1 device; now 0 % on 0.').waitFor()
      for (const device of devices) await device.report(number)
      await expect.poll(() => rings.nth(0).textContent(), { timeout: 20_000 }).toContain('1 of 1 device')
      await picture(page, 'team-rollout')
      await close()
    },
  )

  itInAll('advances one ring for repeated clicks, and only to the ring that was shown', LONG, async () => {
    const { number } = await released()
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout/${number}`)
    const opener = page.getByRole('button', { name: 'Advance to ring early, 4 devices' })
    await opener.click()
    const dialog = page.getByRole('dialog', { name: `Advance release ${number} to ring early?` })
    await dialog.waitFor()
    await examine(page, 'advancing')
    await page.keyboard.press('Escape')
    await expect.poll(() => opener.evaluate(node => node === document.activeElement)).toBe(true)
    await opener.click()
    await dialog.getByRole('button', { name: 'Advance to ring early, 4 devices' }).dblclick()
    await page.getByRole('button', { name: 'Advance to ring all, 15 devices' }).waitFor()
    expect(await at(number)).toMatchObject({ ring: 1, state: 'rolling' })
    await expect(rollout().advance({ number, fromRing: 0 })).rejects.toThrow(/has left that ring already/)
    await close()
  })

  itInAll('is halted with a reason that everybody sees, and resumed by a role that may', LONG, async () => {
    const { number } = await released()
    const { page, close } = await open(author)
    await page.goto(`${team.url}/rollout`)
    await page.getByRole('button', { name: 'Halt', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Halt release ${number}?` })
    const halt = dialog.getByRole('button', { name: `Halt release ${number}` })
    expect(await halt.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel('Reason').fill('It asks about every command')
    await halt.click()
    await page.getByRole('alert').getByText('It asks about every command').waitFor()
    await picture(page, 'team-rollout-halted')
    expect(await at(number)).toMatchObject({
      state: 'halted',
      haltedBecause: 'It asks about every command',
    })
    expect(await page.getByRole('button', { name: 'Resume' }).getAttribute('title')).toContain('author')
    await close()
    const other = await open(team.owner)
    await other.page.goto(`${team.url}/rollout/${number}`)
    await other.page.getByRole('button', { name: 'Resume' }).click()
    await other.page.getByRole('button', { name: `Resume release ${number}` }).click()
    await other.page.getByRole('button', { name: 'Halt', exact: true }).waitFor()
    expect(await at(number)).toMatchObject({ state: 'rolling', haltedBecause: '' })
    await other.close()
  })

  const failing = { outcome: 'failed', failed_open: true, permission: null, response: null }
  /** The one device of the first ring. */
  itInAll('shows how close the reported failures are to the limits', LONG, async () => {
    const { number } = await released()
    const run = (index: number) => ({
      release: number,
      revision: 1,
      hook_id: 1,
      ...(index < 3 ? failing : {}),
    })
    const canary = (await canariesOf(team, number, devices))[0]!
    await canary.send(justNow(Array.from({ length: 12 }, (_, index) => run(index))))
    // Devices that it has not reached do not count.
    const other = devices.find(device => device !== canary)!
    await other.send(justNow(Array.from({ length: 40 }, () => ({ ...run(0) }))))
    await expect
      .poll(async () => (await at(number)).evidence, { timeout: 60_000 })
      .toMatchObject({ runs: 12, failingDevices: 1 })
    const { evidence } = await at(number)
    expect(evidence!.failureRate).toBeGreaterThan(0.01)
    const { page, close } = await open(auditor)
    await page.goto(`${team.url}/rollout/${number}`)
    await page.getByText(`now ${Number((evidence!.failureRate * 100).toFixed(1))} % on 1.`).waitFor()
    await close()
  })

  itInAll('names the devices that caused a halt', LONG, async () => {
    const { number } = await released()
    const canary = (await canariesOf(team, number, devices))[0]!
    const run = { release: number, revision: 1, hook_id: 1, ...failing }
    await canary.send(justNow(Array.from({ length: 6 }, () => run)))
    const monitor = startRolloutMonitor(team.server.team)
    await monitor.look()
    monitor.stop()
    const { page, close } = await open(auditor)
    await page.goto(`${team.url}/rollout/${number}`)
    const alert = page.getByRole('alert')
    await alert.getByText('On 1 device every one of the first 5 runs failed').waitFor()
    const caused = alert.getByRole('list', { name: 'Devices that caused it' })
    expect(await caused.textContent()).toBe(`${canary.name} 6 of 6 runs failed, 0 denied`)
    await picture(page, 'team-rollout-halted-by-devices')
    await caused.getByRole('link', { name: canary.name }).click()
    await page.waitForURL(`${team.url}/devices?device=${canary.id}`)
    await close()
  })

  itInAll('lists what each release changed, and rolls back with a new release', LONG, async () => {
    const first = await released({ skipRings: true, note: 'To come back to' })
    const { hookId, name } = first.hooks.find(({ change }) => change === 'added')!
    const again = await draft(team.owner, name, { scriptContent: ALLOW_ALL }, hookId)
    await publish(team.owner, again, { note: 'Lets all through', skipRings: true })
    const last = await released({ skipRings: true, note: 'One more' })
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout?tab=releases`)
    const list = page.getByRole('list', { name: 'Releases' }).getByRole('listitem')
    await list.first().waitFor()
    expect(await list.nth(0).textContent()).toMatch(/in all rings.*One more.*added Guard/)
    expect(await list.nth(1).textContent()).toMatch(/replaced.*Lets all through.*changed Guard/)
    await picture(page, 'team-rollout-releases')
    await list
      .filter({ hasText: 'To come back to' })
      .getByRole('button', { name: 'Roll back to this' })
      .click()
    const dialog = page.getByRole('dialog', { name: `Roll back to release ${first.number}` })
    await dialog.getByText('revision 2 → 1').waitFor()
    await dialog.getByText('removed', { exact: true }).waitFor()
    await picture(page, 'team-rollout-back')
    await dialog.getByRole('button', { name: `Roll back to release ${first.number}, 20 devices` }).dblclick()
    await page.waitForURL(`${team.url}/rollout/${last.number + 1}`)
    await page.getByText('with the hooks of').waitFor()
    expect(await at(last.number + 1)).toMatchObject({ rollsBackTo: first.number, state: 'done' })
    await expect(rollout().getRelease({ number: last.number + 2 })).rejects.toThrow(/There is no release/)
    await close()
  })

  itInAll('pins a device or a group until a date, and removes the pin', LONG, async () => {
    const { number } = await released({ skipRings: true })
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout?tab=pins`)
    await page.getByRole('heading', { name: 'No pins' }).waitFor()
    await page.getByRole('button', { name: 'Pin a device or a group' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pin a device or a group' })
    await dialog.getByLabel('Device', { exact: true }).fill('laptop 03')
    await dialog.getByLabel('Release').selectOption(String(number))
    await dialog.getByLabel('Reason').fill('A demonstration')
    await examine(page, 'pinning')
    await dialog.getByRole('button', { name: `Pin to release ${number}` }).click()
    await dialog.waitFor({ state: 'hidden' })
    const table = page.getByRole('table', { name: 'Pins' })
    await table.waitFor()
    expect(await table.getByRole('row').nth(1).textContent()).toMatch(/laptop 03.*A demonstration/)
    await page.getByRole('button', { name: 'Pin a device or a group' }).click()
    await dialog.getByLabel('All devices of a group').check()
    await dialog.getByLabel('Group', { exact: true }).fill('odd')
    await dialog.getByRole('button', { name: /^Pin to release/ }).click()
    await dialog.waitFor({ state: 'hidden' })
    await table.getByText('group odd').waitFor()
    await picture(page, 'team-rollout-pins')
    await table
      .getByRole('row', { name: /group odd/ })
      .getByRole('button', { name: 'Unpin' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unpin' }).click()
    await table.getByText('group odd').waitFor({ state: 'hidden' })
    expect((await rollout().listPins({})).pins).toMatchObject([{ deviceId: devices[2]!.id, release: number }])
    await close()
  })

  itInAll('validates settings while typing, explains them in a sentence, and saves them', LONG, async () => {
    const { settings: before } = await rollout().getRolloutSettings({})
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout?tab=settings`)
    await page.getByText('A release goes to canary (the first 5 %), then early').waitFor()
    await picture(page, 'team-rollout-settings')
    const save = page.getByRole('button', { name: 'Save rings and limits' })
    const shares = page.getByLabel('Reaches up to, %')
    await shares.nth(1).fill('3')
    await page.getByText('Its share must be above 5 % and at most 100 %.').waitFor()
    expect(await save.getAttribute('aria-disabled')).toBe('true')
    await examine(page, 'settings that are wrong')
    await shares.nth(1).fill('50')
    await page.getByLabel('Minutes in each ring').fill('0')
    await page.getByLabel('Halt above failed runs, %').fill('2')
    await page.getByText('advances by hand. The server halts it above 2 % failed').waitFor()
    await save.click()
    await page.getByText('Saved. The next release uses these settings.').waitFor()
    const { settings } = await rollout().getRolloutSettings({})
    expect(settings).toMatchObject({ soakMinutes: 0, failureLimit: 0.02 })
    expect(settings!.rings[1]).toMatchObject({ name: 'early', share: 0.5 })
    await close()
    await rollout().setRolloutSettings({ settings: before! })
  })

  it(
    'the kill switch needs a reason and the name of the team, then shows a banner on every page',
    LONG,
    async () => {
      await released()
      const { page, close } = await open(team.owner)
      await page.goto(`${team.url}/rollout`)
      await page.getByRole('button', { name: 'Switch it on…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Switch off all hooks of the team?' })
      await dialog.getByText('20 devices').first().waitFor()
      await dialog.getByText('Connected devices follow within a minute').waitFor()
      const kill = dialog.getByRole('button', { name: 'Switch off all hooks on 20 devices' })
      await dialog.getByLabel('Reason').fill('The guard blocks the incident')
      await dialog.getByLabel(/^Type/).fill('harbour')
      expect(await kill.getAttribute('aria-disabled')).toBe('true')
      await picture(page, 'team-rollout-kill')
      await dialog.getByLabel(/^Type/).fill('Harbour works')
      await kill.click()
      await page.getByText('The kill switch is on.').waitFor()
      expect(await rollout().getRolloutSettings({})).toMatchObject({ killed: true })
      await page.goto(`${team.url}/hooks`)
      await page.getByText('The guard blocks the incident').waitFor()
      await picture(page, 'team-killed')
      await page.getByRole('link', { name: 'Open Rollout' }).click()
      await page.getByRole('button', { name: 'Switch it off…' }).click()
      await page.getByRole('button', { name: 'Restore the hooks on 20 devices' }).click()
      await page.getByText('The kill switch is on.').waitFor({ state: 'hidden' })
      expect(await rollout().getRolloutSettings({})).toMatchObject({ killed: false })
      await close()
    },
  )

  it('with four-eyes, one admin switches the hooks off in an emergency, and not on again', LONG, async () => {
    await released()
    const { store, hub } = team.server.team
    const { rollout: before } = await store.db.selectFrom('team').select('rollout').executeTakeFirstOrThrow()
    const { settings } = await rollout().getRolloutSettings({})
    await rollout().setRolloutSettings({ settings: { ...settings!, fourEyes: true } })
    const { page, close } = await open(team.owner, { tolerate: REFUSED })
    await page.goto(`${team.url}/rollout`)
    await page.getByRole('button', { name: 'Switch it on…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Switch off all hooks of the team?' })
    await dialog.getByLabel('Reason').fill('Every call hangs')
    await dialog.getByLabel(/^Type/).fill('Harbour works')
    const kill = dialog.getByRole('button', { name: 'Switch off all hooks on 20 devices' })
    await kill.click()
    await dialog.getByText('needs a second admin').waitFor()
    expect(await rollout().getRolloutSettings({})).toMatchObject({ killed: false })
    await dialog.getByLabel(/^Emergency/).check()
    await examine(page, 'an emergency')
    await kill.click()
    await page.getByText('The kill switch is on.').waitFor()
    await page.getByRole('button', { name: 'Switch it off…' }).click()
    await page.getByRole('button', { name: 'Restore the hooks on 20 devices' }).click()
    await page.getByText('needs a second admin').waitFor()
    await page.goto(team.url)
    await page.getByText('switched off all hooks without a second admin').waitFor()
    await page.getByText('requests a second admin').first().waitFor()
    await close()
    await store.db.updateTable('team').set({ rollout: before, killed: 0 }).execute()
    await store.db.deleteFrom('change_requests').execute()
    hub.changed('releases')
  })

  it('a second admin sees the requested values, and approves or refuses them', LONG, async () => {
    const { number } = await released()
    const { store, hub } = team.server.team
    const { rollout: before } = await store.db.selectFrom('team').select('rollout').executeTakeFirstOrThrow()
    const bob = await team.member('admin', 'Bob')
    // As a day later: the two are independent.
    await store.db.deleteFrom('vouches').execute()
    const { settings } = await rollout().getRolloutSettings({})
    await rollout().setRolloutSettings({ settings: { ...settings!, fourEyes: true } })
    const wished = { settings: { ...settings!, fourEyes: false, soakMinutes: 7 } }
    await expect(rollout().setRolloutSettings(wished)).rejects.toThrow('needs a second admin')
    await expect(rollout().setKillSwitch({ on: true, reason: 'Every call hangs' })).rejects.toThrow('second')
    await expect(
      rollout().pin({ whom: { case: 'group', value: 'desks' }, release: number }),
    ).rejects.toThrow()
    const own = await open(team.owner)
    await own.page.goto(`${team.url}/rollout`)
    const mine = own.page.getByRole('region', { name: 'Waiting for a second admin' })
    const because = await mine.getByRole('button', { name: 'Approve' }).first().getAttribute('title')
    expect(because).toContain('Another admin must confirm it')
    await own.close()
    const { page, close } = await open(bob)
    await page.goto(team.url)
    await page.getByText('requests a second admin').first().click()
    const waiting = page.getByRole('region', { name: 'Waiting for a second admin' })
    const asked = (text: string) => waiting.getByRole('listitem').filter({ hasText: text })
    await asked('SetRolloutSettings').getByText('yes → no').waitFor()
    await asked('SetRolloutSettings').getByText(/→ 7$/).waitFor()
    await asked('SetKillSwitch').getByText('Every call hangs').waitFor()
    await examine(page, 'requests')
    await picture(page, 'team-requests')
    await asked('SetKillSwitch').getByRole('button', { name: 'Refuse' }).click()
    await asked('SetKillSwitch').waitFor({ state: 'detached' })
    expect(await rollout().getRolloutSettings({})).toMatchObject({ killed: false })
    await asked('SetRolloutSettings').getByRole('button', { name: 'Approve' }).click()
    await asked('SetRolloutSettings').waitFor({ state: 'detached' })
    const { settings: now } = await rollout().getRolloutSettings({})
    expect(now).toMatchObject({ fourEyes: false, soakMinutes: 7 })
    await close()
    await store.db.updateTable('team').set({ rollout: before }).execute()
    await store.db.deleteFrom('change_requests').execute()
    hub.changed('releases')
  })

  itInAll('an auditor sees everything and can change nothing: by button, palette or API', LONG, async () => {
    const { number } = await released()
    const { page, close } = await open(auditor)
    const sent: string[] = []
    const writes =
      /RolloutService\/(Halt|Advance|Resume|RollBack|SetKillSwitch|SetRolloutSettings|Pin|Unpin)$/
    page.on('request', request => {
      if (writes.test(request.url())) sent.push(request.url())
    })
    await page.goto(`${team.url}/rollout`)
    for (const name of ['Halt', 'Advance to ring early, 4 devices', 'Switch it on…']) {
      const button = page.getByRole('button', { name, exact: true })
      expect(await button.getAttribute('title')).toContain('auditor')
      await button.click({ force: true })
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor()
    await page.keyboard.type('halt')
    await page.getByRole('option', { name: 'Records that contain' }).waitFor()
    expect(await page.getByRole('option', { name: /command$/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Rings and limits' }).click()
    await page.getByLabel('Minutes in each ring').waitFor()
    expect(await page.getByLabel('Minutes in each ring').isDisabled()).toBe(true)
    expect(sent).toEqual([])
    const calls = auditor.as(RolloutService)
    for (const call of [
      () => calls.halt({ number, reason: 'x' }),
      () => calls.advance({ number }),
      () => calls.setKillSwitch({ on: true, reason: 'x' }),
      () => calls.rollBack({ to: 1 }),
      () => calls.unpin({ group: 'odd' }),
    ])
      await expect(call()).rejects.toThrow(/permission_denied/)
    await close()
  })

  itInAll('reports unknown releases and a failing server', LONG, async () => {
    await released()
    const { page, close } = await open(auditor, { tolerate: REFUSED })
    await page.goto(`${team.url}/rollout/999`)
    await page.getByText('There is no release 999.').waitFor()
    await page.goto(`${team.url}/rollout/nonsense`)
    await page.getByRole('heading', { name: 'This release does not exist' }).waitFor()
    const broken = /RolloutService\/ListReleases/
    await page.route(broken, route => route.abort())
    await page.goto(`${team.url}/rollout?tab=releases`)
    await page.getByRole('heading', { name: 'Loading failed' }).waitFor({ timeout: 30_000 })
    await examineInBoth(page, 'a page that did not load')
    await page.unroute(broken)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('list', { name: 'Releases' }).waitFor()
    await close()
  })

  itInAll('loads little first', LONG, async () => {
    const { hooks } = await released()
    const { hookId } = hooks.find(({ change }) => change === 'added')!
    for (const path of ['/hooks', '/rollout', '/hooks/new', `/hooks/${hookId}/rev/1`]) {
      const { page, close } = await open(team.owner)
      const { kb, files } = await weigh(page, `${team.url}${path}`)
      if (process.env.SHOW_WEIGHT) process.stdout.write(`${path} ${kb.toFixed(1)} KB\n${files.join('\n')}\n`)
      // The editor comes first on pages that have one.
      if (!path.startsWith('/hooks/')) expect(kb, files.join('\n')).toBeLessThan(200)
      await close()
    }
  })
})

describe.skipIf(!hasChromium())('a release key that is kept elsewhere', () => {
  itInAll('shows what must be signed and the command, and continues after the signature', LONG, async () => {
    const { publicKey, privateKey } = generateKeys()
    const team = await startTeam('Harbour works', { releaseKey: publicKey })
    try {
      const hook = await draft(team.owner, 'Guard')
      const { page, close } = await openWindow({ cookies: team.owner.cookies })
      await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=test`)
      await page.getByRole('button', { name: 'Run on 1 sample' }).click()
      await page.getByText('This draft can be published').waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: 'Publish', exact: true }).click()
      await page.getByRole('button', { name: 'Create a release with revision 1, to be signed' }).click()
      await page.waitForURL(`${team.url}/rollout/1`)
      await page.getByText(`holdfast keys sign --server ${team.url} --release 1 --key release.key`).waitFor()
      await picture(page, 'team-rollout-unsigned')
      const second = await draft(team.owner, 'Second')
      await page.goto(`${team.url}/hooks/${second.id}/rev/draft?tab=publish`)
      await page.getByText('Release 1 awaits its signature. Sign or halt it first.').waitFor()
      await page.goto(`${team.url}/rollout`)
      await page.getByRole('heading', { name: 'Not signed', exact: true }).waitFor()
      const calls = team.owner.as(RolloutService)
      const { seal } = await calls.getRelease({ number: 1 })
      await calls.sign({ number: 1, signature: signPayload('release', seal!.payload, privateKey) })
      await page.getByText('rolling out').waitFor({ timeout: 20_000 })
      await close()
    } finally {
      await team.stop()
    }
  })
})
