// Devices and their enrolment: states in words, groups, pins, revoking; by code and by key.

import { DeviceService, DevicesService, RolloutService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { callerOf } from '../team/server.js'
import { examine, examineInBoth, hasChromium, openWindow, picture } from './browser.js'
import { enrol, publishHook, type TestDevice } from './fleet.js'
import { startTeam, type TestTeam } from './team.js'

const DAY = 86_400_000

describe.skipIf(!hasChromium())('devices', () => {
  let ahead = 0
  let team: TestTeam
  let laptop: TestDevice
  beforeAll(async () => {
    team = await startTeam('Harbour works', { now: () => Date.now() + ahead })
    ahead = -5 * DAY
    await enrol(team, 'forgotten', { system: 'Windows' })
    await team.server.people.flush()
    ahead = 0
    laptop = await enrol(team, 'ada-laptop', { system: 'Macintosh' })
    const late = await enrol(team, 'build-7', { group: 'build' })
    const { hookId } = await publishHook(team)
    await publishHook(team, 'No pushes', { id: hookId })
    await publishHook(team, 'No pushes', { id: hookId })
    await laptop.report(3, { queued: 4 })
    await late.report(1, {
      problems: [
        { code: 'release.signature', message: 'A signature was not valid.', at: new Date().toISOString() },
      ],
    })
  })
  afterAll(() => team?.stop())

  itInAll('shows the state of each device in words, and keeps filters in the address', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/devices`)
    const grid = page.getByRole('grid', { name: 'Devices' })
    await grid
      .getByRole('row', { name: /ada-laptop/ })
      .getByText('in sync')
      .waitFor()
    await grid
      .getByRole('row', { name: /build-7/ })
      .getByText('needs attention')
      .waitFor()
    await grid
      .getByRole('row', { name: /build-7/ })
      .getByText('1 problem')
      .waitFor()
    await grid
      .getByRole('row', { name: /forgotten/ })
      .getByText('silent 5 d')
      .waitFor()
    await picture(page, 'team-devices')
    await page
      .getByRole('group', { name: 'State' })
      .getByRole('button', { name: /attention/ })
      .click()
    await expect.poll(() => grid.getByRole('row').count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('state')).toBe('attention')
    await page.reload()
    await grid.getByRole('row', { name: /build-7/ }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await grid.getByRole('row', { name: /forgotten/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('nobody is called this')
    await page.getByRole('heading', { name: 'No devices match' }).waitFor()
    await examineInBoth(page, 'no devices match')
    await page.getByRole('main').getByRole('button', { name: 'Clear the filters' }).last().click()
    await page.getByLabel('Group').selectOption('build')
    await expect.poll(() => grid.getByRole('row').count()).toBe(2)
    await close()
  })

  itInAll(
    'one opens beside the list; its group is set, it is pinned and let go, and revoked in the end',
    async () => {
      const other = await enrol(team, 'to-be-revoked')
      const { page, close } = await openWindow({ cookies: team.owner.cookies })
      await page.goto(`${team.url}/devices`)
      await page.getByRole('row', { name: /to-be-revoked/ }).click()
      const panel = page.getByRole('complementary', { name: 'Device' })
      await panel.getByLabel('Group').fill('spare')
      await panel.getByRole('button', { name: 'Set the group' }).click()
      await panel.getByText('Saved.').waitFor()
      const devices = team.owner.as(DevicesService)
      expect((await devices.getDevice({ id: other.id })).device!.group).toBe('spare')

      await panel.getByRole('button', { name: 'Pin to a release' }).click()
      const pin = page.getByRole('dialog', { name: 'Pin a device or a group' })
      await pin.getByLabel('Release').selectOption('2')
      await examine(page, 'pinning')
      await pin.getByLabel('Reason').fill('the third breaks our build')
      await pin.getByRole('button', { name: 'Pin to release 2' }).click()
      await panel.getByText(/to release 2 until .* by olga@example.com: the third breaks our build/).waitFor()
      await picture(page, 'team-device')
      await panel.getByRole('button', { name: 'Unpin' }).click()
      await panel.getByText('the third breaks our build').waitFor({ state: 'hidden' })

      await panel.getByRole('button', { name: 'Revoke', exact: true }).click()
      const ask = page.getByRole('dialog', { name: 'Revoke to-be-revoked?' })
      await ask.getByLabel('Reason').fill('sold')
      await ask.getByRole('button', { name: 'Revoke to-be-revoked' }).click()
      await panel.getByText('An admin revoked it. It receives no more releases.').waitFor()
      expect(
        await panel.getByRole('button', { name: 'Revoke', exact: true }).getAttribute('aria-disabled'),
      ).toBe('true')
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'hidden' })
      await page.getByRole('row', { name: /to-be-revoked/ }).waitFor({ state: 'hidden' })
      await expect(other.report(3)).rejects.toThrow('removed from the team')
      await close()
    },
  )

  itInAll('can be selected and opened by keyboard alone', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/devices`)
    await page.getByRole('row', { name: /ada-laptop/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Device' }).getByText(laptop.id).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Device' }).waitFor({ state: 'hidden' })
    await close()
  })

  it('shows how to enrol one machine; a fleet key is shown once, enrols a device, and is revoked with its devices', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/devices`)
    await page.getByRole('button', { name: 'Enrol a device' }).click()
    const how = page.getByRole('dialog', { name: 'Enrol a device' })
    await how.getByText(`holdfast login ${team.url}`).waitFor()
    await examine(page, 'how to enrol')
    await how.getByRole('link', { name: 'Enrolment keys' }).click()
    await page.getByRole('button', { name: 'New key' }).click()
    const wish = page.getByRole('dialog', { name: 'New enrolment key' })
    await wish.getByLabel('Note').fill('laptops of November')
    await wish.getByLabel('Expires after').fill('999')
    expect(await wish.getByRole('button', { name: 'Create the key' }).getAttribute('aria-disabled')).toBe(
      'true',
    )
    await wish.getByLabel('Expires after').fill('2')
    await wish.getByLabel('Limit').fill('3')
    await wish.getByLabel('Group').fill('laptops')
    await wish.getByRole('button', { name: 'Create a key for 3 devices and 2 hours' }).click()
    const made = page.getByRole('dialog', { name: 'The key is ready' })
    const secret = (await made.locator('code').first().textContent())!
    expect(secret).toMatch(/^hfe_/)
    await examine(page, 'a key that is ready')
    await made.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(secret)
    const device = { deviceId: 'ab'.repeat(16), facts: { name: 'fleet-1', operatingSystem: 'Linux' } }
    await callerOf(
      team.url,
      null,
    )(DeviceService).enrol({ proof: { case: 'enrolmentKey', value: secret }, ...device })
    const row = page.getByRole('row', { name: /laptops of November/ })
    await row.getByText('1 of 3').waitFor()
    await picture(page, 'team-enrolment-keys')
    await row.getByRole('button', { name: 'Revoke' }).click()
    const ask = page.getByRole('dialog', { name: 'Revoke laptops of November?' })
    await ask.getByLabel(/Also revoke its devices/).check()
    await ask.getByRole('button', { name: 'Revoke the key and its devices' }).click()
    await row.getByText('revoked').waitFor()
    const { device: fleet } = await team.owner.as(DevicesService).getDevice({ id: device.deviceId })
    expect(fleet!.state).toBe('revoked')
    await close()
  })

  itInAll('an auditor sees everything and can change nothing, in the page or through the API', async () => {
    const auditor = await team.member('auditor')
    const { page, close } = await openWindow({ cookies: auditor.cookies })
    await page.goto(`${team.url}/devices?device=${laptop.id}`)
    const panel = page.getByRole('complementary', { name: 'Device' })
    for (const name of ['Revoke', 'Pin to a release', 'Set the group', /^Set the per/]) {
      const button = panel.getByRole('button', { name })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await button.getAttribute('title')).toBe('This needs the role admin; yours is auditor.')
      await button.click({ force: true })
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    await examine(page, 'a device, for an auditor')
    await page.goto(`${team.url}/devices/keys`)
    const fresh = page.getByRole('button', { name: 'New key' })
    await fresh.waitFor()
    expect(await fresh.getAttribute('aria-disabled')).toBe('true')
    await close()
    const devices = auditor.as(DevicesService)
    await expect(devices.revokeDevice({ id: laptop.id })).rejects.toThrow('This needs the role admin')
    await expect(devices.setDeviceGroup({ id: laptop.id, group: 'x' })).rejects.toThrow(
      'This needs the role admin',
    )
    await expect(devices.createEnrolmentKey({})).rejects.toThrow('This needs the role admin')
    await expect(
      auditor.as(RolloutService).pin({ whom: { case: 'deviceId', value: laptop.id }, release: 1 }),
    ).rejects.toThrow('This needs the role admin')
  })
})
