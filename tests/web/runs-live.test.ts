// The list of the page Runs while runs arrive, and with more runs than a page keeps.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll, runsEverything } from '../scope.js'
import { examine, hasChromium } from './browser.js'
import { inside, look } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'
import { manyRuns, writeLog } from './records.js'
import { come, firstRow, grid, rows, scrollTo, side } from './runs-page.js'

describe.skipIf(!hasChromium())('new runs', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
    writeLog(panel.logFile, manyRuns(400))
  })
  afterAll(() => panel.stop())

  const top = async (page: Page) => (await firstRow(page).textContent()) ?? ''
  const strip = (page: Page) => page.getByRole('button', { name: /^(Show them|Reload)$/ })

  it('appear on top while the list is at the top and nothing is selected', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    come(panel, 3, { request: { command: 'echo fresh' } })
    await expect.poll(() => top(page)).toContain('echo fresh')
    expect(await strip(page).count()).toBe(0)
    await close()
  })

  itInAll('wait while the list is scrolled down, and appear when it returns to the top', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    await scrollTo(page, 2000)
    const seen = rows(page).nth(12)
    const [text, place] = [await seen.getByRole('gridcell').nth(5).textContent(), await seen.boundingBox()]
    come(panel, 5, { request: { command: 'echo while away' } })
    await page.getByText('5 new runs.').waitFor()
    const same = rows(page).filter({ hasText: text! })
    expect((await same.boundingBox())!.y).toBe(place!.y)
    await scrollTo(page, 0)
    await expect.poll(() => top(page)).toContain('echo while away')
    await expect.poll(() => strip(page).count()).toBe(0)
    await close()
  })

  it('do not move or unfocus a selected row, even when 500 arrive', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    for (let step = 0; step < 3; step++) await page.keyboard.press('j')
    const selected = grid(page).locator('[aria-selected="true"]')
    const [text, place] = [await selected.textContent(), await selected.boundingBox()]
    come(panel, 500, { request: { command: 'echo many' } })
    await page.getByText('500 new runs while a run is selected.').waitFor()
    expect(await selected.textContent()).toBe(text)
    expect((await selected.boundingBox())!.y).toBe(place!.y)
    expect(await grid(page).evaluate(element => element === document.activeElement)).toBe(true)
    expect(await page.getByRole('status').allInnerTexts()).toContain('500 new runs waiting')
    await strip(page).click()
    await expect.poll(() => top(page)).toContain('echo many')
    await close()
  })

  itInAll('and their counts wait while the list is paused', async () => {
    const { page, close } = await inside(panel, { isFresh: true })
    await page.clock.install()
    await page.goto(`${panel.url}/runs`)
    await rows(page).first().waitFor()
    const figures = page.getByText(/events in the last 24 hours$/)
    await page.getByText(/^[\d,]+ events in the last 24 hours$/).waitFor()
    const [before, first] = [await figures.textContent(), await top(page)]
    await page.keyboard.press('p')
    await page.getByText('Paused: new runs wait.').waitFor()
    come(panel, 7, { request: { command: 'echo paused' } })
    await page.getByText('7 new runs while paused.').waitFor()
    let counts = 0
    page.on('request', request => {
      if (request.url().endsWith('/CountRuns')) counts++
    })
    // Otherwise figures are read again every five seconds.
    await page.clock.fastForward(6000)
    await page.clock.fastForward(6000)
    expect(counts).toBe(0)
    expect(await figures.textContent()).toBe(before)
    expect(await top(page)).toBe(first)
    await page.keyboard.press('p')
    await expect.poll(() => top(page)).toContain('echo paused')
    await page.clock.fastForward(6000)
    await expect.poll(() => figures.textContent()).not.toBe(before)
    await close()
  })

  itInAll('are only counted when more than a thousand wait', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    await page.keyboard.press('p')
    for (const waiting of ['400 new runs while paused.', '800 new runs while paused.', '1,200 newer.']) {
      come(panel, 400, { request: { command: 'echo flood' } })
      await page.getByText(waiting).waitFor()
    }
    await strip(page).click()
    await expect.poll(() => top(page)).toContain('echo flood')
    await close()
  })

  itInAll('show a gap when too many arrived to list each', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    come(panel, 1500, { request: { command: 'echo torrent' } })
    const gap = rows(page).filter({ hasText: 'Some runs are missing here' })
    await gap.waitFor()
    await examine(page, 'a gap')
    await gap.click()
    await expect.poll(() => top(page)).toContain('echo torrent')
    await gap.waitFor({ state: 'hidden' })
    await close()
  })

  itInAll('that arrived while the stream was down appear once when it is back', async () => {
    for (const path of ['/runs', '/runs?q=unplugged']) {
      const { page, context, close } = await inside(panel, { tolerate: [/ERR_|Failed to/] })
      await context.route('**/Watch', route => route.abort())
      await page.goto(`${panel.url}${path}`)
      await page.getByText(/^Offline, again in/).waitFor()
      await page.getByText(/events in the last 24 hours$/).waitFor()
      const about = `echo unplugged ${path}`
      come(panel, 3, { request: { command: about } })
      await context.unroute('**/Watch')
      // It also retries by itself, and may be faster.
      await Promise.any([
        page.getByRole('button', { name: 'Try now' }).click(),
        page.getByText('Live', { exact: true }).waitFor(),
      ])
      await page.getByText('Live', { exact: true }).waitFor()
      await expect.poll(() => rows(page).filter({ hasText: about }).count()).toBe(3)
      await close()
    }
  })

  itInAll('appear only if they match the filter', async () => {
    const { page, close } = await look(panel, '/runs?hook=user%20guard-git.ts&q=needle')
    await page.getByRole('heading', { name: 'No runs match' }).waitFor()
    come(panel, 1, { source: 'user', hook: 'guard-git.ts', request: { command: 'find needle' } })
    come(panel, 1, { source: 'user', hook: 'audit.sh', request: { command: 'find needle' } })
    await expect.poll(() => rows(page).count(), { timeout: 8000 }).toBe(1)
    await close()
  })
})

