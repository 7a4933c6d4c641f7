// Windows inside the panel. Its link works once, so every window uses the credentials of the first visit: the cookie,
// and the secret that the page stores.

import type { Page } from 'playwright-core'
import { afterEach } from 'vitest'
import { openWindow, type Window, type WindowOptions } from './browser.js'
import { enter } from './calls.js'
import type { TestPanel } from './panel.js'

type Pass = Pick<WindowOptions, 'cookies' | 'stored'>
const passes = new Map<string, Promise<Pass>>()

async function createPass({ link, url }: TestPanel): Promise<Pass> {
  const { cookie, again } = await enter(link)
  const [name, value] = cookie.split('=')
  return {
    cookies: [{ name: name!, value: value!, url }],
    stored: { origin: url, entries: { 'holdfast-again': again } },
  }
}

export async function inside(panel: TestPanel, options: WindowOptions = {}): Promise<Window> {
  if (!passes.has(panel.link)) passes.set(panel.link, createPass(panel))
  return openWindow({ ...options, ...(await passes.get(panel.link)) })
}

/** For a panel whose tests open pages without closing them: each page is closed and checked after its test. */
export function pagesOf(panel: () => TestPanel, options: WindowOptions = {}) {
  const windows: Window[] = []
  afterEach(async () => {
    for (const window of windows.splice(0)) await window.close()
  })
  return async (path: string): Promise<Page> => {
    const window = await inside(panel(), options)
    windows.push(window)
    await window.page.goto(panel().url + path)
    return window.page
  }
}

/** A window on a page. */
export async function look(panel: TestPanel, path: string, options: WindowOptions = {}): Promise<Window> {
  const window = await inside(panel, options)
  await window.page.goto(`${panel.url}${path}`)
  await window.page.getByRole('heading', { level: 1 }).waitFor()
  return window
}
