// Nothing on a page moves while it loads, in either app.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { hasChromium, openWindow } from './browser.js'
import { spotsOfPanel, spotsOfTeam } from './everywhere.js'
import { inside } from './inside.js'
import { FILES, startPanel, type TestPanel } from './panel.js'
import { startTeam, type TestTeam } from './team.js'

/** Half of the limit of the web vitals. */
const MOST_SHIFT = 0.05
const ALL_WIDTHS = [1440, 1024, 390]
const LONG = { timeout: 600_000 }

interface Shift {
  readonly value: number
  readonly what: string
}

/** Records shifts; the page is slow enough for each part to arrive by itself. */
async function observe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.addInitScript(() => {
    const shifts: Shift[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
        sources: { node?: Element }[]
      })[])
        if (!entry.hadRecentInput)
          shifts.push({
            value: entry.value,
            what: entry.sources.map(({ node }) => node?.className ?? '').join(' '),
          })
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** The shift of a page, in words, if it is too much. */
async function shiftOf(page: Page, url: string): Promise<string[]> {
  await page.goto(url)
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
  await page.waitForLoadState('load')
  // Complete: the browser was idle several times in a row.
  await page.evaluate(async () => {
    await document.fonts.ready
    for (const _ of 'abcde')
      await new Promise<void>(done => requestIdleCallback(() => requestAnimationFrame(() => done())))
  })
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  const shifts = await page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts)
  const sum = shifts.reduce((all, { value }) => all + value, 0)
  const parts = shifts.map(({ value, what }) => `${value.toFixed(3)} ${what}`)
  return sum > MOST_SHIFT ? [`${new URL(url).pathname}: ${sum.toFixed(3)} by ${parts}`] : []
}

describe.skipIf(!hasChromium())('no page shifts while it loads', () => {
  let panel: TestPanel
  let team: TestTeam
  beforeAll(async () => {
    panel = await startPanel({ files: FILES })
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git push --force origin main')
    team = await startTeam()
  })
  afterAll(async () => {
    await panel?.stop()
    await team?.stop()
  })

  it('in the panel', LONG, async () => {
    const { page, close } = await inside(panel, { isFresh: true })
    const spots = await spotsOfPanel(panel, page)
    await observe(page)
    const found: string[] = []
    for (const width of runsEverything ? ALL_WIDTHS : [1440]) {
      await page.setViewportSize({ width, height: 820 })
      for (const { at } of spots) found.push(...(await shiftOf(page, panel.url + at)))
    }
    expect(found).toEqual([])
    await close()
  })

  it('in the dashboard', LONG, async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies, isFresh: true })
    const spots = await spotsOfTeam(team, page)
    await observe(page)
    const found: string[] = []
    for (const width of runsEverything ? ALL_WIDTHS : [390]) {
      await page.setViewportSize({ width, height: 820 })
      for (const { at } of spots) found.push(...(await shiftOf(page, team.url + at)))
    }
    expect(found).toEqual([])
    await close()
  })
})
