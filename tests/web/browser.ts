// A browser window that fails its test for console messages, violations of the content policy and requests to other
// machines, unless the test expects them.

import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Disposable, type Page } from 'playwright-core'
import { expect, inject, onTestFailed } from 'vitest'
import { runsEverything } from '../scope.js'

export const WIDTHS = [360, 1024, 1440] as const
export type Theme = 'light' | 'dark'

/** Without a Chromium these tests are skipped; the set-up prints why. */
export const hasChromium = (): boolean => inject('chromium') !== ''

let connection: Promise<Browser> | undefined
const browser = () => (connection ??= chromium.connect(inject('chromium')))

export interface WindowOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: Theme
  /** A phone: no mouse, no hover. */
  readonly isTouch?: boolean
  readonly cookies?: Parameters<BrowserContext['addCookies']>[0]
  /** Entries of localStorage that are present before the page loads. */
  readonly stored?: { readonly origin: string; readonly entries: Readonly<Record<string, string>> }
  /** Opens with an empty cache and is not used again: for tests that install a clock or measure downloads. */
  readonly isFresh?: boolean
  /** Console messages that the test expects; the browser itself logs every failed request. */
  readonly tolerate?: readonly RegExp[]
}

export interface Window {
  readonly page: Page
  /** A window whose context a test has changed is not used again. */
  readonly context: BrowserContext
  /** The problems so far. */
  readonly problems: string[]
  /** Closes it; fails if there was any problem. */
  close(): Promise<void>
}

/** A context with one page, which the tests of a worker use one after the other: a warm page loads in half the time. */
interface View {
  readonly context: BrowserContext
  readonly page: Page
  note(text: string): void
}
const idle: View[] = []

async function createView(isTouch: boolean): Promise<View> {
  const context = await (await browser()).newContext({
    hasTouch: isTouch,
    isMobile: isTouch,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  context.setDefaultTimeout(60_000)
  const view: View = { context, page: await context.newPage(), note: () => {} }
  context.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') view.note(message.text())
  })
  context.on('weberror', error => view.note(`uncaught: ${error.error().message}`))
  context.on('request', request => {
    const { hostname, protocol } = new URL(request.url())
    if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && !/^(data|blob):$/.test(protocol))
      view.note(`a request left this machine: ${request.url()}`)
  })
  return view
}

/** Leaves the page at a plain file, without history, storage, cookies, routes or listeners. */
async function reset({ context, page }: View, scripts: readonly Disposable[]): Promise<void> {
  for (const type of ['request', 'requestfailed', 'response', 'framenavigated', 'dialog'])
    page.removeAllListeners(type)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const script of scripts) await script.dispose()
  // A file of the same origin, as the browser replaces its renderer process between origins.
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/theme.js`)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.mouse.move(0, 0)
  await context.clearCookies()
  const session = await context.newCDPSession(page)
  await session.send('Page.resetNavigationHistory')
  await session.detach()
}

/** The page as text, printed when a test fails. */
async function describePage(page: Page): Promise<void> {
  const text = await page.locator('body').ariaSnapshot({ timeout: 2000 }).catch(String)
  process.stderr.write(`The page was ${page.url()}:\n${text.slice(0, 2000)}\n`)
}

export async function openWindow(options: WindowOptions = {}): Promise<Window> {
  const { width = 1440, height = 820, theme = 'light', isTouch = false, tolerate = [] } = options
  let canReuse = !isTouch && !options.isFresh
  const view = (canReuse && idle.pop()) || (await createView(isTouch))
  const { context, page } = view
  const problems: string[] = []
  view.note = text => {
    if (!tolerate.some(one => one.test(text))) problems.push(text)
  }
  try {
    onTestFailed(() => describePage(page))
  } catch {
    // a window that the set-up of a file opens
  }
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: theme, forcedColors: null, reducedMotion: 'reduce' })
  if (options.cookies) await context.addCookies(options.cookies)
  const scripts: Disposable[] = []
  if (options.stored)
    scripts.push(
      await page.addInitScript(({ origin, entries }) => {
        if (location.origin === origin) for (const name in entries) localStorage.setItem(name, entries[name]!)
      }, options.stored),
    )
  return {
    page,
    get context() {
      canReuse = false
      return context
    },
    problems,
    async close() {
      if (canReuse && !page.isClosed()) {
        // Messages arrive in order: after this call none of this test is outstanding.
        await page.evaluate(() => {})
        view.note = () => {}
        await reset(view, scripts).then(
          () => idle.push(view),
          // The server has ended before its page.
          () => context.close(),
        )
      } else await context.close()
      expect(problems).toEqual([])
    },
  }
}

// The minified file halves the time that the page needs to receive axe.
const AXE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
)

/** No serious finding of axe, and nothing that makes the page scroll sideways. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Loading axe takes twice as long as running it, so it is loaded once per page.
  const isThere = await page.evaluate(() => 'axe' in window)
  // Our pages have no frames, so axe needs no separate page to merge results: half the time.
  const axe = new AxeBuilder({ page, axeSource: isThere ? ';' : AXE })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
  // Rows of a list repeat each other, and colour checks of rows take most of the time.
  if (!runsEverything) axe.exclude('[role="rowgroup"] > [role="row"]:nth-child(n+13)')
  const { violations } = await axe.analyze()
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target.join(' ')).join(', ')}`)
  expect(grave, `axe on ${what}`).toEqual([])
  await expectFits(page, what)
}

