// Refused calls: the caller, the attempt, and the reason.

import { AuditService, RolloutService } from '@holdfast/team'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll, runsEverything } from '../scope.js'
import { examineInBoth, hasChromium, openWindow, picture } from './browser.js'
import { type Person, startTeam, type TestTeam } from './team.js'

describe.skipIf(!hasChromium())('what was refused', () => {
  let team: TestTeam
  let auditor: Person
  beforeAll(async () => {
    team = await startTeam()
    auditor = await team.member('auditor', 'Dina')
  })
  afterAll(() => team?.stop())
  const grid = (page: Page) => page.getByRole('grid', { name: 'Refused calls' })
  const refuse = (times: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        expect(auditor.as(RolloutService).publish({ note: 'without the role' })).rejects.toThrow(
          /needs the role admin/,
        ),
      ),
    )

  /** A page of an earlier test, whose server had this port, may call without a session. */
  const shown = (page: Page) => grid(page).getByText('dina@example.com').count()
  const ownCalls = async () => {
    const { calls } = await team.owner.as(AuditService).listRefusedCalls({})
    return calls.filter(({ who }) => who === 'dina@example.com').length
  }

  it('is empty at first; then it lists callers and attempts with the reason, and opens by keys', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit`)
    await page.getByRole('link', { name: 'Refused calls' }).click()
    await page.getByRole('heading', { name: 'No refused calls' }).waitFor()
    await picture(page, 'team-refused-none')

    await refuse(1)
    await team.server.people.flush()
    await page.reload()
    const first = grid(page).locator('[aria-rowindex="2"]')
    await first.getByText('RolloutService/Publish').waitFor()
    await first.getByText('dina@example.com').waitFor()
    await first.getByText('This needs the role admin').waitFor()
    expect(await shown(page)).toBe(1)
    await picture(page, 'team-refused')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Refused call' })
    await panel.getByText('RolloutService/Publish').waitFor()
    await panel.getByText(/This needs the role admin; .*auditor/).waitFor()
    await picture(page, 'team-refused-call')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })

    // New calls wait for a click. The page requests them every 10 seconds; the default run does not wait.
    await refuse(2)
    if (runsEverything) {
      await page.getByText('2 new refused calls.').waitFor({ timeout: 25_000 })
      expect(await shown(page)).toBe(1)
      await page.getByRole('button', { name: 'Show them' }).click()
    } else {
      await team.server.people.flush()
      await page.reload()
    }
    await grid(page).locator('[aria-rowindex="4"]').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('DINA')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('DINA')
    await grid(page).locator('[aria-rowindex="4"]').waitFor()
    await page.keyboard.type(' of elsewhere')
    await page.getByRole('heading', { name: 'No refused calls match' }).waitFor()
    await examineInBoth(page, 'no refused calls match')
    await page.getByRole('main').getByRole('button', { name: 'Clear the filters' }).last().click()
    await grid(page).locator('[aria-rowindex="4"]').waitFor()
    await close()
  }, 90_000)

  itInAll('is for admins; a visit without the role gets a message, and is not listed', async () => {
    await team.server.people.flush()
    const before = await ownCalls()
    const { page, close } = await openWindow({ cookies: auditor.cookies })
    await page.goto(`${team.url}/audit/refused`)
    await page.getByRole('heading', { name: 'Your role has no access' }).waitFor()
    await page.getByText('This needs the role admin; yours is auditor.').waitFor()
    await picture(page, 'team-refused-not-yours')
    await team.server.people.flush()
    expect(await ownCalls()).toBe(before)
    await close()
  })

  itInAll('reports that it did not load, with a button to retry', async () => {
    await refuse(1)
    await team.server.people.flush()
    const { page, close } = await openWindow({
      cookies: team.owner.cookies,
      tolerate: [/ERR_FAILED|Failed to load/],
    })
    await page.route(/ListRefusedCalls/, route => route.abort())
    await page.goto(`${team.url}/audit/refused`)
    await page.getByRole('heading', { name: 'Loading failed' }).waitFor()
    await examineInBoth(page, 'refused calls that did not load')
    await page.unroute(/ListRefusedCalls/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await grid(page).locator('[aria-rowindex="2"]').waitFor()
    await close()
  })
})
