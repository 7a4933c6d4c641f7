// The audit log with more records than a page keeps in memory: all can be reached, few are rendered, and new ones
// move nothing.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { recordAt } from '../team/records.js'
import { hasChromium, openWindow } from './browser.js'
import { enrol, type TestDevice } from './fleet.js'
import { denied, untilCounted } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

// More than a page keeps in memory, also after a filter for denials.
const MANY = runsEverything ? 100_000 : 12_000
const DENIED_EVERY = runsEverything ? 16 : 2
const DENIALS = MANY / DENIED_EVERY
const SENDERS = 6
const MOST_KEPT = 5000

describe.runIf(runsEverything && hasChromium())('more records than a page keeps in memory', () => {
  let team: TestTeam
  let sender: TestDevice
  // The newest first, as the list has them.
  const subject = (number: number) => `make step-${number}`
  const now = Date.now() - 60_000
  const at = (number: number) => now - number * Math.floor((22 * 3_600_000) / MANY)
  beforeAll(async () => {
    team = await startTeam()
    const devices = await Promise.all(
      Array.from({ length: SENDERS }, (_, index) => enrol(team, `build-${index + 1}`)),
    )
    sender = devices[0]!
    await Promise.all(
      devices.map(async (device, index) => {
        const numbers = Array.from({ length: MANY }, (_, number) => MANY - 1 - number)
        const own = numbers.filter(number => number % SENDERS === index)
        await device.send(
          own.map(number =>
            (number % DENIED_EVERY === 0 ? denied : recordAt)(at(number), {
              request: { command: subject(number), cwd: '/' },
            }),
          ),
        )
      }),
    )
    await untilCounted(team, MANY)
  }, 120_000)
  afterAll(() => team?.stop())

  const look = async (path = '/audit') => {
    // A small window, because rendering without a graphics card is slow.
    const window = await openWindow({ cookies: team.owner.cookies, width: 1120, height: 460 })
    await window.page.goto(`${team.url}${path}`)
    await rows(window.page).first().waitFor()
    return window
  }

  it('are all there, few of them drawn and at most 5,000 in memory; who comes back finds the place', async () => {
    const { page, close } = await look()
    await page.getByText(`${counted(MANY)}, last 24 hours`).waitFor()
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(MANY + 1))
    expect(await recordsIn(page)).toBeLessThanOrEqual(100)
    // One detail stays open all the time.
    await rows(page).nth(5).click()
    const panel = page.getByRole('complementary', { name: 'Record' })
    await panel.getByText(subject(5)).first().waitFor()

    await readTo(page, 7000)
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(MANY + 1))
    expect(await recordsIn(page)).toBeLessThanOrEqual(MOST_KEPT)
    expect(await panel.getByText(subject(5)).count()).toBeGreaterThan(0)
    await page.keyboard.press(']')
    await panel.getByText(subject(6)).first().waitFor()
    await expectRight(page, 6)
    await page.keyboard.press('Escape')

    for (const row of [6900, 3000, 500, 5000]) {
      await scrollToRow(page, row)
      await expectRight(page, row)
    }
    expect(await rows(page).count()).toBeLessThan(80)
    expect(await recordsIn(page)).toBeLessThanOrEqual(MOST_KEPT)

    await rows(page).nth(12).click()
    await page.keyboard.press('Escape')
    const top = await grid(page).evaluate(element => element.scrollTop)
    const chosen = await page.locator('[aria-selected="true"]').first().textContent()
    await page.getByRole('link', { name: 'Admin actions' }).click()
    await page.getByRole('grid', { name: 'Admin actions' }).waitFor()
    await page.goBack()
    await expectRight(page, 5000)
    expect(await grid(page).evaluate(element => element.scrollTop)).toBe(top)
    expect(await page.locator('[aria-selected="true"]').first().textContent()).toBe(chosen)
    await close()
  }, 120_000)

  it('narrowed, are walked to the far end and back over the borders of pages, also where they were let go', async () => {
    const { page, close } = await look('/audit?verdict=deny')
    await page.getByText(counted(DENIALS)).waitFor()
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(DENIALS + 1))
    const selected = () => page.locator('[aria-selected="true"]').first()
    const panel = page.getByRole('complementary', { name: 'Record' })
    const expectOn = async (row: number) => {
      await expect.poll(() => selected().getAttribute('aria-rowindex')).toBe(String(row + 2))
      await expect.poll(() => selected().textContent()).toContain(`${subject(row * DENIED_EVERY)}build`)
    }
    const press = async (key: string, times: number) => {
      for (let time = 0; time < times; time++) await page.keyboard.press(key)
    }
    // The first page has 100 rows, the others 200.
    await press('j', 95)
    await expectOn(94)
    await grid(page).locator('[aria-rowindex="103"]').waitFor()
    await press('j', 11)
    await expectOn(105)
    await press('k', 10)
    await expectOn(95)
    await readTo(page, DENIALS)
    await page.keyboard.press('End')
    await expectOn(DENIALS - 1)
    await expectRight(page, DENIALS - 1, DENIED_EVERY)
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(DENIALS + 1))
    expect(await recordsIn(page)).toBeLessThanOrEqual(MOST_KEPT)
    await page.keyboard.press('Enter')
    await panel
      .getByText(subject((DENIALS - 1) * DENIED_EVERY))
      .first()
      .waitFor()
    await page.keyboard.press('[')
    await panel
      .getByText(subject((DENIALS - 2) * DENIED_EVERY))
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    // Up into evicted parts, faster than they load.
    await scrollToRow(page, 520)
    await rows(page).nth(12).click()
    const start = Number(await selected().getAttribute('aria-rowindex')) - 2
    await press('k', 40)
    await expectOn(start - 40)
    await expectRight(page, start - 40, DENIED_EVERY)
    await page.keyboard.press('Home')
    await expectOn(0)
    await close()
  }, 120_000)

  // The last one: the numbers of the rows change from here on.
  it('new ones wait while the user reads far below; late ones appear at their place, and none appears twice', async () => {
    const { page, close } = await look()
    await readTo(page, 7000)
    await scrollToRow(page, 6500)
    await expectRight(page, 6500)
    const top = await grid(page).evaluate(element => element.scrollTop)
    await sender.send([
      recordAt(at(0) + 1000, { request: { command: 'newest', cwd: '/' } }),
      recordAt(at(1500) + 1, { request: { command: 'came late', cwd: '/' } }),
    ])
    await page.getByText('1 new record.').waitFor({ timeout: 20_000 })
    await page.getByText(counted(MANY + 2)).waitFor()
    // The note is over the lower edge of the list.
    expect(await grid(page).evaluate(element => element.scrollTop)).toBe(top)
    await expectRight(page, 6500)
    await scrollToRow(page, 1495)
    await page.getByText('came late').waitFor()
    const words = await rows(page).evaluateAll(all =>
      all.map(row => /step-\d+|came late/.exec(row.textContent!)?.[0]),
    )
    const late = words.indexOf('came late')
    expect(words.slice(late - 1, late + 2)).toEqual(['step-1499', 'came late', 'step-1500'])
    expect(new Set(words).size).toBe(words.length)
    await scrollToRow(page, 6501)
    await expect.poll(() => rows(page).first().textContent()).toMatch(/step-/)
    const index = Number(await rows(page).first().getAttribute('aria-rowindex')) - 2
    expect(await rows(page).first().textContent()).toContain(`${subject(index - 1)}build`)
    await page.getByRole('button', { name: 'Show them' }).click()
    await rows(page).first().getByText('newest').waitFor()
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(MANY + 3))
    await close()
  }, 90_000)
})

