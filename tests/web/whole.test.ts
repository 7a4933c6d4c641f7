// End to end, by keyboard only: a hook is written, tested and published in the browser; a machine that logged in with
// the real command downloads and enforces it; its actions are in the audit log; the hook is rolled back, and the
// machine follows.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AuditService, DevicesService, RolloutService } from '@holdfast/team'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { watched } from '../processes.js'
import { runsEverything } from '../scope.js'
import { hasChromium, openWindow } from './browser.js'
import { ALLOW_ALL, draft, EVENT, publish } from './fleet.js'
import { startTeam, type TestTeam } from './team.js'

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

describe.runIf(runsEverything && hasChromium())('from the editor to the machine and back', () => {
  let team: TestTeam
  const home = mkdtempSync(join(tmpdir(), 'holdfast-machine-'))
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(async () => {
    await team.stop()
    rmSync(home, { recursive: true, force: true })
  })

  /** A separate machine: its own home, and nothing of this one's. */
  const holdfast = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>(resolve =>
      watched(
        execFile(
          process.execPath,
          [COMMAND, ...args],
          { cwd: home, env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', ...more } },
          (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
        ),
      ),
    )
  /** The message for the user; then the machine sends its records. */
  const verdictOn = async (command: string) => {
    const { stdout } = await holdfast(['fire', EVENT, '--command', command])
    await holdfast(['team', 'sync', '--no-background'])
    return stdout
  }

  /** Moves there by keyboard. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    await target.waitFor()
    for (let step = 0; step < 120; step++) {
      if (await target.evaluate(node => node === document.activeElement)) return
      // The editor keeps Tab for itself until the user leaves it.
      if (await page.evaluate(() => !!document.activeElement?.closest('.cm-editor')))
        await page.keyboard.press('Escape')
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab never comes to ${target}`)
  }
  const press = async (page: Page, target: Locator) => {
    await tabTo(page, target)
    await page.keyboard.press('Enter')
  }

  it('works', { timeout: 180_000 }, async () => {
    // The previous release, which allows everything.
    await publish(team.owner, await draft(team.owner, 'Before', { scriptContent: ALLOW_ALL }), {
      skipRings: true,
    })
    const { secret } = await team.owner.as(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
    const joined = await holdfast(['login', team.url, '--yes', '--no-background'], {
      HOLDFAST_ENROLMENT_KEY: secret,
    })
    expect(joined).toMatchObject({ code: 0 })
    expect(await verdictOn('git push --force')).not.toContain('Forced pushes are blocked')

    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(team.url)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('grid', { name: 'Hooks' }).waitFor()
    await page.keyboard.press('n')
    await press(page, page.getByRole('button', { name: /^Block forced pushes/ }))
    await page.getByRole('heading', { name: 'Start from a template' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('heading', { name: 'Block forced pushes' }).waitFor()
    await press(page, page.getByRole('link', { name: 'Continue to test' }))
    await page.getByRole('button', { name: /^Run on \d samples?$/ }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('This draft can be published').waitFor({ timeout: 30_000 })
    await press(page, page.getByRole('link', { name: 'Continue to what-if' }))
    await press(page, page.getByRole('link', { name: 'Continue to review' }))
    await press(page, page.getByRole('link', { name: 'Continue to publish' }))
    await tabTo(page, page.getByLabel('Note'))
    await page.keyboard.type('No more forced pushes')
    await press(page, page.getByRole('button', { name: 'Publish revision 1 to ring canary, 1 device' }))
    await page.waitForURL(`${team.url}/rollout/2`)

    // The machine downloads and enforces it.
    expect(await holdfast(['team', 'sync', '--no-background'])).toMatchObject({ code: 0 })
    expect(await verdictOn('git push --force origin main')).toContain('Forced pushes are blocked.')
    const audit = team.owner.as(AuditService)
    await expect
      .poll(async () => (await audit.searchRecords({ filter: { verdicts: ['deny'] } })).records, {
        timeout: 20_000,
      })
      .toMatchObject([{ summary: 'git push --force origin main', release: 2, revision: 1 }])
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByText('git push --force origin main').first().waitFor({ timeout: 20_000 })
    await page.goBack()
    // The page of the release has updated by itself.
    const canary = page.getByRole('list', { name: 'Rings' }).getByRole('listitem').first()
    await expect.poll(() => canary.textContent(), { timeout: 20_000 }).toMatch(/1 of 1 device.*denied/)

    await press(page, page.getByRole('link', { name: 'All releases' }))
    const opener = page.getByRole('button', { name: 'Roll back to this' })
    await press(page, opener)
    const dialog = page.getByRole('dialog', { name: 'Roll back to release 1' })
    await dialog.getByText('removed', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => opener.evaluate(node => node === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await press(page, dialog.getByRole('button', { name: 'Roll back to release 1, 1 device' }))
    await page.waitForURL(`${team.url}/rollout/3`)
    expect((await team.owner.as(RolloutService).getRelease({ number: 3 })).release).toMatchObject({
      rollsBackTo: 1,
      state: 'done',
    })
    expect(await holdfast(['team', 'sync', '--no-background'])).toMatchObject({ code: 0 })
    expect(await verdictOn('git push --force origin main')).not.toContain('Forced pushes are blocked')
    await close()
  })
})
