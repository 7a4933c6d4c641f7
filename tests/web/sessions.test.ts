// The page Sessions: one conversation as a tree with bars, and the hooks that it waited for.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, picture } from './browser.js'
import { inside, look } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'
import { addToLog, conversation, deepConversation, oddSession, releaseSession, writeLog } from './records.js'

const tree = (page: Page) => page.getByRole('treegrid')
const rows = (page: Page) => tree(page).locator('[role="row"][aria-level]')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text })
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
const selected = (page: Page) => tree(page).locator('[aria-selected="true"]')

describe.skipIf(!hasChromium())('sessions', () => {
  let panel: TestPanel
  const began = Date.now() - 120_000
  beforeAll(async () => {
    panel = await startPanel()
    writeLog(panel.logFile, [
      ...releaseSession('c-old', began - 3_600_000),
      ...conversation('c-other', began - 60_000, [
        { at: 5, event: 'beforeSubmitPrompt', request: { prompt: 'Explain the build' }, runs: [{}] },
      ]),
      ...releaseSession('c-release', began),
    ])
  })
  afterAll(() => panel.stop())

  itInAll('are explained while there is none', async () => {
    const empty = await startPanel()
    const { page, close } = await look(empty, '/sessions')
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor()
    await examine(page)
    await close()
    await empty.stop()
  })

  it('are listed, the one that moved last first, found by text, and opened by keys', async () => {
    const { page, close } = await look(panel, '/sessions')
    const list = page.getByRole('grid', { name: 'Sessions' })
    const first = list.locator('[aria-rowindex="2"]')
    await first.waitFor()
    expect(await list.getAttribute('aria-rowcount')).toBe('4')
    expect(await first.textContent()).toContain('Fix the failing release and push it')
    expect(await first.textContent()).toContain('1 denied')
    expect(await first.textContent()).toContain('1 failed open')
    await page.keyboard.press('/')
    await page.keyboard.type('explain')
    await expect.poll(() => param(page, 'q')).toBe('explain')
    await expect.poll(() => list.getAttribute('aria-rowcount')).toBe('2')
    await page.keyboard.type('ed to nobody')
    await page.getByRole('heading', { name: 'No sessions match' }).waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).last().click()
    await expect.poll(() => list.getAttribute('aria-rowcount')).toBe('4')
    await list.focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sessions/c-release')
    await rows(page).first().waitFor()
    await page.goBack()
    await first.waitFor()
    expect(await first.getAttribute('aria-selected')).toBe('true')
    await close()
  })

  it('are a tree: nested, marked, with the sum of what was waited for', async () => {
    const { page, close } = await look(panel, '/sessions/c-release')
    await row(page, 'git push --force').waitFor()
    const levelOf = async (text: string) => Number(await row(page, text).first().getAttribute('aria-level'))
    expect(await levelOf('npm test')).toBe((await levelOf('Fix the failing release')) + 1)
    expect(await levelOf('guard-git.ts')).toBe((await levelOf('npm test')) + 1)
    expect(await row(page, 'git push --force').textContent()).toContain('deny')
    expect(await row(page, 'notify.py').textContent()).toContain('failed open')
    // Every bar is wide enough to see, and none is outside of its lane.
    const bars = await tree(page).evaluate(element =>
      [...element.querySelectorAll('[role="row"][aria-level]')].map(each => {
        const lane = each.children[1]!.getBoundingClientRect()
        const bar = each.children[1]!.firstElementChild!.getBoundingClientRect()
        return { width: bar.width, inside: bar.left >= lane.left - 0.5 && bar.right <= lane.right + 0.5 }
      }),
    )
    for (const bar of bars) expect(bar).toEqual({ width: expect.any(Number), inside: true })
    expect(Math.min(...bars.map(({ width }) => width))).toBeGreaterThanOrEqual(4)
    await page.getByText('waiting on hooks').waitFor()
    await close()
  })

  itInAll('are selected, expanded and collapsed by keyboard', async () => {
    const { page, close } = await look(panel, '/sessions/c-release')
    await rows(page).first().waitFor()
    const all = await rows(page).count()
    await page.keyboard.press('End')
    expect(await selected(page).getAttribute('aria-rowindex')).toBe(String(all + 1))
    await page.keyboard.press('Home')
    expect(await selected(page).getAttribute('aria-rowindex')).toBe('2')
    await page.keyboard.press('ArrowLeft')
    expect(await rows(page).count()).toBe(1)
    expect(await selected(page).getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowRight')
    expect(await rows(page).count()).toBe(all)
    await page.keyboard.press('ArrowRight')
    expect(await selected(page).getAttribute('aria-rowindex')).toBe('3')
    await page.keyboard.press('w')
    expect(await rows(page).count()).toBeLessThan(all)
    await page.keyboard.press('e')
    expect(await rows(page).count()).toBe(all)
    // From a leaf to its parent.
    await row(page, 'policy.sh').click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    expect(await selected(page).textContent()).toContain('terraform apply')
    await close()
  })

  itInAll('show the details of a run beside them, with a link to it', async () => {
    const { page, close } = await look(panel, '/sessions/c-release')
    await row(page, 'git push --force').waitFor()
    await row(page, 'guard-git.ts').last().click()
    const side = page.getByRole('complementary', { name: 'Run' })
    await side.getByRole('heading', { name: /^Denied by/ }).waitFor()
    const span = param(page, 'span')
    expect(span).not.toBeNull()
    await page.keyboard.press('[')
    await expect.poll(() => param(page, 'span')).not.toBe(span)
    await page.goBack()
    await side.waitFor({ state: 'hidden' })
    await page.goto(`${panel.url}/sessions/c-release?span=${encodeURIComponent(span!)}`)
    await side.getByRole('heading', { name: /^Denied by/ }).waitFor()
    expect(await selected(page).textContent()).toContain('guard-git.ts')
    await close()
  })

  itInAll('zoom in with x and by a drag over the overview, and out with 0', async () => {
    const { page, close } = await look(panel, '/sessions/c-release')
    await row(page, 'policy.sh').waitFor()
    const before = await row(page, 'policy.sh')
      .locator('[role="gridcell"]')
      .nth(1)
      .locator('> *')
      .first()
      .boundingBox()
    await row(page, 'policy.sh').click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('x')
    await expect.poll(() => param(page, 'zoom')).toMatch(/^\d+(\.\d+)?-\d+(\.\d+)?$/)
    const after = await row(page, 'policy.sh')
      .locator('[role="gridcell"]')
      .nth(1)
      .locator('> *')
      .first()
      .boundingBox()
    expect(after!.width).toBeGreaterThan(before!.width * 10)
    await page.keyboard.press('0')
    await expect.poll(() => param(page, 'zoom')).toBeNull()

    const strip = (await page.locator('[data-part="overview"]').boundingBox())!
    const drag = async (from: number, to: number, cancel = false) => {
      await page.mouse.move(strip.x + strip.width * from, strip.y + 10)
      await page.mouse.down()
      await page.mouse.move(strip.x + strip.width * to, strip.y + 60, { steps: 3 })
      if (cancel) await page.keyboard.press('Escape')
      await page.mouse.up()
    }
    await drag(0.2, 0.2005)
    await drag(0.2, 0.5, true)
    await page.mouse.click(strip.x + 50, strip.y + 10)
    expect(param(page, 'zoom')).toBeNull()
    await drag(0.9, 0.6)
    await expect.poll(() => param(page, 'zoom')).not.toBeNull()
    const [from, to] = param(page, 'zoom')!.split('-').map(Number)
    expect(to! - from!).toBeGreaterThan(4000)
    expect(to! - from!).toBeLessThan(7000)
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => param(page, 'zoom')).toBeNull()
    await close()
  })

  itInAll('compress idle time only on request', async () => {
    addToLog(
      panel.logFile,
      conversation('c-idle', began, [
        { at: 10, event: 'beforeReadFile', request: { file_path: '/repo/a' }, runs: [{ duration_ms: 10 }] },
        {
          at: 90_000,
          event: 'beforeReadFile',
          request: { file_path: '/repo/b' },
          runs: [{ duration_ms: 10 }],
        },
      ]),
    )
    const { page, close } = await look(panel, '/sessions/c-idle')
    const bar = () =>
      row(page, '/repo/a').locator('[role="gridcell"]').nth(1).locator('> *').first().boundingBox()
    await page.getByText(/^\d+ % of this session is idle\./).waitFor()
    expect((await bar())!.width).toBe(4)
    await page.getByRole('button', { name: 'Compress idle time' }).click()
    await expect.poll(async () => (await bar())!.width).toBeGreaterThan(40)
    await page.getByRole('button', { name: 'Show idle time' }).click()
    await expect.poll(async () => (await bar())!.width).toBe(4)
    await close()
  })

  itInAll('grow in place while they continue', async () => {
    const { page, close } = await look(panel, '/sessions/c-idle')
    await row(page, '/repo/b').waitFor()
    await row(page, '/repo/a').click()
    await page.keyboard.press('Escape')
    const place = await selected(page).boundingBox()
    addToLog(
      panel.logFile,
      conversation('c-idle', began + 100_000, [
        {
          at: 10,
          event: 'beforeReadFile',
          request: { file_path: '/repo/later' },
          runs: [{ duration_ms: 10 }],
        },
      ]),
    )
    await row(page, '/repo/later').waitFor({ timeout: 12_000 })
    expect(await selected(page).boundingBox()).toEqual(place)
    await close()
  })

  itInAll('render times that are out of order or missing', async () => {
    addToLog(panel.logFile, oddSession('c-odd', began))
    const { page, close } = await look(panel, '/sessions/c-odd')
    await row(page, 'never-ends').first().waitFor()
    const tookOf = async (text: string) =>
      (await row(page, text).first().locator('[role="gridcell"]').last().textContent())!.trim()
    expect(await tookOf('never-ends')).toMatch(/^(–|≥ .+)$/)
    expect(await tookOf('zero')).toMatch(/^(0|<1) ms$/)
    // Ended before it began, by a clock that was set back, with a negative duration.
    expect(await tookOf('set-back')).toMatch(/^(0|<1) ms$/)
    expect(await tookOf('negative')).toMatch(/^(0|<1) ms$/)
    // An agent reports more than the step that contains it took: it is drawn inside of that step.
    expect(await tookOf('outside')).toBe('50 ms')
    expect(await tookOf('holder')).toMatch(/ ms$/)
    const bars = await tree(page).evaluate(element =>
      [...element.querySelectorAll('[role="row"][aria-level]')].map(each => {
        const lane = each.children[1]!.getBoundingClientRect()
        const bar = each.children[1]!.firstElementChild!.getBoundingClientRect()
        const inside = bar.left >= lane.left - 0.5 && bar.right <= lane.right + 0.5
        return inside && bar.width >= 4 ? '' : each.textContent
      }),
    )
    expect(bars.filter(Boolean)).toEqual([])
    await examine(page)
    await close()
  })

  it('say when one is not there', async () => {
    const { page, close } = await look(panel, '/sessions/nobody?zoom=9-1&span=x', { tolerate: [/404/] })
    await page.getByRole('heading', { name: 'Not here' }).waitFor()
    await examine(page)
    await close()
  })

  itInAll(
    'render at every width in both themes',
    async () => {
      const { page, close } = await look(panel, '/sessions')
      await page.getByRole('grid', { name: 'Sessions' }).locator('[aria-rowindex="2"]').waitFor()
      await picture(page, 'panel-sessions')
      await page.goto(`${panel.url}/sessions/c-release`)
      await row(page, 'git push --force').waitFor()
      await picture(page, 'panel-session')
      await row(page, 'guard-git.ts').last().click()
      await page.getByRole('heading', { name: 'Event' }).waitFor()
      await picture(page, 'panel-session-run')
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 2560, height: 1300 })
      await examine(page, '2560 wide')
      await close()
    },
    240_000,
  )
})

