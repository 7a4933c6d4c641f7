// Every page enlarged, on a huge screen, in forced colours, without motion, and with touch.

import { mkdirSync, writeFileSync } from 'node:fs'
import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { runsEverything } from '../scope.js'
import type { Window } from './browser.js'
import type { Spot } from './everywhere.js'
import * as sight from './sight.js'

/** 1440 × 1024 at 400 and 200 %, and the largest common screen. */
const LARGEST = { name: '400 %', width: 360, height: 256, scale: 4 }
const VIEWS = [
  LARGEST,
  // Tighter limits hold at 400 %.
  ...(runsEverything ? [{ name: '200 %', width: 720, height: 512, scale: 2 }] : []),
  { name: '2560', width: 2560, height: 1300, scale: 1 },
]
const THEMES = ['light', 'dark'] as const

type Note = (how: string, problems: readonly string[]) => void

/** A folder for pictures, for review. */
const PICTURES = process.env.HOLDFAST_PICTURES

export interface Tour {
  readonly app: 'panel' | 'team'
  readonly url: string
  readonly spots: readonly Spot[]
  readonly window: Window
}

/** Visits every place, and expects that each can be read and used in all views. */
export async function expectUsable({ app, url, spots, window }: Tour): Promise<void> {
  await window.context.addInitScript(sight.NAMING)
  if (PICTURES) mkdirSync(PICTURES, { recursive: true })

  /** Not by page.screenshot: it would reset the size. */
  const pictured = async (page: Page, { at }: Spot, how: string) => {
    if (!PICTURES) return
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot')
    await session.detach()
    const name = at.replace(/[^a-z]+/gi, '-').slice(1, 40)
    writeFileSync(`${PICTURES}/${app}-${name}-${how}.png`, data, 'base64')
  }

  async function visit(page: Page, { at }: Spot): Promise<void> {
    await page.goto(`${url}${at}`)
    // On narrow screens a detail covers its page.
    await page.getByRole('main').getByRole('heading').filter({ visible: true }).first().waitFor()
    // Until everything that was requested has arrived; a stream is always pending.
    await expect
      .poll(() => page.locator('main [aria-busy="true"], main [role="status"][aria-label]').count(), {
        timeout: 20_000,
      })
      .toBe(0)
    await settled(page)
  }

  /** Fonts are loaded, and elements that measure themselves have done so. */
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

  /** As in a browser that is zoomed in. */
  async function resize(session: CDPSession, page: Page, { width, height, scale }: (typeof VIEWS)[number]) {
    const size = { width, height, deviceScaleFactor: scale, mobile: false }
    await session.send('Emulation.setDeviceMetricsOverride', size)
    await settled(page)
  }

  /** A phone: no mouse, no hover. */
  async function touch(session: CDPSession, page: Page, isTouch: boolean) {
    const size = { width: 360, height: 740, deviceScaleFactor: 1, mobile: true }
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: isTouch })
    if (isTouch) await session.send('Emulation.setDeviceMetricsOverride', size)
    else await session.send('Emulation.clearDeviceMetricsOverride')
    await settled(page)
    expect(await page.evaluate(() => matchMedia('(pointer: coarse) and (hover: none)').matches)).toBe(isTouch)
  }

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
    if (spot.opens) await resize(session, page, LARGEST)
    for (const name of spot.opens ?? []) {
      await page.getByRole('button', { name, exact: true }).first().click()
      await page.getByRole('dialog').waitFor()
      note(`${name} at 400 %`, [...(await sight.sideways(page)), ...(await sight.outOfReach(page))])
      await pictured(page, spot, `400-${name.replace(/\W+/g, '-')}`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    await touch(session, page, true)
    await pictured(page, spot, 'finger')
    note('by finger', [
      ...(await sight.sideways(page)),
      ...(await sight.tooSmall(page)),
      ...(await sight.hoverOnly(page)),
    ])
    await touch(session, page, false)
    for (const theme of runsEverything ? THEMES : [THEMES[spot.at.length % 2]!]) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme: theme })
      await settled(page)
      await page.keyboard.press('Tab')
      await pictured(page, spot, `forced-${theme}`)
      note(`forced ${theme}`, [...(await sight.indistinct(page)), ...(await sight.unseenFocus(page))])
    }
    await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' })
  })
  await resize(session, page, LARGEST)
  for (const [key, name] of [
    ['?', 'Shortcuts'],
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
}