describe.skipIf(!hasChromium())('more runs than a page keeps', () => {
  // A page keeps 5,000.
  const count = runsEverything ? 100_000 : 12_000
  const last = count - 1
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
    writeLog(panel.logFile, manyRuns(count))
  })
  afterAll(() => panel.stop())

  itInAll('are scrolled with few of them rendered', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    await page.getByText(`${count.toLocaleString('en')} events in the last 24 hours`).waitFor()
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(count + 1))
    const most = await grid(page).evaluate(async element => {
      let most = 0
      for (let frame = 0; frame < 60; frame++) {
        element.scrollTop += 160
        await new Promise(requestAnimationFrame)
        most = Math.max(most, element.querySelectorAll('[role="row"]').length)
      }
      return most
    })
    expect(most).toBeLessThan(80)
    await scrollTo(page, 0)
    await expect.poll(() => firstRow(page).textContent()).toContain(`# ${last}`)
    await close()
  })

  /** The rendered rows: their places, and whether each shows the right run. */
  const drawn = (page: Page, numberAt: (place: number) => number) =>
    rows(page)
      .evaluateAll(all => all.map(row => [Number(row.getAttribute('aria-rowindex')) - 2, row.textContent!]))
      .then(all => {
        const places = all as [number, string][]
        const wrong = places.filter(([place, text]) => !text.includes(`# ${numberAt(place)}`))
        return { first: places[0]![0], last: places.at(-1)![0], wrong: wrong.length }
      })
  const reads = (page: Page) => {
    const asked: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/ListRuns')) asked.push(request.postData()!)
    })
    return asked
  }

  itInAll(
    'are reachable in a filtered list',
    async () => {
      const { page, close } = await look(panel, '/runs?verdict=deny')
      await rows(page).first().waitFor()
      const asked = reads(page)
      await page.keyboard.press('End')
      await expect
        .poll(() => drawn(page, place => count - 6 - place * 10))
        .toMatchObject({ last: count / 10 - 1, wrong: 0 })
      expect(asked.length).toBeLessThanOrEqual(2)
      await close()
    },
    90_000,
  )

  itInAll(
    'are reachable by End and by the scroll bar, with few reads and each row in its place',
    async () => {
      const { page, close } = await look(panel, '/runs')
      await rows(page).first().waitFor()
      const asked = reads(page)
      const numberAt = (place: number) => last - place
      await page.keyboard.press('End')
      const end = grid(page).locator(`[aria-rowindex="${count + 1}"]`)
      await expect.poll(() => end.textContent()).toContain('# 0')
      await expect.poll(() => drawn(page, numberAt)).toMatchObject({ last, wrong: 0 })
      expect(await end.getAttribute('aria-selected')).toBe('true')
      expect(asked.length).toBeLessThanOrEqual(2)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Event' }).waitFor()
      expect(await side(page).textContent()).toContain('# 0')
      await page.keyboard.press('[')
      await expect.poll(() => side(page).textContent()).toContain('# 1')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')

      // Dragging past rows does not load them.
      const before = asked.length
      await grid(page).evaluate(async element => {
        for (let step = 100; step >= 50; step--) {
          element.scrollTop = (element.scrollHeight * step) / 100
          await new Promise(requestAnimationFrame)
        }
      })
      await expect.poll(() => drawn(page, numberAt)).toMatchObject({ wrong: 0 })
      expect((await drawn(page, numberAt)).first).toBeGreaterThan(count * 0.49)
      expect(asked.length - before).toBeLessThan(60)
      for (const part of [0.777, 0.003, 0.99, 0.12345, 0.5]) {
        await scrollTo(page, Math.floor(count * part) * 32)
        await expect.poll(() => drawn(page, numberAt)).toMatchObject({ wrong: 0 })
      }
      expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(count + 1))

      // New ones wait above, and move nothing here.
      const seen = await drawn(page, numberAt)
      come(panel, 5)
      await page.getByText('5 new runs.').waitFor()
      expect(await drawn(page, numberAt)).toMatchObject({ first: seen.first, wrong: 0 })
      await page.keyboard.press('Home')
      await expect.poll(() => firstRow(page).textContent()).toContain(`# ${last}`)
      await close()
    },
    90_000,
  )
})
