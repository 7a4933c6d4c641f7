// Missing files of a page: another version of the server started while the page was open, or the server is gone.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow } from './browser.js'
import { draft } from './fleet.js'
import { startPanel, type TestPanel } from './panel.js'
import { startTeam, type TestTeam } from './team.js'

const MISSING = [/net::ERR|Failed to (load|fetch)|status of 40[14]|file of this page|preload assets/]
const place = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: new RegExp(name) })

/** A server of another version has no file of that name. */
const loseFile = (page: Page, file: RegExp) =>
  page.route(file, route => route.fulfill({ status: 404, body: 'This page does not exist.\n' }))

const countLoads = (page: Page) => {
  let count = 0
  page.on('framenavigated', frame => {
    if (frame === page.mainFrame()) count++
  })
  return () => count
}

describe.skipIf(!hasChromium())('a panel of another version', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel({ isProcess: true })
  })
  afterAll(() => panel.stop())

  itInAll(
    'is reloaded once; if that does not help, a message offers a reload instead of a loop',
    async () => {
      const { page, close } = await openWindow({ isFresh: true, tolerate: MISSING })
      await page.clock.install()
      await page.goto(panel.link)
      await page.getByRole('heading', { name: 'Hooks', level: 1 }).waitFor()
      await loseFile(page, /\/assets\/compat-[\w-]+\.js$/)
      let documents = 0
      page.on('request', request => {
        if (request.isNavigationRequest()) documents++
      })
      await place(page, 'Compat').click()
      await page.getByRole('heading', { name: 'This page is outdated' }).waitFor()
      await examine(page, 'a page of an older version')
      await page.clock.fastForward(10_000)
      expect(documents).toBe(1)
      // The rest of the panel works.
      await place(page, 'Hooks').click()
      await page.getByRole('row').filter({ hasText: 'guard.sh' }).waitFor()
      await place(page, 'Compat').click()
      await page.unroute(/\/assets\/compat-[\w-]+\.js$/)
      await page.getByRole('button', { name: 'Reload' }).click()
      await page.getByRole('table').waitFor()
      await close()
    },
  )

  itInAll('that is unreachable is reported on the page, which recovers with the server', async () => {
    const { page, context, close } = await openWindow({ tolerate: MISSING })
    await page.goto(await panel.restart())
    await page.getByRole('heading', { name: 'Hooks', level: 1 }).waitFor()
    await context.setOffline(true)
    await place(page, 'Sessions').click()
    await page.getByRole('heading', { name: 'The server does not respond' }).waitFor()
    await examine(page, 'a page without a server')
    await page.getByRole('button', { name: 'Try again' }).click()
    await place(page, 'Sessions').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor()
    await close()
  })
})

describe.skipIf(!hasChromium())('a team server of another version', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team?.stop())

  itInAll('keeps unsaved text when files of the old version are missing', async () => {
    const hook = await draft(team.owner, 'Typed')
    const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: MISSING })
    await loseFile(page, /\/assets\/(help|palette|view|json|languages|diff)[\w-]*\.js$/)
    await page.goto(`${team.url}/hooks/${hook.id}`)
    // Without the editor there is a plain text field.
    const script = page.getByRole('textbox', { name: 'Script', exact: true })
    await script.fill('#!/bin/sh\n# typed\n')
    const matcher = page.getByLabel('Matcher')
    await matcher.fill('git push')
    const loads = countLoads(page)
    await page.getByRole('heading', { name: 'Typed' }).click()
    for (const keys of ['?', 'Control+k']) {
      await page.keyboard.press(keys)
      const dialog = page.getByRole('dialog', { name: 'Loading failed' })
      await dialog.waitFor()
      await examine(page, 'a part that is missing')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
    }
    expect(await matcher.inputValue()).toBe('git push')
    expect(await script.inputValue()).toContain('# typed')
    expect(loads()).toBe(0)
    await page.keyboard.press('Control+s')
    await page.getByText('Draft, version 2').waitFor()
    await close()
  })
})
