// Problems for eyes, fingers and high-contrast screens, measured in the page. Each function returns sentences; none
// means no problem.

import type { Page } from 'playwright-core'

/** Runs in the page before anything else: how to describe an element. */
export const NAMING = () => {
  const words = (text: string | null | undefined) => (text ?? '').trim().replace(/\s+/g, ' ').slice(0, 50)
  const seen = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return (
      width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    )
  }
  const usable = 'a[href], button, input, select, textarea, summary, [tabindex="0"], [contenteditable="true"]'
  Object.assign(globalThis, {
    sight: {
      seen,
      name: (element: Element) =>
        `<${element.tagName.toLowerCase()}${element.role ? ` role=${element.role}` : ''} class="${element.className}"> ${words(element.getAttribute('aria-label') ?? element.textContent)}`,
      usable: (within: Element) => [...within.querySelectorAll<HTMLElement>(usable)].filter(seen),
    },
  })
}

declare global {
  var sight: {
    seen(element: Element): boolean
    name(element: Element): string
    usable(within: Element): HTMLElement[]
  }
}

/** Wider than the window, the page itself or its main part. A page that a detail covers is one pixel, for screen readers. */
export const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, main section, dialog[open]')]
      .filter(sight.seen)
      .filter(element => element.scrollWidth > element.clientWidth + 1)
      .filter(
        element => element === document.documentElement || getComputedStyle(element).overflowX !== 'visible',
      )
      .map(element => `${element.scrollWidth} px in ${element.clientWidth}: ${sight.name(element)}`),
  )

/** Elements that cannot be scrolled into view uncovered; only those of a dialog if one is open. */
export const outOfReach = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const root = document.querySelector('dialog[open]') ?? document.querySelector('main')!
    const found: string[] = []
    for (const element of sight.usable(root)) {
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const box = element.getBoundingClientRect()
      const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)]
      const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)]
      const at =
        right > left && bottom > top
          ? document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
          : null
      const isThere =
        at && (element.contains(at) || at.contains(element) || at.closest('label')?.contains(element))
      // A large element may be cut, a small one may not.
      const isWhole = bottom - top >= Math.min(box.height, 60) - 1
      if (!isThere || !isWhole) found.push(`${sight.name(element)} under ${at ? sight.name(at) : 'nothing'}`)
    }
    return found
  })

/** How much of the height belongs to the page content, and how much of it to its list. */
export const room = (page: Page): Promise<{ main: number; list: number | null }> =>
  page.evaluate(() => {
    const heightOf = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return Math.min(innerHeight, bottom) - Math.max(0, top)
    }
    const list = [...document.querySelectorAll('main [role="grid"], main [role="treegrid"]')].find(sight.seen)
    list?.scrollIntoView({ block: 'nearest' })
    return { main: heightOf(document.querySelector('main')!), list: list ? heightOf(list) : null }
  })

/** Prose whose lines are too long to find the next one. */
export const longLines = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('p, li, dd, label, legend, h1, h2, h3, div, span')].flatMap(element => {
      const own = [...element.childNodes].filter(node => node instanceof Text)
      const text = own
        .map(({ data }) => data)
        .join('')
        .trim()
      if (text.length < 100 || !sight.seen(element) || element.closest('pre, code, [role="row"], .cm-editor'))
        return []
      const { fontSize, fontFamily } = getComputedStyle(element)
      if (fontFamily.includes('Mono')) return []
      const range = document.createRange()
      range.selectNodeContents(element)
      const widest = Math.max(...[...range.getClientRects()].map(({ width }) => width))
      const letters = widest / (Number.parseFloat(fontSize) * 0.5)
      return letters > 130 ? [`${Math.round(letters)} letters in a line: ${sight.name(element)}`] : []
    }),
  )

