// Foreign text: thousands of letters without a space, right-to-left text, invisible letters, letters that reverse
// what follows, and markup. Pages show all of it as plain text, and none scrolls sideways because of it.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { runsEverything } from '../scope.js'
import { expectAccessible, expectFits, type Theme, type Window } from './browser.js'

/** A terminal escape, a bell, characters without width, a direction override, and markup. */
export const MARKUP = '<img src=x onerror="hacked=1"> שלום עולם مرحبا'
export const ODD = `\u202Egnp.exe\u200b\u0007\u001b[31m${MARKUP}`
/** Wider than any screen either way. */
export const LONG = `${ODD}${'x'.repeat(runsEverything ? 10_000 : 2_000)}`
/** By default only the narrowest, where a page is most likely to scroll sideways. */
const WIDTHS = runsEverything ? [2560, 768, 360] : [360]
const EXAMINED = (['light', 'dark'] as const satisfies Theme[]).flatMap(theme =>
  [1440, 360].map(width => ({ theme, width })),
)

/** Every invisible letter on the page, with the element that contains it. */
export const unseen = (page: Page) =>
  page.evaluate(() => {
    const letters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/
    const found: string[] = []
    const look = (text: string | null, where: string) => {
      if (text && letters.test(text)) found.push(`${where}: ${JSON.stringify(text.slice(0, 60))}`)
    }
    look(document.title, 'title')
    for (const element of document.querySelectorAll('body *')) {
      // The editor renders them in its own way.
      if (element.closest('.cm-editor')) continue
      for (const name of ['title', 'aria-label', 'placeholder', 'alt'])
        look(element.getAttribute(name), `${element.tagName} ${name}`)
      for (const child of element.childNodes)
        if (child.nodeType === Node.TEXT_NODE)
          look(child.textContent, `${element.tagName} ${element.className}`)
    }
    return [...new Set(found)]
  })

/** The default run follows links from page to page, without loading the scripts and axe again. */
async function open(page: Page, url: string): Promise<void> {
  const { origin } = new URL(url)
  const isOnPage =
    !runsEverything &&
    new URL(page.url()).origin === origin &&
    (await page.evaluate(() => '__TSR_ROUTER__' in self))
  if (!isOnPage) {
    await page.goto(url)
    return
  }
  await page.evaluate(
    to => (self as unknown as Routed).__TSR_ROUTER__.history.push(to),
    url.slice(origin.length),
  )
  await page.waitForFunction(() => {
    const { state, history } = (self as unknown as Routed).__TSR_ROUTER__
    return (
      state.status === 'idle' && state.resolvedLocation?.state.__TSR_key === history.location.state.__TSR_key
    )
  })
}

/** State of TanStack Router on the page. Every visit has its own key. */
interface Visit {
  state: { __TSR_key?: string }
}
interface Routed {
  __TSR_ROUTER__: {
    history: { push: (path: string) => void; location: Visit }
    state: { status: string; resolvedLocation?: Visit }
  }
}

/**
 * Returns a function that opens a page, waits until it has loaded, and checks it at every width. Runs axe on one page for
 * each width and theme; test:all runs it once for each path, alternating widths and themes.
 */
export function surveyIn({ page }: Window): (url: string) => Promise<void> {
  const examined = new Set<string>()
  return async url => {
    await page.setViewportSize({ width: 1440, height: 820 })
    await open(page, url)
    await page.locator('main h1, main h2, [role="complementary"]').first().waitFor()
    await page.waitForFunction(
      () =>
        !document.querySelector('main [aria-busy="true"], [class*="bone"], [class*="waiting"][aria-busy]') &&
        !/^\s*$/.test(document.querySelector('main')!.textContent!),
    )
    // Elements that measure themselves need two frames.
    await page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    })
    const { pathname, search } = new URL(url)
    const path = pathname + search
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 820 })
      await expectFits(page, `${path} at ${width}`)
    }
    expect.soft(await unseen(page), path).toEqual([])
    expect.soft(await page.locator('img:not(.cm-widgetBuffer, [src="/icon.svg"])').count(), path).toBe(0)
    expect.soft(await page.evaluate(() => 'hacked' in window), path).toBe(false)
    if (examined.has(pathname) || (!runsEverything && examined.size === EXAMINED.length)) return
    const { width, theme } = EXAMINED[examined.size % EXAMINED.length]!
    examined.add(pathname)
    await page.setViewportSize({ width, height: 820 })
    await page.emulateMedia({ colorScheme: theme })
    await expectAccessible(page, `${path}, ${theme}, ${width} wide`)
  }
}