const counted = (count: number) => `${count.toLocaleString('en')} records`
const grid = (page: Page) => page.getByRole('grid', { name: 'Records' })
/** The rendered rows, without the head and the strip. */
const rows = (page: Page) => grid(page).getByRole('rowgroup').getByRole('row')

const ROW_PX = 32

const scrollToRow = (page: Page, row: number) =>
  grid(page).evaluate((element, top) => {
    element.scrollTop = top
  }, row * ROW_PX)

/** Scrolls until so many rows are loaded. */
const readTo = (page: Page, row: number) =>
  grid(page).evaluate(async (element, height) => {
    while (element.scrollHeight < height) {
      element.scrollTop = element.scrollHeight
      await new Promise(requestAnimationFrame)
    }
  }, row * ROW_PX)

/** Each rendered row shows the record of its number, and this row is among them. */
async function expectRight(page: Page, row: number, every = 1): Promise<void> {
  await expect
    .poll(
      async () => {
        const drawn = await rows(page).evaluateAll(all =>
          all.map(one => [Number(one.getAttribute('aria-rowindex')) - 2, one.textContent!] as const),
        )
        const wrong = drawn.filter(([index, words]) => !words.includes(`make step-${index * every}build`))
        return { wrong, isThere: drawn.some(([index]) => index === row) }
      },
      { timeout: 60_000 },
    )
    .toEqual({ wrong: [], isThere: true })
}

/** How many records the page holds in memory, counted by the browser after garbage collection. */
async function recordsIn(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'Object.prototype' })
  const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: result.objectId! })
  const { result: count } = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId!,
    functionDeclaration: `function () {
      return this.filter(one => Object.hasOwn(one, '$typeName') && one.$typeName === 'holdfast.team.v1.Record').length
    }`,
    returnByValue: true,
  })
  await session.detach()
  return count.value as number
}
