// A window that is watched: whatever a page says to the console, whatever the policy stops and whatever leaves this
// machine is a failure, unless the test expects it.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'

export const WIDTHS = [360, 1024, 1440] as const
export type Theme = 'light' | 'dark'

/** Without a Chromium there is nothing to test; the set-up has said so. */
export const hasChromium = (): boolean => inject('chromium') !== ''

let connection: Promise<Browser> | undefined
const browser = () => (connection ??= chromium.connect(inject('chromium')))

export interface WindowOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: Theme
  /** A telephone: no mouse, no hover. */
  readonly isTouch?: boolean
  readonly cookies?: Parameters<BrowserContext['addCookies']>[0]
  /** What the page may say to the console; a refused call is said there by the browser itself. */
  readonly tolerate?: readonly RegExp[]
}

export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** What went wrong so far. */
  readonly problems: string[]
  /** Closes it; fails when anything went wrong. */
  close(): Promise<void>
}

export async function openWindow(options: WindowOptions = {}): Promise<Window> {
  const { width = 1440, height = 820, theme = 'light', isTouch = false, cookies, tolerate = [] } = options
  const context = await (await browser()).newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: isTouch,
    isMobile: isTouch,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  context.setDefaultTimeout(15_000)
  if (cookies) await context.addCookies(cookies)
  const problems: string[] = []
  const note = (text: string) => {
    if (!tolerate.some(one => one.test(text))) problems.push(text)
  }
  context.on('page', page => {
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') note(message.text())
    })
    page.on('pageerror', error => note(`uncaught: ${error.message}`))
    page.on('request', request => {
      const { hostname, protocol } = new URL(request.url())
      if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && !/^(data|blob):$/.test(protocol))
        note(`a request left this machine: ${request.url()}`)
    })
  })
  const page = await context.newPage()
  return {
    page,
    context,
    problems,
    async close() {
      await context.close()
      expect(problems).toEqual([])
    },
  }
}

/** No serious finding of axe, and nothing that makes the page scroll sideways. */
export async function examine(page: Page, what = page.url()): Promise<void> {
  // To read axe in takes twice as long as to run it; what was looked at before has it.
  const isThere = await page.evaluate(() => 'axe' in window)
  // No page of ours has frames, so axe needs no page of its own to gather what it found: half the time.
  const { violations } = await new AxeBuilder({ page, ...(isThere && { axeSource: ';' }) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .analyze()
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target.join(' ')).join(', ')}`)
  expect(grave, `axe on ${what}`).toEqual([])
  await expectFits(page, what)
}

/** The same in either theme: what goes wrong has colours of its own. */
export async function examineInBoth(page: Page, what = page.url()): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await examine(page, `${what}, ${theme}`)
  }
}

/** Nothing makes the page scroll sideways. */
export async function expectFits(page: Page, what: string): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }))
  expect(scroll, `${what} scrolls sideways`).toBeLessThanOrEqual(client)
}

const SHOTS = fileURLToPath(new URL('../../artefacts/pages/', import.meta.url))

/** Pictures of what is open, at three widths in both themes, for people to look at; the outer widths are examined, too. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true })
  const before = page.viewportSize()!
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 500 ? 740 : 820 })
      await page.evaluate(() => document.fonts.ready)
      await page.screenshot({
        path: join(SHOTS, `${name}-${theme}-${width}.png`),
        animations: 'disabled',
        caret: 'hide',
      })
      const what = `${name}, ${theme}, ${width} wide`
      await (width === 1024 ? expectFits(page, what) : examine(page, what))
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(before)
}

/** Kilobytes that came over the wire until nothing more came, packed as the browser got them; fonts apart. */
export async function weigh(page: Page, url: string): Promise<{ kb: number; files: string[] }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const urls = new Map<string, string>()
  const sizes = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, response.url))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    sizes.set(requestId, encodedDataLength),
  )
  await page.goto(url)
  await page.waitForTimeout(1500)
  const files = [...sizes]
    .map(([id, size]) => ({ url: urls.get(id) ?? '', size }))
    .filter(({ url }) => !url.endsWith('.woff2'))
    .sort((a, b) => b.size - a.size)
  await session.detach()
  return {
    kb: files.reduce((sum, { size }) => sum + size, 0) / 1024,
    files: files.map(({ url, size }) => `${(size / 1024).toFixed(1)} KB ${new URL(url).pathname}`),
  }
}
