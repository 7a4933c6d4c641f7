// Runs with texts of megabytes: they load no more data than others, show how much of the text is visible, and every
// action on them uses the complete text.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium } from './browser.js'
import { look } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'
import { record, writeLog } from './records.js'

/** The maximum size of a log line; formatted it is more than 5 MB. */
const ROWS = Array.from({ length: 250_000 }, (_, index) => `\u{1f600}é${String(index).padStart(6, '0')}`)
const HUGE = { tool_name: 'Import', tool_input: { hidden: 'a\u202eb', rows: ROWS } }
const PAYLOAD = JSON.stringify(HUGE, null, 2)

const grid = (page: Page) => page.getByRole('grid', { name: 'Runs' })
const side = (page: Page) => page.getByRole('complementary', { name: 'Run' })
const payload = (page: Page) => side(page).getByRole('region', { name: 'Payload' })

/** Opens a run and its payload. Returns the number of elements in the detail. */
async function open(page: Page, rowIndex: number): Promise<number> {
  const row = grid(page).locator(`[aria-rowindex="${rowIndex}"]`)
  await row.click()
  await grid(page).locator(`[aria-rowindex="${rowIndex}"][data-open]`).waitFor()
  await side(page).getByText('Payload', { exact: true }).click()
  await payload(page).waitFor()
  return side(page).locator('*').count()
}

describe.skipIf(!hasChromium())('a run with a payload of 5 MB', () => {
  let panel: TestPanel
  const now = Date.now() - 60_000
  beforeAll(async () => {
    panel = await startPanel()
    writeLog(panel.logFile, [record(1, now + 1), record(2, now + 2, { event: 'preToolUse', request: HUGE })])
  })
  afterAll(() => panel.stop())

  itInAll('opens like a short one, with a small response', async () => {
    expect(Buffer.byteLength(PAYLOAD)).toBeGreaterThan(5 * 1024 * 1024)
    const { page, close } = await look(panel, '/runs')
    await grid(page).locator('[aria-rowindex="3"]').waitFor()
    const answers: Promise<Buffer>[] = []
    page.on('response', response => {
      if (response.url().endsWith('/GetRun')) answers.push(response.body())
    })
    // Newest first: the huge one, then the small one.
    for (const rowIndex of [2, 3]) expect(await open(page, rowIndex)).toBeLessThan(150)
    const sizes = (await Promise.all(answers)).map(({ length }) => length)
    expect(sizes).toHaveLength(2)
    // With what JSON adds to line ends and quotes.
    expect(Math.max(...sizes)).toBeLessThan(320 * 1024)
    expect(Math.max(...sizes)).toBeGreaterThan(250 * 1024)
    await close()
  })

  itInAll('shows how much is displayed, displays all of it, and downloads it', async () => {
    const { page, context, close } = await look(panel, '/runs', { tolerate: [/ERR_FAILED/] })
    await grid(page).locator('[aria-rowindex="2"]').click()
    await side(page).getByText('Payload').click()
    await side(page)
      .getByText('The first 256 KB of 5.2 MB. It ends in the middle of the JSON.', { exact: true })
      .waitFor()
    const beginning = (await payload(page).textContent())!
    expect(beginning).toContain('a\\u202eb')
    expect(beginning).not.toContain('\ufffd')
    expect(PAYLOAD.replace('\u202e', '\\u202e').startsWith(beginning)).toBe(true)
    const widths = [payload(page), side(page)].map(async each => (await each.boundingBox())!)
    const [inner, outer] = await Promise.all(widths)
    expect(inner!.x + inner!.width).toBeLessThan(outer!.x + outer!.width)
    await examine(page, 'a payload that is cut')

    await context.route('**/GetRunText', route => route.abort())
    await side(page).getByRole('button', { name: 'Show all' }).click()
    await side(page).getByRole('alert').waitFor()
    await context.unroute('**/GetRunText')

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      side(page).getByRole('button', { name: 'Download Payload' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^payload-[\w-]+\.json$/)
    const file = join(panel.home, 'payload.json')
    await download.saveAs(file)
    expect(readFileSync(file, 'utf8')).toBe(PAYLOAD)
    expect(await side(page).getByRole('alert').count()).toBe(0)

    await side(page).getByRole('button', { name: 'Show all' }).click()
    await side(page).getByText('All of it, 5.2 MB.').waitFor()
    expect((await payload(page).textContent())!.length).toBe(PAYLOAD.length + '\\u202e'.length - 1)
    expect(await payload(page).evaluate(element => element === document.activeElement)).toBe(true)
    await close()
  })

  itInAll(
    'is copied, shown raw and fired again completely',
    async () => {
      const { page, context, close } = await look(panel, '/runs')
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await grid(page).locator('[aria-rowindex="2"]').click()
      await side(page).getByRole('button', { name: 'Copy as test' }).click()
      await side(page)
        .getByText(/^Copied\. Save it as/)
        .waitFor()
      expect(await copied()).toContain(ROWS.at(-1)!)

      await side(page).getByRole('button', { name: 'Raw' }).click()
      const dialog = page.getByRole('dialog', { name: 'Raw record' })
      await dialog
        .getByText(/^The first \d+ KB of \d\.\d MB\. It ends in the middle of the JSON\.$/)
        .waitFor()
      await dialog.getByRole('button', { name: 'Copy all', exact: true }).click()
      await page.getByText('The record is copied.').waitFor()
      expect(JSON.parse(await copied())).toMatchObject({ event: 'preToolUse', request: HUGE })
      await page.keyboard.press('Escape')

      const [explain] = await Promise.all([
        page.waitForRequest(request => request.url().endsWith('/Explain')),
        side(page).getByRole('link', { name: 'Fire again' }).click(),
      ])
      expect(explain.postDataBuffer()!.length).toBeGreaterThan(Buffer.byteLength(PAYLOAD))
      await close()
    },
    60_000,
  )
})