/** Runs axe in the current theme. The default run only checks the width here; hostile.ts runs axe on each page. */
export const examine = (page: Page, what = page.url()): Promise<void> =>
  runsEverything ? expectAccessible(page, what) : expectFits(page, what)

/** In both themes, because failures have their own colours. */
export async function examineInBoth(page: Page, what = page.url()): Promise<void> {
  for (const theme of runsEverything ? (['dark', 'light'] as const) : []) {
    await page.emulateMedia({ colorScheme: theme })
    await expectAccessible(page, `${what}, ${theme}`)
  }
  await expectFits(page, what)
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

/** The open page fits at three widths. test:all also examines it in both themes, and takes pictures for review. */
export async function picture(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  for (const theme of runsEverything ? (['dark', 'light'] as const) : (['light'] as const)) {
    if (runsEverything) await page.emulateMedia({ colorScheme: theme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 500 ? 740 : 820 })
      await page.evaluate(() => document.fonts.ready)
      if (runsEverything) await takePicture(page, `${name}-${theme}-${width}`)
      // The middle width has the same colours and elements as the widest.
      await (width === 1024 ? expectFits : examine)(page, `${name}, ${theme}, ${width} wide`)
    }
  }
  await page.setViewportSize(before)
}

async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), animations: 'disabled', caret: 'hide' })
}

/** Requests that stay open as long as the page does. */
const isStream = (url: string) => /\/Watch(Team)?$/.test(url)

/** Kilobytes that came over the wire until the page is complete, compressed as the browser received them; without fonts. */
export async function weigh(page: Page, url: string): Promise<{ kb: number; files: string[] }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const urls = new Map<string, string>()
  const open = new Set<string>()
  const sizes = new Map<string, number>()
  // The browser may never report the end of requests of the previous page.
  let current = ''
  session.on('Network.requestWillBeSent', ({ requestId, loaderId, request, type }) => {
    if (type === 'Document') current = loaderId
    if (loaderId !== current) return
    urls.set(requestId, request.url)
    if (!isStream(request.url)) open.add(requestId)
  })
  session.on('Network.loadingFailed', ({ requestId }) => open.delete(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    open.delete(requestId)
    if (urls.has(requestId)) sizes.set(requestId, encodedDataLength)
  })
  await page.goto(url)
  await page.getByText('Live', { exact: true }).waitFor()
  // Complete: twice in a row nothing is loading or pending, and nothing was requested in between.
  for (
    let quiet = 0, seen = urls.size;
    quiet < 2;
    quiet = open.size > 0 || urls.size > seen ? 0 : quiet + 1
  ) {
    seen = urls.size
    await page.evaluate(
      () => new Promise<void>(done => requestAnimationFrame(() => requestIdleCallback(() => done()))),
    )
  }
  const files = [...sizes]
    .map(([id, size]) => ({ url: urls.get(id) ?? '', size }))
    .filter(({ url }) => !url.endsWith('.woff2'))
    .sort((a, b) => b.size - a.size)
  await session.send('Network.setCacheDisabled', { cacheDisabled: false })
  await session.detach()
  return {
    kb: files.reduce((sum, { size }) => sum + size, 0) / 1024,
    files: files.map(({ url, size }) => `${(size / 1024).toFixed(1)} KB ${new URL(url).pathname}`),
  }
}
