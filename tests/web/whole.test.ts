// The whole way, by keys alone: a hook is written, tried and published in the browser; a machine that has logged in with
// the real command takes it and obeys; what it did is in the trail; it is rolled back, and the machine obeys again.

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

  /** On a machine of its own: its home, and nothing of this one's. */
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
  /** What the person is told; then the machine sends what it recorded. */
  const verdictOn = async (command: string) => {
    const { stdout } = await holdfast(['fire', EVENT, '--command', command])
    await holdfast(['team', 'sync', '--no-background'])
    return stdout
  }

  /** Walks there as one does without a mouse. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    await target.waitFor()
    for (let step = 0; step < 120; step++) {
      if (await target.evaluate(node => node === document.activeElement)) return
      // The editor keeps Tab for itself until one leaves it.
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
    // What there was before: a release that lets everything through.
    await publish(team.owner, await draft(team.owner, 'Before', { scriptContent: ALLOW_ALL }), {
      skipRings: true,
    })
    const { secret } = await team.owner.as(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
    const joined = await holdfast(['login', team.url, '--yes', '--no-background'], {
      HOLDFAST_ENROLMENT_KEY: secret,
    })
    expect(joined).toMatchObject({ code: 0 })
    expect(await verdictOn('git push --force')).not.toContain('No forced pushes')

    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(team.url)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('grid', { name: 'Hooks' }).waitFor()
    await page.keyboard.press('n')
    await press(page, page.getByRole('button', { name: /^sh / }))
    await page.getByRole('heading', { name: 'Begin with a guard' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('heading', { name: 'No forced pushes' }).waitFor()
    await press(page, page.getByRole('link', { name: 'Review and publish' }))
    await tabTo(page, page.getByRole('tab', { name: 'Differences' }))
    await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Run on 1 sample' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('this draft can be published').waitFor({ timeout: 30_000 })
    await tabTo(page, page.getByLabel('Note'))
    await page.keyboard.type('No more forced pushes')
    await press(page, page.getByRole('button', { name: 'Publish revision 1 to ring canary, 1 device' }))
    await page.waitForURL(`${team.url}/rollout/2`)

    // The machine takes it and obeys.
    expect(await holdfast(['team', 'sync', '--no-background'])).toMatchObject({ code: 0 })
    expect(await verdictOn('git push --force origin main')).toContain('No forced pushes in this team.')
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
    // And the page of the release has heard of it by itself.
    const canary = page.getByRole('list', { name: 'Rings' }).getByRole('listitem').first()
    await expect.poll(() => canary.textContent(), { timeout: 20_000 }).toMatch(/1 of 1 device seen.*denied/)

    await tabTo(page, page.getByRole('tab', { name: 'Release', exact: true }))
    await page.keyboard.press('ArrowRight')
    const opener = page.getByRole('button', { name: 'Roll back to this' })
    await press(page, opener)
    const dialog = page.getByRole('dialog', { name: 'Roll back to release 1' })
    await dialog.getByText('is taken out').waitFor()
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
    expect(await verdictOn('git push --force origin main')).not.toContain('No forced pushes')
    await close()
  })
})
