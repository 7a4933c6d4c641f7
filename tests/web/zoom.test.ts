// Every page, for who needs it larger, in other colours, without motion or with a finger, and for who has a huge screen.

import { mkdirSync, writeFileSync } from 'node:fs'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow, type Window } from './browser.js'
import { type Spot, spotsOfPanel, spotsOfTeam } from './everywhere.js'
import { inside } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'
import * as sight from './sight.js'
import { startTeam, type TestTeam } from './team.js'

/** 1440 × 1024 at so many per cent, and the largest that people have. */
const VIEWS = [
  { name: '200 %', width: 720, height: 512, scale: 2 },
  { name: '400 %', width: 360, height: 256, scale: 4 },
  { name: '2560', width: 2560, height: 1300, scale: 1 },
] as const

type Note = (how: string, problems: readonly string[]) => void

/** A folder for pictures, for who wants to look. */
const PICTURES = process.env.HOLDFAST_PICTURES

describe.skipIf(!hasChromium()).each(['panel', 'team'] as const)('every page of the %s', home => {
  let panel: TestPanel | undefined
  let team: TestTeam | undefined
  let url: string
  let spots: readonly Spot[]
  let window: Window
  let finger: Window
  beforeAll(async () => {
    if (home === 'panel') {
      panel = await startPanel()
      url = panel.url
      window = await inside(panel)
      finger = await inside(panel, { isTouch: true, width: 360, height: 740 })
      spots = await spotsOfPanel(panel, window.page)
    } else {
      team = await startTeam()
      url = team.url
      const { cookies } = team.owner
      window = await openWindow({ cookies })
      finger = await openWindow({ cookies, isTouch: true, width: 360, height: 740 })
      spots = await spotsOfTeam(team, window.page)
    }
    for (const { context } of [window, finger]) await context.addInitScript(sight.NAMING)
    if (PICTURES) mkdirSync(PICTURES, { recursive: true })
  }, 120_000)
  afterAll(async () => {
    await window?.close()
    await finger?.close()
    await panel?.stop()
    await team?.stop()
  })

  /** Not by page.screenshot: it would set the size back. */
  const pictured = async (page: Page, { at }: Spot, how: string) => {
    if (!PICTURES) return
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot')
    await session.detach()
    const name = at.replace(/[^a-z]+/gi, '-').slice(1, 40)
    writeFileSync(`${PICTURES}/${home}-${name}-${how}.png`, data, 'base64')
  }

  async function visit(page: Page, { at }: Spot): Promise<void> {
    await page.goto(`${url}${at}`)
    // Where there is little room, a detail lies over its page.
    await page.getByRole('main').getByRole('heading').filter({ visible: true }).first().waitFor()
    // Until everything that is asked for is there; a stream is asked for all the time.
    await expect
      .poll(() => page.locator('main [aria-busy="true"], main [role="status"][aria-label]').count(), {
        timeout: 20_000,
      })
      .toBe(0)
    await settled(page)
  }

  /** Fonts are there, and what measures itself has done so. */
  const settled = (page: Page) =>
    page.evaluate(async () => {
      await document.fonts.ready
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    })

  /** All of them, so that one failure does not hide the next. */
  async function everywhere(page: Page, check: (spot: Spot, note: Note) => Promise<void>): Promise<void> {
    const found: string[] = []
    for (const spot of spots) {
      await visit(page, spot)
      await check(spot, (how, problems) => {
        for (const problem of new Set(problems)) found.push(`${spot.at}, ${how}: ${problem}`)
      })
    }
    expect(found).toEqual([])
  }

  /** As the browser sees it that is zoomed in. */
  async function resize(session: CDPSession, page: Page, { width, height, scale }: (typeof VIEWS)[number]) {
    const size = { width, height, deviceScaleFactor: scale, mobile: false }
    await session.send('Emulation.setDeviceMetricsOverride', size)
    await settled(page)
  }

  it('can be read and used at 200 % and 400 %, on a huge screen and in forced colours', {
    timeout: 300_000,
  }, async () => {
    const { page, context } = window
    const session = await context.newCDPSession(page)
    await everywhere(page, async (spot, note) => {
      note('at rest', await sight.moving(page))
      for (const view of VIEWS) {
        await resize(session, page, view)
        note(view.name, await sight.sideways(page))
        await pictured(page, spot, view.name.replace(' %', ''))
        if (view.scale === 1) {
          note(view.name, await sight.longLines(page))
          continue
        }
        note(view.name, await sight.outOfReach(page))
        const { main, list } = await sight.room(page)
        if (main < view.height * 0.75) note(view.name, [`bars leave ${main} px of ${view.height}`])
        if (list !== null && list < 150) note(view.name, [`the list has ${list} px`])
      }
      if (spot.opens) await resize(session, page, VIEWS[1])
      for (const name of spot.opens ?? []) {
        await page.getByRole('button', { name, exact: true }).first().click()
        await page.getByRole('dialog').waitFor()
        note(`${name} at 400 %`, [...(await sight.sideways(page)), ...(await sight.outOfReach(page))])
        await pictured(page, spot, `400-${name.replace(/\W+/g, '-')}`)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      }
      await session.send('Emulation.clearDeviceMetricsOverride')
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ forcedColors: 'active', colorScheme: theme })
        await settled(page)
        await page.keyboard.press('Tab')
        await pictured(page, spot, `forced-${theme}`)
        note(`forced ${theme}`, [...(await sight.indistinct(page)), ...(await sight.unseenFocus(page))])
      }
      await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' })
    })
    await resize(session, page, VIEWS[1])
    for (const [key, name] of [
      ['?', 'Keys'],
      ['Control+k', 'Search or jump to'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name }).waitFor()
      expect([...(await sight.sideways(page)), ...(await sight.outOfReach(page))], name).toEqual([])
      await pictured(page, { at: `/${name}` }, '400')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    await session.detach()
  })

  it('is used with a finger', { timeout: 240_000 }, async () => {
    const { page } = finger
    await everywhere(page, async (spot, note) => {
      await pictured(page, spot, 'finger')
      note('by finger', [
        ...(await sight.sideways(page)),
        ...(await sight.tooSmall(page)),
        ...(await sight.hoverOnly(page)),
      ])
    })
  })
})
