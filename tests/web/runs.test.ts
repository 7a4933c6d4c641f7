// The page Runs: live runs, and one run from its event to its messages.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, picture, weigh } from './browser.js'
import { inside, look } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'
import { manyRuns, record, writeLog } from './records.js'
import { grid, param, rows, scrollTo, scrollTop } from './runs-page.js'

const run = promisify(execFile)
const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))
const RIGHT_TO_LEFT = '\u202Egnp.exe'

describe.skipIf(!hasChromium())('runs of real hooks', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
  })
  afterAll(() => panel.stop())

  it('explains an empty list, shows a new run at once, and all its steps', async () => {
    const { page, context, close } = await look(panel, '/runs?range=all')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    await examine(page, 'no runs yet')
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git push --force origin main')
    await rows(page).first().waitFor()
    // The hooks of one event share a row.
    expect(await rows(page).count()).toBe(1)
    expect(await rows(page).first().textContent()).toMatch(/deny.*guard\.sh.*watch\.sh/)
    await page.keyboard.press('j')
    expect(param(page, 'run')).toBeNull()
    await page.keyboard.press('Enter')
    const side = page.getByRole('complementary', { name: 'Run' })
    await side.getByRole('heading', { name: /^Denied by/ }).waitFor()
    const words = await side.textContent()
    for (const said of [
      '2 hooks ran',
      'guard.sh',
      'watch.sh',
      'Force pushes are blocked in this repository.',
      'Open a pull request instead.',
      'hooks.json:6',
    ])
      expect(words).toContain(said)
    expect(param(page, 'run')).not.toBeNull()
    await side.getByText('Payload').click()
    await side.getByRole('region', { name: 'Payload' }).waitFor()
    await side.getByRole('button', { name: 'Raw' }).click()
    const dialog = page.getByRole('dialog', { name: 'Raw record' })
    await dialog.getByText('"event": "beforeShellExecution"').waitFor()
    await examine(page, 'the raw record')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    // The dialog handled the key: the run is still open.
    expect(await side.isVisible()).toBe(true)
    await side.getByRole('button', { name: 'Copy link' }).click()
    await side.getByText('The link is copied.').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/runs\//,
    )
    expect(await side.getByRole('link', { name: 'Fire again' }).getAttribute('href')).toMatch(
      /^\/fire\?from=run/,
    )
    await close()
  })

  itInAll('is saved as a case that holdfast test runs', async () => {
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git push --force origin main')
    const { page, context, close } = await look(panel, '/runs?verdict=deny')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Copy as test' }).click()
    const said = page.getByText(/^Copied\. Save it as/)
    await said.waitFor()
    const name = /Save it as (\S+)/.exec((await said.textContent())!)![1]!
    const text = await page.evaluate(() => navigator.clipboard.readText())
    const file = join(panel.root, name)
    writeFileSync(file, text)
    const { stdout } = await run(process.execPath, [COMMAND, 'test', file], {
      cwd: panel.root,
      env: { ...process.env, HOME: panel.home, NO_COLOR: '1' },
    })
    expect(stdout).toContain('1 passed')
    await close()
  })

  itInAll('opens as a page with o, changes with brackets, and going back restores the list', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const first = param(page, 'run')
    await page.getByRole('heading', { name: 'Event' }).waitFor()
    await page.keyboard.press(']')
    await page.waitForFunction(before => new URL(location.href).searchParams.get('run') !== before, first)
    await page.keyboard.press('[')
    await page.waitForFunction(before => new URL(location.href).searchParams.get('run') === before, first)
    await page.keyboard.press('o')
    await page.waitForURL(`**/runs/${first}`)
    await page.getByRole('heading', { name: 'Event' }).waitFor()
    await page.goBack()
    await page.getByRole('complementary', { name: 'Run' }).waitFor()
    expect(param(page, 'run')).toBe(first)
    // Esc closes the detail, then deselects the row.
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Run' }).waitFor({ state: 'hidden' })
    expect(await grid(page).locator('[aria-selected="true"]').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => grid(page).locator('[aria-selected="true"]').count()).toBe(0)
    await close()
  })

  itInAll(
    'renders at every width in both themes',
    async () => {
      const { page, close } = await look(panel, '/runs')
      await rows(page).filter({ hasText: 'deny' }).first().click()
      await page.getByRole('heading', { name: 'Event' }).waitFor()
      await picture(page, 'panel-run')
      await page.keyboard.press('o')
      await page.waitForURL('**/runs/*')
      await page.getByRole('heading', { name: 'Event' }).waitFor()
      await picture(page, 'panel-run-alone')
      await close()
    },
    180_000,
  )

  itInAll('reports a missing run and a list that did not load, with a next step', async () => {
    const tolerate = [/404/, /Failed to load resource/, /503/]
    const { page, context, close } = await look(panel, '/runs/no-such-run', { tolerate })
    await page.getByRole('heading', { name: 'Not here' }).waitFor()
    await examine(page)
    await context.route('**/ListRuns', route => route.abort())
    await context.route('**/CountRuns', route => route.abort())
    await page.goto(`${panel.url}/runs`)
    await page.getByRole('heading', { name: 'Loading failed' }).waitFor()
    await page.getByText('The counts over time did not load').waitFor()
    await examine(page)
    await context.unroute('**/ListRuns')
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await rows(page).first().waitFor()
    await close()
  })
})

