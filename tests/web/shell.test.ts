// The shell of both homes: it comes up under its policy, and the keys work.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow, picture, weigh } from './browser.js'
import { startPanel, type TestPanel } from './panel.js'
import { startTeam, type TestTeam } from './team.js'

describe.skipIf(!hasChromium())('the panel', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
  })
  afterAll(() => panel.stop())

  it('is entered by its link once; the address keeps no token, and other tabs come in by the cookie', async () => {
    const { page, context, close } = await openWindow()
    await page.goto(panel.link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(page.url()).not.toContain('token')
    const second = await context.newPage()
    await second.goto(`${panel.url}/runs`)
    await second.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
    await close()
    const stranger = await openWindow({ tolerate: [/401/] })
    await stranger.page.goto(panel.link)
    await stranger.page.getByRole('heading', { name: 'This panel is locked' }).waitFor()
    await examine(stranger.page)
    await stranger.close()
  })

  itInAll('switches the theme with a key, and applies it before the first paint', async () => {
    const { page, close } = await openWindow({ tolerate: [/ERR_FAILED/] })
    const own = await startPanel()
    try {
      await page.goto(own.link)
      await page.getByRole('heading', { name: 'Hooks', exact: true }).waitFor()
      const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const light = await colour()
      await page.keyboard.press('t')
      await expect.poll(colour).not.toBe(light)
      const dark = await colour()
      // Even when none of the page's own script ever runs.
      await page.route(/\/assets\/.*\.js$/, route => route.abort())
      await page.reload({ waitUntil: 'domcontentloaded' })
      expect(await page.locator('#root').textContent()).toBe('')
      expect(await colour()).toBe(dark)
      await close()
    } finally {
      await own.stop()
    }
  })

  itInAll('disables single-key shortcuts on request; shortcuts with Ctrl still work', async () => {
    const { page, close } = await openWindow()
    const own = await startPanel()
    try {
      await page.goto(own.link)
      await page.getByRole('heading', { name: 'Hooks', exact: true }).waitFor()
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: 'Keys' })
      await keys.getByRole('checkbox', { name: /Single keys work/ }).uncheck()
      await page.keyboard.press('Escape')
      await keys.waitFor({ state: 'hidden' })
      for (const key of ['?', 't', 'g', 'r', 'j']) await page.keyboard.press(key)
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/hooks')
      expect(await page.locator('html').getAttribute('data-theme')).toBeNull()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor()
      await close()
    } finally {
      await own.stop()
    }
  })

  itInAll('closes its connection while hidden, so that a seventh tab opens', async () => {
    const { page, context, close } = await openWindow()
    const own = await startPanel()
    try {
      // The browser here shows every tab at once; it is told that it does not.
      await context.addInitScript(() => {
        let hidden = false
        Object.defineProperty(document, 'hidden', { get: () => hidden })
        addEventListener('hide-me', () => {
          hidden = true
          document.dispatchEvent(new Event('visibilitychange'))
        })
        const real = setTimeout
        // Ten seconds are long for a test.
        window.setTimeout = ((run: () => void, ms: number) => real(run, ms === 10_000 ? 50 : ms)) as never
      })
      await page.goto(own.link)
      await page.getByRole('heading', { name: 'Hooks', exact: true }).waitFor()
      for (let tab = 0; tab < 7; tab++) {
        const pages = context.pages()
        await pages.at(-1)!.evaluate(() => void dispatchEvent(new Event('hide-me')))
        const next = await context.newPage()
        await next.goto(`${own.url}/hooks`)
        await next.getByRole('heading', { name: 'Hooks', exact: true }).waitFor()
      }
      await close()
    } finally {
      await own.stop()
    }
  })
})

describe.skipIf(!hasChromium())('the dashboard', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team.stop())

  it('is reached by keys alone', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(team.url)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await examine(page, 'the keys')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or jump to' })
    await palette.waitFor()
    await page.keyboard.type('over')
    await examine(page, 'the palette')
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).pathname).toBe('/overview')
    await picture(page, 'team-shell')
    await close()
  })

  it('loads less than 200 KB first', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    const { kb, files } = await weigh(page, `${team.url}/overview`)
    expect(kb, files.join('\n')).toBeLessThan(200)
    await close()
  })
})
