// The list of the page Runs: its parts, and new runs for it.

import type { Page } from 'playwright-core'
import type { TestPanel } from './panel.js'
import { addToLog, record } from './records.js'

export const grid = (page: Page) => page.getByRole('grid', { name: 'Runs' })
export const rows = (page: Page) => grid(page).locator('[role="row"]:not([aria-rowindex="1"])')
export const side = (page: Page) => page.getByRole('complementary', { name: 'Run' })
export const firstRow = (page: Page) => grid(page).locator('[aria-rowindex="2"]')
export const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
/** Returns when the current rows are rendered: a list renders in the frame after a scroll. */
export const scrollTo = (page: Page, top: number) =>
  grid(page).evaluate(async (element, to) => {
    element.scrollTop = to
    for (const _ of 'ab') await new Promise(requestAnimationFrame)
  }, top)
export const scrollTop = (page: Page) => grid(page).evaluate(element => element.scrollTop)

let number = 500_000
/** Appends runs of this moment to the log. */
export const come = (panel: TestPanel, count: number, more = {}) =>
  addToLog(
    panel.logFile,
    Array.from({ length: count }, (_, index) => record(++number, Date.now() + index, more)),
  )