describe.skipIf(!hasChromium())('a day of runs', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
    writeLog(panel.logFile, manyRuns(3000))
  })
  afterAll(() => panel.stop())

  itInAll('is filtered by verdict with the keyboard alone, and keeps the filter in the address', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    const before = await page.evaluate(() => history.length)
    await page.keyboard.press('f')
    const sheet = page.getByRole('dialog', { name: 'Filter by verdict' })
    await sheet.waitFor()
    await examine(page, 'the choices of a filter')
    await sheet.getByRole('checkbox', { name: /^deny/ }).focus()
    await page.keyboard.press('Space')
    await expect.poll(() => param(page, 'verdict')).toBe('deny')
    // With a selection, the other values still have their counts.
    expect(await sheet.getByRole('checkbox').count()).toBeGreaterThan(3)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Verdict')
    await page.getByText('300 events in the last 24 hours').waitFor()
    expect(await page.evaluate(() => history.length)).toBe(before)
    expect(new Set(await rows(page).locator('[class*="verdict"] >> nth=0').allInnerTexts())).toEqual(
      new Set(['deny']),
    )
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await expect.poll(() => param(page, 'verdict')).toBeNull()
    await close()
  })

  itInAll('is searched with /, and repeats the search text when nothing matches', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    await scrollTo(page, 4000)
    await page.keyboard.press('/')
    const field = page.getByRole('searchbox', { name: 'Search runs' })
    await page.keyboard.type('terraform')
    await expect.poll(() => param(page, 'q')).toBe('terraform')
    await page.getByText('600 events in the last 24 hours').waitFor()
    // The list begins at its top, and typing continues.
    expect(await scrollTop(page)).toBe(0)
    expect(await field.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.type(' nonsense')
    await page.getByRole('heading', { name: 'No runs match' }).waitFor()
    await page.getByText('Filtered by text “terraform nonsense”').waitFor()
    await examine(page)
    await page.getByRole('button', { name: 'Clear the filters' }).last().click()
    await rows(page).first().waitFor()
    await close()
  })

  itInAll(
    'renders at every width in both themes',
    async () => {
      const { page, close } = await look(panel, '/runs')
      await rows(page).first().waitFor()
      await page.keyboard.press('j')
      await picture(page, 'panel-runs')
      await close()
    },
    180_000,
  )

  itInAll('is filtered by the legend of its bars', async () => {
    const { page, close } = await look(panel, '/runs')
    await page.getByRole('button', { name: /^failed open/ }).click()
    await expect.poll(() => param(page, 'verdict')).toBe('failed_open')
    await page.getByRole('button', { name: /^deny/ }).click()
    await expect.poll(() => param(page, 'verdict')).toBe('failed_open,deny')
    await page.getByText('600 events in the last 24 hours').waitFor()
    await close()
  })

  itInAll(
    'is narrowed by a drag over its bars, in either direction and out of the chart; Esc and a click do nothing',
    async () => {
      const { page, close } = await look(panel, '/runs')
      await rows(page).first().waitFor()
      const chart = page.getByRole('group', { name: /^Runs over time/ })
      const box = (await chart.boundingBox())!
      const drag = async (from: number, to: number, end: () => Promise<void>) => {
        await page.mouse.move(box.x + box.width * from, box.y + 30)
        await page.mouse.down()
        await page.mouse.move(box.x + box.width * ((from + to) / 2), box.y + 40)
        await page.mouse.move(box.x + box.width * to, box.y + 200)
        await end()
      }
      await page.mouse.click(box.x + box.width / 2, box.y + 30)
      expect(param(page, 'from')).toBeNull()
      await drag(0.4, 0.6, async () => {
        await page.keyboard.press('Escape')
        await page.mouse.up()
      })
      expect(param(page, 'from')).toBeNull()

      await drag(0.7, 0.5, () => page.mouse.up())
      await expect.poll(() => param(page, 'from')).not.toBeNull()
      const hours = (Date.parse(param(page, 'to')!) - Date.parse(param(page, 'from')!)) / 3_600_000
      expect(hours).toBeGreaterThan(4.5)
      expect(hours).toBeLessThan(6)
      await page.getByRole('button', { name: 'Back to last 24 hours' }).click()
      await expect.poll(() => param(page, 'from')).toBeNull()

      await drag(0.9, 1.4, () => page.mouse.up())
      await expect.poll(() => param(page, 'to')).not.toBeNull()
      await examine(page)
      await close()
    },
  )

  itInAll('and by keys', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    const chart = page.getByRole('group', { name: /^Runs over time/ })
    await chart.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    expect(await chart.getByRole('status').textContent()).toMatch(/ to .*: \d+ events, /)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    expect(param(page, 'from')).toBeNull()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Enter')
    await expect.poll(() => param(page, 'from')).not.toBeNull()
    await close()
  })

  it('opens at any address', async () => {
    const odd = `/runs?range=${encodeURIComponent('<b>')}&verdict=,,x&from=never&to=9&run=${encodeURIComponent('../../x')}`
    const { page, close } = await look(panel, odd, { tolerate: [/404/] })
    await page.getByRole('heading', { name: 'Not here' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'No runs match' }).waitFor()
    await close()
  })

  itInAll('keeps position and selection after going back', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    await scrollTo(page, 3000)
    await rows(page).filter({ hasText: 'terraform' }).nth(5).click()
    await page.getByRole('heading', { name: 'Event' }).waitFor()
    const chosen = param(page, 'run')
    const stood = await scrollTop(page)
    await page.keyboard.press('o')
    await page.waitForURL('**/runs/*')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.waitForURL('**/hooks')
    await page.goBack()
    await page.goBack()
    await expect.poll(() => param(page, 'run')).toBe(chosen)
    await expect.poll(() => scrollTop(page)).toBe(stood)
    expect(await grid(page).locator('[aria-selected="true"]').count()).toBe(1)
    await close()
  })

  itInAll('keeps its position under a detail that covers the list', async () => {
    const { page, close } = await look(panel, '/runs', { width: 360, height: 740 })
    await rows(page).first().waitFor()
    await scrollTo(page, 2600)
    await expect.poll(() => scrollTop(page)).toBe(2600)
    await rows(page).nth(12).click()
    await page.getByRole('complementary', { name: 'Run' }).waitFor()
    expect(await grid(page).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Close the detail' }).click()
    await expect.poll(() => scrollTop(page)).toBe(2600)
    expect((await rows(page).nth(12).boundingBox())!.height).toBe(52)
    await close()
  })

  itInAll('opens its filters within a narrow window', async () => {
    const { page, close } = await look(panel, '/runs', { width: 360, height: 740 })
    await rows(page).first().waitFor()
    for (const name of ['Verdict any', 'Hook any', 'Last 24 hours']) {
      await page.getByRole('button', { name }).click()
      const sheet = page.locator('[popover][data-placed]:popover-open')
      await sheet.waitFor()
      const box = (await sheet.boundingBox())!
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(360)
      expect(box.y + box.height).toBeLessThanOrEqual(740)
      await examine(page, `the choices of ${name}`)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
    }
    await page.getByRole('button', { name: 'Last 24 hours' }).click()
    await page.getByRole('radio', { name: 'Last hour' }).click()
    await expect.poll(() => param(page, 'range')).toBe('1h')
    await close()
  })

  itInAll('loads less than 200 KB first', async () => {
    const { page, close } = await inside(panel)
    const { kb, files } = await weigh(page, `${panel.url}/runs`)
    expect(kb, files.join('\n')).toBeLessThan(200)
    await close()
  })

  itInAll('does not scroll sideways in a very wide window', async () => {
    const { page, close } = await look(panel, '/runs', { width: 2560, height: 1300 })
    await rows(page).first().waitFor()
    await examine(page, '2560 wide')
    await close()
  })
})

