// The shell of both apps: it loads under its content policy, and the keys work.

import { DevicesService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow, picture, WIDTHS, weigh } from './browser.js'
import { enrol, publishHook } from './fleet.js'
import { look } from './inside.js'
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
    const locked = await openWindow({ tolerate: [/401/] })
    await locked.page.goto(panel.link)
    await locked.page.getByRole('heading', { name: 'This panel is locked' }).waitFor()
    await examine(locked.page)
    await locked.close()
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
      // Even if no script of the page ever runs.
      await page.route(/\/assets\/.*\.js$/, route => route.abort())
      await page.reload({ waitUntil: 'domcontentloaded' })
      expect(await page.locator('#root').textContent()).toBe('')
      expect(await colour()).toBe(dark)
      await close()
    } finally {
      await own.stop()
    }
  })

  it('finds hooks, and opens the page of one', async () => {
    const own = await startPanel()
    const { page, close } = await look(own, '/runs')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('guard.sh')
    await page
      .getByRole('option', { name: /guard\.sh project hook/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'guard.sh' }).waitFor()
    await close()
    await own.stop()
  })

  itInAll('disables single-key shortcuts on request; shortcuts with Ctrl still work', async () => {
    const { page, close } = await openWindow()
    const own = await startPanel()
    try {
      await page.goto(own.link)
      await page.getByRole('heading', { name: 'Hooks', exact: true }).waitFor()
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: 'Shortcuts' })
      await keys.getByRole('checkbox', { name: /Use single keys/ }).uncheck()
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
      // The browser here treats every tab as visible; the test overrides it.
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
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
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

  it('finds hooks, devices, people, releases and docs, as links', async () => {
    const { hookId } = await publishHook(team, 'No forced pushes')
    const laptop = await enrol(team, 'emil-laptop')
    await team.owner.as(DevicesService).setDeviceOwner({ id: laptop.id, owner: 'emil@example.com' })
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/settings/tokens`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search or jump to' })
    const option = (name: RegExp) => page.getByRole('option', { name })
    for (const [text, name, href] of [
      ['forced', /No forced pushes hook/, `/hooks/${hookId}`],
      ['emil', /emil-laptop device/, `/devices?device=${laptop.id}`],
      ['emil', /emil@example\.com devices of a person/, '/devices?owner=emil%40example.com'],
      ['emil', /emil@example\.com records of a person/, '/audit?owner=emil%40example.com'],
      ['olga', /Olga olga@example\.com records/, '/audit?owner=olga%40example.com'],
      ['release 1', /Release 1: No forced pushes/, '/rollout/1'],
      ['merged', /How responses are merged docs/, 'https://github.com/'],
      ['a b', /Records that contain “a b”/, '/audit?q=a%20b'],
    ] as const) {
      await field.fill(text)
      await option(name).waitFor()
      expect(await option(name).getAttribute('href')).toContain(href)
    }
    await field.fill('emil')
    await option(/emil-laptop/).waitFor()
    await examine(page, 'results of the palette')
    // With Ctrl, the browser opens the link in a new tab; the page does not handle the click.
    const isLeftToBrowser = await option(/emil-laptop/).evaluate(
      link =>
        new Promise(resolve => {
          const take = (event: Event) => {
            resolve(!event.defaultPrevented)
            event.preventDefault()
          }
          addEventListener('click', take, { once: true })
          link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true }))
        }),
    )
    expect(isLeftToBrowser).toBe(true)
    await option(/emil-laptop/).click()
    await page.getByRole('complementary', { name: 'Device' }).getByText(laptop.id).waitFor()
    await close()
  })

  it('names each page in its tab and in the breadcrumbs, and has the account at every width', async () => {
    const { hookId } = await publishHook(team, 'Names')
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
    for (const [path, title, crumb] of [
      ['/overview', 'Overview · Harbour works · Holdfast', 'Harbour works / Overview'],
      [`/hooks/${hookId}`, 'Names · Hooks · Harbour works · Holdfast', 'Harbour works / Hooks / Names'],
      [
        `/hooks/${hookId}/rev/1`,
        'Names, revision 1 · Hooks · Harbour works · Holdfast',
        'Harbour works / Hooks / Names, revision 1',
      ],
      ['/rollout/1', 'Release 1 · Rollout · Harbour works · Holdfast', 'Harbour works / Rollout / Release 1'],
      [
        '/audit/admin',
        'Admin actions · Audit · Harbour works · Holdfast',
        'Harbour works / Audit / Admin actions',
      ],
      ['/settings/keys', 'Keys · Settings · Harbour works · Holdfast', 'Harbour works / Settings / Keys'],
    ] as const) {
      await page.goto(team.url + path)
      await expect.poll(() => page.title(), { message: path }).toBe(title)
      expect((await crumbs.textContent())?.trim()).toBe(crumb)
    }
    await crumbs.getByRole('link', { name: 'Settings' }).click()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('button', { name: 'Account of Olga' }).click()
      const menu = page.getByRole('dialog', { name: 'Account' })
      await menu.getByText('olga@example.com').waitFor()
      await menu.getByRole('button', { name: 'Sign out' }).waitFor()
      await examine(page, `the account, ${width} wide`)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'hidden' })
    }
    await close()
  })

  it('loads less than 200 KB first', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    const { kb, files } = await weigh(page, `${team.url}/overview`)
    expect(kb, files.join('\n')).toBeLessThan(200)
    await close()
  })
})
