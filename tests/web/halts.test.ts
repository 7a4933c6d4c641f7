// A harmful release halts by itself, and its open page shows it: real devices that report real failures, the rollout
// monitor, and a page that nobody reloads.

import { AuditService, type Release, RolloutService } from '@holdfast/team'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type RolloutMonitor, startRolloutMonitor } from '../../packages/server/src/rollout/monitor.js'
import { itInAll } from '../scope.js'
import { hasChromium, openWindow, picture } from './browser.js'
import { canariesOf, enrol, publishHook, type TestDevice } from './fleet.js'
import { justNow } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

const LONG = { timeout: 240_000 }
const DEVICES = 6

describe.skipIf(!hasChromium())('a release that does harm', () => {
  let team: TestTeam
  let monitor: RolloutMonitor
  let hookId = 0
  const devices: TestDevice[] = []
  beforeAll(async () => {
    team = await startTeam()
    // The rollout monitor of the server runs once a minute.
    monitor = startRolloutMonitor(team.server.team, 200)
    const { settings: usual } = await team.owner.as(RolloutService).getRolloutSettings({})
    const { $typeName: _, ...settings } = usual!
    const rings = [
      { name: 'canary', share: 0.5 },
      { name: 'all', share: 1 },
    ]
    await team.owner.as(RolloutService).setRolloutSettings({ settings: { ...settings, rings } })
    for (let index = 1; index <= DEVICES; index++) devices.push(await enrol(team, `laptop ${index}`))
    hookId = (await publishHook(team, 'Guard')).hookId
  }, 120_000)
  afterAll(async () => {
    monitor?.stop()
    await team?.stop()
  })
  const at = async (number: number): Promise<Release> =>
    (await team.owner.as(RolloutService).getRelease({ number })).release!
  /** Runs of a release, so many of which fail open: the first ones, or others. */
  const runs = (release: number, count: number, isFailed: (index: number) => boolean) =>
    justNow(
      Array.from({ length: count }, (_, index) => ({
        release,
        revision: 1,
        hook_id: hookId,
        ...(isFailed(index)
          ? { outcome: 'failed', failure: 'exit_code', failed_open: true, permission: null, response: null }
          : {}),
      })),
    )
  /** A window with the page of the release, which is never reloaded. */
  const watch = async (number: number) => {
    const window = await openWindow({ cookies: team.owner.cookies })
    await window.page.goto(`${team.url}/rollout/${number}`)
    await window.page.getByRole('button', { name: 'Halt', exact: true }).waitFor()
    await window.page.evaluate(() => Object.assign(globalThis, { sameDocument: true }))
    return window
  }
  const isSameDocument = (page: Page) => page.evaluate(() => 'sameDocument' in globalThis)
  const ring = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Rings' }).getByRole('listitem').filter({ hasText: name })
  const alert = (page: Page) => page.getByRole('main').getByRole('alert')

  itInAll(
    'halts at once when everything fails from the start, and continues after it is resumed',
    LONG,
    async () => {
      const { release: number } = await publishHook(team, 'Guard', { id: hookId, skipRings: false })
      const { page, close } = await watch(number)
      expect(await ring(page, 'canary').textContent()).toContain('in progress')
      const [first, ...others] = await canariesOf(team, number, devices)
      expect(others).toHaveLength(2)
      await first!.send(runs(number, 6, () => true))
      await expect.poll(async () => (await at(number)).evidence?.failingDevices, { timeout: 60_000 }).toBe(1)
      await monitor.look()
      await monitor.look()
      expect(await at(number), 'one laptop alone may be broken itself').toMatchObject({ state: 'rolling' })
      expect(await alert(page).count()).toBe(0)

      for (const device of others) await device.send(runs(number, 6, () => true))
      await page.getByRole('heading', { name: 'Halted by the server' }).waitFor({ timeout: 30_000 })
      expect(await alert(page).textContent()).toMatch(/On \d devices every one of the first 5 runs failed\./)
      expect(await ring(page, 'canary').textContent()).toContain('halted')
      expect(await isSameDocument(page), 'live, without being loaded again').toBe(true)
      expect(await at(number)).toMatchObject({ state: 'halted', haltedBy: 'server', ring: 0 })
      await picture(page, 'team-rollout-halted-by-itself')

      const { actions } = await team.owner.as(AuditService).listAdminActions({ pageSize: 1 })
      expect(actions).toMatchObject([{ action: 'release.halt', actor: 'server' }])
      await page.getByRole('button', { name: 'Resume' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/every one of the first 5 runs failed/).waitFor()
      await dialog.getByRole('button', { name: `Resume release ${number}` }).click()
      await page.getByRole('heading', { name: 'Halted by the server' }).waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Halt', exact: true }).waitFor()
      // Earlier failures do not halt it again.
      await monitor.look()
      await monitor.look()
      expect(await at(number)).toMatchObject({ state: 'rolling', haltedBecause: '', haltedBy: '' })
      await page.getByRole('button', { name: /^Advance to ring all/ }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Advance to ring all/ })
        .click()
      await expect.poll(async () => (await at(number)).state).toBe('done')
      expect(await isSameDocument(page)).toBe(true)
      await close()
    },
  )

  itInAll(
    'halts above the limit, shows the value and the limit, and the first page asks for a decision',
    LONG,
    async () => {
      const { release: number } = await publishHook(team, 'Guard', { id: hookId, skipRings: false })
      const { page, close } = await watch(number)
      await page.getByText('Halts above 5 % failed runs').waitFor()
      for (const device of await canariesOf(team, number, devices))
        await device.send(runs(number, 10, index => index % 2 === 1))
      await page.getByRole('heading', { name: 'Halted by the server' }).waitFor({ timeout: 30_000 })
      const said = await alert(page).textContent()
      expect(said).toMatch(/More than [\d.]+ % of runs failed on \d devices, and 5 % is the limit\./)
      expect(Number(/More than ([\d.]+) %/.exec(said!)![1])).toBeGreaterThan(5)
      expect(await isSameDocument(page)).toBe(true)
      await page.goto(`${team.url}/overview`)
      const attention = page.getByText(`Release ${number} is halted`)
      await attention.waitFor()
      await page.getByText(/is the limit/).waitFor()
      await attention.click()
      await page.waitForURL(/\/rollout/)
      await page.getByRole('heading', { name: 'Halted by the server' }).waitFor()
      // The other way to continue: a better release is published.
      const { release: next } = await publishHook(team, 'Guard', { id: hookId, skipRings: false })
      await page.goto(`${team.url}/rollout`)
      await page.getByRole('heading', { name: `Release ${next}` }).waitFor()
      expect(await at(next)).toMatchObject({ state: 'rolling' })
      await close()
    },
  )
})
