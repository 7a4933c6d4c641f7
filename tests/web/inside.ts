// Windows that are inside the panel. Its link works once, so the first of them leaves what lets the others in: the
// cookie, and the word that the page keeps.

import { openWindow, type Window, type WindowOptions } from './browser.js'
import type { TestPanel } from './panel.js'

interface Pass {
  readonly cookies: NonNullable<WindowOptions['cookies']>
  readonly kept: readonly (readonly [string, string])[]
}
const passes = new Map<TestPanel, Pass>()

async function passOf(panel: TestPanel): Promise<Pass> {
  let pass = passes.get(panel)
  if (!pass) {
    const { page, context, close } = await openWindow()
    await page.goto(panel.link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    pass = {
      cookies: await context.cookies(),
      kept: await page.evaluate(() => Object.entries(localStorage) as [string, string][]),
    }
    passes.set(panel, pass)
    await close()
  }
  return pass
}

export async function inside(panel: TestPanel, options: WindowOptions = {}): Promise<Window> {
  const { cookies, kept } = await passOf(panel)
  const window = await openWindow({ ...options, cookies })
  await window.context.addInitScript(
    ({ origin, pairs }) => {
      if (location.origin !== origin) return
      for (const [name, value] of pairs) localStorage.setItem(name, value)
    },
    { origin: panel.url, pairs: kept },
  )
  return window
}

/** Looking at a page. */
export async function look(panel: TestPanel, path: string, options: WindowOptions = {}): Promise<Window> {
  const window = await inside(panel, options)
  await window.page.goto(`${panel.url}${path}`)
  await window.page.getByRole('heading', { level: 1 }).waitFor()
  return window
}