describe.skipIf(!hasChromium())('odd runs', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel()
    const now = Date.now() - 60_000
    writeLog(panel.logFile, [
      record(1, now, { request: { command: `echo ${'x'.repeat(10_000)}` } }),
      record(2, now + 1, {
        request: { command: `open ${RIGHT_TO_LEFT}\u0007\u200b` },
        hook: '<img src=x onerror=alert(1)>',
      }),
      record(9, now + 2, { stderr: '\u001b[31mred\u001b[0m and <script>alert(1)</script>\r\nline' }),
      record(3, now + 3),
      record(4, now + 4, { duration_ms: -5, exit_code: null, request: {} }),
    ])
  })
  afterAll(() => panel.stop())

  itInAll('are shown as what they are', async () => {
    const { page, close } = await look(panel, '/runs')
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBe(5)
    const text = await grid(page).textContent()
    expect(text).toContain('\\u202egnp.exe\\u0007\\u200b')
    expect(text).toContain('<img src=x')
    await examine(page)
    await rows(page).nth(2).click()
    const side = page.getByRole('complementary', { name: 'Run' })
    await side.getByText('stderr').click()
    expect(await side.getByRole('region', { name: 'stderr' }).textContent()).toBe(
      'red and <script>alert(1)</script>\nline',
    )
    await side.getByText('failed open. While it fails, it blocks nothing.').waitFor()
    await rows(page).nth(4).click()
    await side.getByText('echo xxx').first().waitFor()
    await examine(page, 'a command of 10,000 letters')
    await close()
  })
})

