// The matrix of hooks and versions.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, picture, weigh } from './browser.js'
import { look, pagesOf } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'

describe.skipIf(!hasChromium())('compat', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
  })
  afterAll(() => panel.stop())
  const openPage = pagesOf(() => panel)
  async function open(): Promise<Page> {
    const page = await openPage('/compat')
    await page.getByRole('table').waitFor()
    return page
  }

  it('says in words and by a sign what works where, as holdfast compat does', async () => {
    const page = await open()
    const heads = await page.getByRole('columnheader').allTextContents()
    expect(heads).toEqual([
      'Hook',
      'cursor-1.7',
      'cursor-2.1',
      'cursor-2.3',
      'cursor-2.4',
      'cursor-3',
      'holdfast',
    ])
    const guard = page.getByRole('row', { name: /guard\.sh/ })
    const cells = await guard.getByRole('cell').allTextContents()
    expect(cells).toHaveLength(6)
    expect(cells.at(-1)).toBe('works')
    expect(cells[0]).toBe('ignored')
    expect(await guard.getByRole('cell').first().locator('svg').count()).toBe(1)
  })

  itInAll('filters to differences, keeps the filter in the address, and clears it again', async () => {
    const page = await open()
    const before = await page.getByRole('row').count()
    await page.getByRole('checkbox', { name: 'Only differences' }).check()
    await expect.poll(() => new URL(page.url()).searchParams.get('only')).toBe('differences')
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(before)
    await page.goto(`${panel.url}/compat?event=stop`)
    await page.getByRole('heading', { name: 'No hooks match' }).waitFor()
    await examineInBoth(page, 'compat, filtered away')
    await page.getByRole('button', { name: 'Clear the filters' }).last().click()
    await page.getByRole('table').waitFor()
  })

  itInAll('opens a difference and its fix by mouse and by keyboard', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'guard.sh' }).click()
    const side = page.getByRole('complementary', { name: 'Versions of guard.sh' })
    await side
      .getByText(/not found from/)
      .first()
      .waitFor()
    await picture(page, 'panel-compat-open')
    await page.keyboard.press('j')
    await page.getByRole('complementary', { name: 'Versions of watch.sh' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0)
    await page.goBack()
    await page.getByRole('complementary').waitFor()
  })

  itInAll('keeps the first row and column visible at 360 px', async () => {
    const page = await open()
    await page.setViewportSize({ width: 360, height: 480 })
    const name = page.getByRole('button', { name: 'guard.sh' })
    const before = await name.boundingBox()
    await page.getByRole('region', { name: 'Hooks by version' }).evaluate(box => box.scrollTo(400, 60))
    const head = page.getByRole('columnheader', { name: 'Hook' })
    const after = await name.boundingBox()
    expect(after!.x).toBe(before!.x)
    const place = await head.boundingBox()
    const box = await page.getByRole('region', { name: 'Hooks by version' }).boundingBox()
    expect(Math.abs(place!.y - box!.y)).toBeLessThan(3)
  })

  itInAll('renders at every width in both themes', async () => {
    const page = await open()
    await picture(page, 'panel-compat')
  })

  itInAll('loads less than 200 KB first', async () => {
    const page = await open()
    const { kb, files } = await weigh(page, `${panel.url}/compat`)
    expect(kb, files.join('\n')).toBeLessThan(200)
  })
})

describe.skipIf(!hasChromium())('compat without hooks', () => {
  it('says what to do', async () => {
    const panel = await startPanel({ files: { 'README.md': 'nothing\n' } })
    const { page, close } = await look(panel, '/compat')
    await page.getByRole('heading', { name: 'There are no hooks to compare' }).waitFor()
    await examine(page, 'compat without hooks')
    await close()
    await panel.stop()
  })
})