describe.skipIf(!hasChromium())('a session of 30,000 spans, 200 deep', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
    const now = Date.now()
    writeLog(panel.logFile, [
      ...deepConversation('c-long', 30_000, 200, now - 600_000),
      ...deepConversation('c-short', 3000, 200, now - 200_000),
    ])
  })
  afterAll(() => panel.stop())

  /** Opens a session. Returns the CPU time of the page, and the size of the response. */
  async function open(page: Page, id: string) {
    const work = await page.context().newCDPSession(page)
    await work.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(`${panel.url}/sessions/${id}`)
    await rows(page).first().waitFor()
    const kb = await page.evaluate(() => {
      const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      return loaded.find(({ name }) => name.endsWith('/GetSession'))!.encodedBodySize / 1024
    })
    const { metrics } = await work.send('Performance.getMetrics')
    await work.detach()
    return { kb, cpu: metrics.find(({ name }) => name === 'TaskDuration')!.value }
  }

  itInAll(
    'renders only visible rows: a session ten times as long takes less than ten times the work',
    async () => {
      const { page, close } = await inside(panel)
      const short = await open(page, 'c-short')
      const long = await open(page, 'c-long')
      expect(Number(await tree(page).getAttribute('aria-rowcount'))).toBeGreaterThan(30_000)
      expect(await rows(page).count()).toBeLessThan(80)
      expect(await page.locator('*').count()).toBeLessThan(2500)
      expect(long.kb).toBeLessThan(400)
      expect(long.cpu / short.cpu).toBeLessThan(10)
      await page.keyboard.press('End')
      await row(page, 'file-199-73').waitFor()
      expect(await selected(page).getAttribute('aria-level')).toBe('202')
      await page.keyboard.press('w')
      await expect.poll(() => rows(page).count()).toBeLessThan(5)
      await close()
    },
  )
})
