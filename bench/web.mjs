// How fast the panel renders large data: a session of 30,000 spans, a payload of 5 MB, a list of 100,000 runs.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { median, missedBars, report } from './measure.mjs'

const at = path => fileURLToPath(new URL(path, import.meta.url))
const ROUNDS = 5

/** The records and the browser of the tests, which are written in TypeScript. */
async function loadTestParts() {
  const outfile = at('../node_modules/.cache/holdfast-bench/web.mjs')
  const contents = "export * from './tests/web/records.ts'; export * from './tests/web/chromium.ts'"
  await build({
    stdin: { contents, resolveDir: at('..') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  return import(pathToFileURL(outfile).href)
}

async function startPanel(folder) {
  const child = spawn(
    process.execPath,
    [
      at('../packages/cli/bin/holdfast.cjs'),
      'ui',
      '--json',
      '--root',
      folder,
      '--home',
      join(folder, 'home'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await new Promise(resolve => child.stdout.once('data', chunk => resolve([chunk])))
  return { link: JSON.parse(String(line)).link, stop: () => child.kill() }
}

export async function suite() {
  process.stdout.write('\nweb\n')
  const { ARGS, deepConversation, findChromium, manyRuns, record, writeLog } = await loadTestParts()
  const executablePath = await findChromium()
  if (executablePath === null) throw new Error('No Chromium was found. Name one in CHROMIUM_PATH.')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-web-'))
  mkdirSync(join(folder, 'home'))
  const now = Date.now()
  const rows = Array.from({ length: 250_000 }, (_, index) => `row ${String(index).padStart(8, '0')}`)
  const huge = { event: 'preToolUse', request: { tool_name: 'Import', tool_input: { rows } } }
  writeLog(join(folder, 'home/.holdfast/log/runs.jsonl'), [
    ...manyRuns(100_000, 23, now - 700_000),
    ...deepConversation('c-long', 30_000, 200, now - 600_000),
    ...Array.from({ length: ROUNDS }, (_, index) => record(index, now - 9000 + index, huge)),
  ])
  const panel = await startPanel(folder)
  const browser = await chromium.launch({ executablePath, args: ARGS })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 820 } })
    const { origin } = new URL(panel.link)
    await page.goto(panel.link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    report('a session of 30,000 spans, from address to drawn', await timeSession(page, origin), 1000, 'ms')
    report('a payload of 5 MB, from click to drawn', await timePayload(page, origin), 300, 'ms')
    report('a frame while 100,000 runs are scrolled, 95 of 100', await timeFrames(page, origin), 100, 'ms')
  } finally {
    await browser.close()
    panel.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return missedBars()
}

async function timeSession(page, origin) {
  await page.addInitScript(() => {
    const wait = () => {
      if (!document.querySelector('[role="treegrid"] [aria-level]')) return void requestAnimationFrame(wait)
      // Resolves after the frame that shows them.
      requestAnimationFrame(() => setTimeout(() => performance.mark('drawn')))
    }
    requestAnimationFrame(wait)
  })
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(`${origin}/sessions/c-long`)
    await page.waitForFunction(() => performance.getEntriesByName('drawn').length > 0)
    times.push(await page.evaluate(() => performance.getEntriesByName('drawn')[0].startTime))
  }
  return median(times)
}

async function timePayload(page, origin) {
  await page.goto(`${origin}/runs`)
  await page.locator('[role="grid"] [aria-rowindex="9"]').waitFor()
  const times = []
  // Newest first. Each is opened only once, because a second visit loads nothing.
  for (let index = 2; index < ROUNDS + 2; index++)
    times.push(
      await page.evaluate(async index => {
        const frame = () => new Promise(requestAnimationFrame)
        const until = async find => {
          while (!find()) await frame()
          return find()
        }
        const row = document.querySelector(`[role="grid"] [aria-rowindex="${index}"]`)
        const began = performance.now()
        row.click()
        await until(() => row.dataset.open !== undefined)
        const summary = () =>
          [...document.querySelectorAll('summary')].find(({ textContent }) => textContent === 'Payload')
        ;(await until(summary)).click()
        await until(() => document.querySelector('[aria-label="Payload"]'))
        await frame()
        return performance.now() - began
      }, index),
    )
  return median(times)
}

async function timeFrames(page, origin) {
  await page.goto(`${origin}/runs`)
  const grid = page.getByRole('grid', { name: 'Runs' })
  await grid.locator('[aria-rowindex="9"]').waitFor()
  const frames = await grid.evaluate(async element => {
    const took = []
    let last = performance.now()
    for (let frame = 0; frame < 300; frame++) {
      element.scrollTop += 160
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      took.push(now - last)
      last = now
    }
    return took.sort((a, b) => a - b)
  })
  return frames[Math.floor(frames.length * 0.95)]
}
