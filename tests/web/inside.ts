// Windows that are inside the panel. Its link works once, so the first of them leaves its cookie for the others.

import { openWindow, type Window, type WindowOptions } from './browser.js'
import type { TestPanel } from './panel.js'

type Cookies = NonNullable<WindowOptions['cookies']>
const known = new Map<TestPanel, Cookies>()

export async function cookiesOf(panel: TestPanel): Promise<Cookies> {
  if (!known.has(panel)) {
    const { page, context, close } = await openWindow()
    await page.goto(panel.link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    known.set(panel, await context.cookies())
    await close()
  }
  return known.get(panel)!
}

/** Looking at a page. */
export async function look(panel: TestPanel, path: string, options: WindowOptions = {}): Promise<Window> {
  const window = await openWindow({ ...options, cookies: await cookiesOf(panel) })
  await window.page.goto(`${panel.url}${path}`)
  await window.page.getByRole('heading', { level: 1 }).waitFor()
  return window
}