/** Selected elements that look like others, buttons without an edge, and invisible focus. */
export const indistinct = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ground = getComputedStyle(document.body).backgroundColor
    // A background equal to that of the page is invisible.
    const look = (element: Element) => {
      const style = getComputedStyle(element)
      const edge = (side: 'Top' | 'Bottom') =>
        style[`border${side}Style`] === 'none' || style[`border${side}Width`] === '0px'
          ? ''
          : `${style[`border${side}Width`]} ${style[`border${side}Color`]}`
      return [
        style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`,
        [ground, 'rgba(0, 0, 0, 0)'].includes(style.backgroundColor) ? '' : style.backgroundColor,
        ...[style.color, edge('Top'), edge('Bottom'), style.textDecorationLine],
      ].join('|')
    }
    const found: string[] = []
    const chosen =
      '[aria-selected="true"], [aria-current="page"], [aria-pressed="true"], [aria-checked="true"]'
    for (const element of document.querySelectorAll(chosen)) {
      if (!sight.seen(element)) continue
      const others = [...document.querySelectorAll(`.${CSS.escape(element.classList[0] ?? 'none')}`)].filter(
        other => !other.matches(chosen) && other.tagName === element.tagName && sight.seen(other),
      )
      if (others.some(other => look(other) === look(element)))
        found.push(`looks like the others: ${sight.name(element)}`)
    }
    for (const button of document.querySelectorAll('button, [role="button"], a[class*="button"]')) {
      if (!sight.seen(button) || button.closest('.cm-editor')) continue
      const { borderTopStyle, borderTopWidth, outlineStyle, textDecorationLine } = getComputedStyle(button)
      const hasEdge =
        (borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) > 0) || outlineStyle !== 'none'
      if (!hasEdge && textDecorationLine !== 'underline') found.push(`no edge: ${sight.name(button)}`)
    }
    // Bars, dots and swatches are nothing but a background.
    for (const mark of document.querySelectorAll(
      '[class*="bar"], [class*="dot"], [class*="swatch"], progress',
    )) {
      if (!sight.seen(mark) || mark.children.length > 0 || mark.textContent) continue
      const { backgroundColor, backgroundImage, borderTopStyle, forcedColorAdjust } = getComputedStyle(mark)
      if (
        backgroundImage === 'none' &&
        borderTopStyle === 'none' &&
        forcedColorAdjust !== 'none' &&
        backgroundColor === ground
      )
        found.push(`vanishes: ${sight.name(mark)}`)
    }
    return found
  })

/**
 * Elements that can be focused without a visible sign. The last pressed key must have been a key of the keyboard
 * navigation.
 */
export const unseenFocus = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const shows = (element: Element | null) => {
      if (!element) return false
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    }
    const before = document.activeElement as HTMLElement | null
    const found = sight.usable(document.body).filter(element => {
      element.focus({ preventScroll: true })
      if (document.activeElement !== element) return false
      const chosen = element.querySelector('[aria-selected="true"]')
      for (let one: Element | null = element; one; one = one.parentElement) if (shows(one)) return false
      return !shows(chosen)
    })
    before?.focus({ preventScroll: true })
    return found.map(element => `focus is not seen: ${sight.name(element)}`)
  })

/** Elements that move, or would move. */
export const moving = (page: Page): Promise<string[]> =>
  page.evaluate(() => [
    ...document
      .getAnimations()
      .filter(
        ({ effect, playState }) =>
          playState === 'running' && Number(effect?.getComputedTiming().duration) > 0,
      )
      .map(({ effect }) => `moves: ${sight.name((effect as KeyframeEffect).target!)}`),
    ...[...document.querySelectorAll('body *')]
      .filter(element =>
        getComputedStyle(element)
          .transitionDuration.split(', ')
          .some(time => time !== '0s'),
      )
      .map(element => `would move: ${sight.name(element)}`),
  ])

/** Too small for a finger. Links within sentences are as high as their line. */
export const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('[role="row"][aria-selected]')].filter(sight.seen)
    const isOther = (element: Element) =>
      element.matches('[role="grid"], [role="treegrid"], [tabindex="0"]:not(button, a, input)') ||
      element.closest('.cm-editor, [class*="skip"]') !== null ||
      // A visible link may be in a text or in a row that does the same.
      (element.matches('a') && getComputedStyle(element).textDecorationLine === 'underline') ||
      getComputedStyle(element).display === 'inline'
    return [...sight.usable(document.body), ...rows]
      .filter(element => !isOther(element))
      .flatMap(element => {
        const target = element.closest('label, [role="search"] [class*="search"]') ?? element
        const { width, height } = target.getBoundingClientRect()
        // The heads of columns are as high as their row.
        const least = element.closest('[role="columnheader"]') ? 24 : 44
        return height < least - 0.5 || width < 23.5
          ? [`${Math.round(width)} × ${Math.round(height)}: ${sight.name(element)}`]
          : []
      })
  })

/** Rules that apply here and show something only while a mouse is over it. */
export const hoverOnly = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.styleSheets]
      .flatMap(sheet => [...sheet.cssRules])
      .filter(rule => !(rule instanceof CSSMediaRule) || matchMedia(rule.conditionText).matches)
      .flatMap(rule =>
        'cssRules' in rule && !(rule instanceof CSSStyleRule) ? [...(rule.cssRules as CSSRuleList)] : [rule],
      )
      .filter(rule => rule instanceof CSSStyleRule)
      .filter(
        ({ selectorText, style }) =>
          selectorText.includes(':hover') && (style.opacity || style.visibility || style.display),
      )
      .map(({ selectorText }) => `only with a mouse: ${selectorText}`),
  )