describe.skipIf(!hasChromium())('the day that has 25 hours', () => {
  itInAll(
    'shows the repeated hour of a clock change twice, each run in its own bar, with the zone on the axis',
    async () => {
      const panel = await startPanel()
      const midnight = Date.parse('2026-10-24T22:00:00Z')
      const at = (hours: number) => midnight + hours * 3_600_000
      // 02:30 in summer time, and 02:30 again an hour later.
      // The first and the last event make the chart cover the day.
      const times = [0, 2.5, 3.5, 3.6, 24.9]
      writeLog(
        panel.logFile,
        times.map((hours, index) => record(index + 1, at(hours))),
      )
      const { page, close } = await look(
        panel,
        `/runs?from=${new Date(midnight).toISOString()}&to=${new Date(at(25)).toISOString()}`,
      )
      await rows(page).first().waitFor()
      const chart = page.getByRole('group', { name: /^Runs over time/ })
      expect(await chart.textContent()).toMatch(/25 Oct02:0004:0006:00/)
      await chart.focus()
      await page.keyboard.press('Home')
      // The page records each bar that the keys reach, which saves a query after each key.
      const announced = await chart.getByRole('status').evaluateHandle(element => {
        const texts = [element.textContent!]
        const read = () => texts.push(element.textContent!)
        new MutationObserver(read).observe(element, { characterData: true, childList: true, subtree: true })
        return texts
      })
      for (let bar = 0; bar < 72; bar++) await page.keyboard.press('ArrowRight')
      const texts = (await announced.jsonValue()).filter(text => !/: 0 events/.test(text))
      expect(texts).toHaveLength(4)
      expect(texts[1]).toMatch(/02:\d\d.*1 event/)
      expect(texts[2]).toMatch(/02:\d\d.*2 events/)
      expect(await page.getByRole('main').textContent()).toMatch(/GMT\+[12]|CES?T/)
      await close()
      await panel.stop()
    },
  )
})
