// A page without responses: it says so, loses no typed text, shows nothing twice, and recovers by itself.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, openWindow } from './browser.js'
import { enrol } from './fleet.js'
import { FILES, startPanel, type TestPanel } from './panel.js'
import { addToLog, manyRuns, record, writeLog } from './records.js'
import { scrollTo } from './runs-page.js'
import { denied, untilCounted } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

const GONE = [/net::ERR|Failed to (load|fetch)|status of (401|503)/]
const isLive = (page: Page) => page.getByText('Live', { exact: true })
const isOffline = (page: Page) => page.getByText(/^Offline, again in/)
/** A reload clears it. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { same: true }))
const isSame = (page: Page) => page.evaluate(() => 'same' in window)

let number = 700_000
const come = (panel: TestPanel, count: number, command: string) =>
  addToLog(
    panel.logFile,
    Array.from({ length: count }, (_, at) => record(++number, Date.now() + at, { request: { command } })),
  )

describe.skipIf(!hasChromium())('a panel that does not answer', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel({ isProcess: true })
    writeLog(panel.logFile, manyRuns(50))
  })
  afterAll(() => panel.stop())
  const runs = (page: Page) => page.getByRole('grid', { name: 'Runs' })
  const rows = (page: Page, text: string) => runs(page).getByRole('row').filter({ hasText: text })
  const enter = async (link: string, path: string) => {
    const window = await openWindow({ isFresh: true, tolerate: GONE })
    await window.page.clock.install()
    await window.page.goto(link)
    await isLive(window.page).waitFor()
    await window.page.goto(panel.url + path)
    await isLive(window.page).waitFor()
    await mark(window.page)
    return window
  }

  itInAll('hangs: the page is offline after 15 seconds, and recovers without a reload', async () => {
    const { page, close } = await enter(panel.link, '/runs')
    await rows(page, 'git status').first().waitFor()
    panel.signal('SIGSTOP')
    try {
      come(panel, 3, 'echo while stuck')
      await page.clock.fastForward(10_000)
      await isLive(page).waitFor()
      await page.clock.fastForward(6000)
      await isOffline(page).waitFor()
      await examineInBoth(page, 'offline')
    } finally {
      panel.signal('SIGCONT')
    }
    await isLive(page).waitFor()
    await expect.poll(() => rows(page, 'echo while stuck').count(), { timeout: 60_000 }).toBe(3)
    expect(await isSame(page)).toBe(true)
    await close()
  })

  itInAll(
    'because the laptop slept for an hour: what came meanwhile is there once, or a row says that some are missing',
    async () => {
      const { page, close } = await enter(await panel.restart(), '/runs')
      await rows(page, 'git status').first().waitFor()
      come(panel, 1, 'echo before')
      await rows(page, 'echo before').waitFor()
      // Neither the page nor the panel runs, and the clock has advanced when they continue.
      const sleep = async (meanwhile: () => void) => {
        panel.signal('SIGSTOP')
        meanwhile()
        await page.clock.fastForward(3_600_000)
        panel.signal('SIGCONT')
      }
      await sleep(() => come(panel, 20, 'echo asleep'))
      await expect.poll(() => rows(page, 'echo asleep').count(), { timeout: 60_000 }).toBe(20)
      expect(await rows(page, 'echo before').count()).toBe(1)
      await isLive(page).waitFor()

      await sleep(() => come(panel, 1500, 'echo a long night'))
      // At the top, or below the hundred that were loaded by then.
      const isSaid = async () => {
        for (const top of [0, 3000]) {
          await scrollTo(page, top)
          if ((await runs(page).getByText('Some runs are missing here').count()) > 0) return true
        }
        return false
      }
      await expect.poll(isSaid, { timeout: 60_000 }).toBe(true)
      expect(await isSame(page)).toBe(true)
      await close()
    },
  )

  itInAll('changes while the tab is hidden: the page is up to date when it is shown again', async () => {
    const { page, close } = await enter(await panel.restart(), '/hooks')
    const watch = page.getByRole('row').filter({ hasText: 'afterFileEdit' })
    await expect.poll(() => watch.textContent()).toContain('never ran')
    const see = (hidden: boolean) =>
      page.evaluate(hidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await see(true)
    const gone = page.waitForEvent('requestfailed', request => request.url().endsWith('/Watch'))
    await page.clock.fastForward(11_000)
    await gone
    // As users do: hooks are written in another window, and fired there.
    panel.write('.cursor/hooks.json', FILES['.cursor/hooks.json']!.replace('"afterFileEdit"', '"stop"'))
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'broken thing')
    await see(false)
    await page.getByRole('row').filter({ hasText: 'stopwatch.sh' }).waitFor()
    await watch.waitFor({ state: 'detached' })
    await expect
      .poll(() => page.getByRole('row').filter({ hasText: 'broken.sh' }).textContent())
      .toContain('1 failed open')
    expect(await isSame(page)).toBe(true)
    panel.write('.cursor/hooks.json', FILES['.cursor/hooks.json']!)
    await close()
  })

  itInAll(
    'is restarted: the page reports it, keeps unsaved text, and continues after the new link is opened',
    async () => {
      const { page, context, close } = await enter(await panel.restart(), '/hooks')
      await page.getByRole('link', { name: 'Edit hooks.json' }).first().click()
      const field = page.getByRole('textbox', { name: /hooks\.json/ })
      await field.click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('// kept')
      const link = await panel.restart()
      await page.clock.fastForward(15_000)
      await page.getByRole('alert').getByText('This page is locked out').waitFor()
      await examine(page, 'a page that is locked out')
      expect(await field.textContent()).toContain('// kept')

      const second = await context.newPage()
      await second.goto(link)
      await isLive(second).waitFor()
      await page.getByText('This page is locked out').waitFor({ state: 'hidden' })
      await isLive(page).waitFor()
      expect(await field.textContent()).toContain('// kept')
      expect(await isSame(page)).toBe(true)
      await page.keyboard.press('Control+s')
      const dialog = page.getByRole('dialog', { name: /^Save/ })
      await dialog.getByRole('button', { name: /^Save/ }).click()
      await dialog.waitFor({ state: 'detached' })
      await close()
    },
  )
})

describe.skipIf(!hasChromium())('a team server that does not answer', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team?.stop())

  itInAll('is reported as offline; after it returns the page shows each missed change once', async () => {
    const laptop = await enrol(team, 'ada-laptop')
    await laptop.send([denied(Date.now(), { request: { command: 'echo first', cwd: '/' } })])
    await untilCounted(team, 1)
    const { page, context, close } = await openWindow({ cookies: team.owner.cookies, tolerate: GONE })
    await page.goto(`${team.url}/overview?range=24h`)
    const figure = page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: /Denied/ })
    await figure.getByText('1', { exact: true }).waitFor()
    await mark(page)
    const trail = await context.newPage()
    await trail.goto(`${team.url}/audit`)
    const records = trail.getByRole('grid', { name: 'Records' })
    await records.getByText('echo first').waitFor()
    await mark(trail)

    const back = await team.interrupt()
    await isOffline(page).waitFor({ timeout: 60_000 })
    await isOffline(trail).waitFor({ timeout: 60_000 })
    // Existing content remains.
    await figure.getByText('1', { exact: true }).waitFor()
    await records.getByText('echo first').waitFor()
    await examineInBoth(page, 'the overview, offline')
    await back()
    await laptop.send([denied(Date.now(), { request: { command: 'echo second', cwd: '/' } })])
    await untilCounted(team, 2)

    for (const one of [page, trail]) await isLive(one).waitFor({ timeout: 20_000 })
    await figure.getByText('2', { exact: true }).waitFor()
    // It was shown, or it waits in the strip; neither it nor the first one appears twice.
    await expect
      .poll(async () => {
        const strip = await trail.getByRole('button', { name: 'Show them' }).count()
        return strip + (await records.getByText('echo second').count())
      })
      .toBe(1)
    expect(await records.getByText('echo first').count()).toBe(1)
    expect(await isSame(page)).toBe(true)
    expect(await isSame(trail)).toBe(true)
    await close()
  })
})
