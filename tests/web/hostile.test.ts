// Hostile text on every page of the panel, and sessions with impossible spans.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { expectFits, hasChromium, openWindow, type Window } from './browser.js'
import { LONG, ODD, surveyIn, unseen } from './hostile.js'
import { FILES, startPanel, type TestPanel } from './panel.js'
import { conversation, type Record, record, writeLog } from './records.js'

describe.skipIf(!hasChromium())('hostile text in the panel', () => {
  let panel: TestPanel
  let window: Window
  const began = Date.now() - 600_000
  const odd: Record[] = [
    record(1, began, { request: { command: LONG, cwd: LONG }, hook: LONG, source: ODD, file: LONG }),
    record(9, began + 1, { stderr: LONG, message: LONG, failure: ODD, hook: ODD, notes: [ODD] }),
    record(4, began + 2, {
      event: ODD,
      conversation_id: ODD,
      redacted: [LONG],
      response: { permission: 'deny', user_message: LONG, agent_message: ODD },
    }),
  ]
  // Ends before it begins, never ends, takes no time, a clock in the future, a clock that stopped, and a span that is
  // its own parent.
  const spans = conversation('odd', began, [
    { at: 10, event: 'beforeSubmitPrompt', request: { prompt: LONG }, runs: [{ duration_ms: -500 }] },
    { at: 20, event: 'beforeShellExecution', request: { command: LONG }, runs: [{ duration_ms: null }] },
    { at: 20, event: 'beforeReadFile', request: { file_path: LONG }, runs: [{ duration_ms: 0 }] },
    { at: -90_000, event: 'stop', request: { status: ODD }, runs: [{ duration_ms: 1e12, hook: ODD }] },
    { at: 9e8, event: 'afterFileEdit', request: { file_path: ODD }, runs: [{ duration_ms: 'x' }] },
    {
      at: 50,
      event: 'subagentStart',
      request: { subagent_type: ODD, task: LONG, subagent_id: 'odd' },
      inside: 'odd',
      runs: [{ duration_ms: 5 }],
    },
  ])
  beforeAll(async () => {
    panel = await startPanel({
      folder: `${ODD.replace('/', '')}${'y'.repeat(120)}`,
      files: {
        ...FILES,
        '.cursor/hooks.json': JSON.stringify({
          version: 1,
          hooks: {
            beforeShellExecution: [
              { command: './.cursor/hooks/guard.sh' },
              { command: `echo ${LONG}`, matcher: ODD },
              { command: `./${ODD}.sh`, matcher: `(${LONG}`, [ODD]: 1 },
            ],
            [ODD]: [{ command: ODD }],
          },
        }),
      },
    })
    writeLog(panel.logFile, [...odd, ...spans])
    window = await openWindow({ tolerate: [/status of 40[04]/] })
    await window.page.goto(panel.link)
    await window.page.getByRole('navigation', { name: 'Pages' }).waitFor()
  })
  afterAll(async () => {
    await window?.close()
    await panel?.stop()
  })

  it('is shown as what it is, on every page', { timeout: 240_000 }, async () => {
    const { page } = window
    const survey = surveyIn(window)
    /** A checked page, at another address. */
    const surveyAgain = async (url: string) => {
      if (runsEverything) await survey(url)
    }
    await survey(`${panel.url}/hooks`)
    const hooks = await page
      .locator('main a[href*="hook="]')
      .evaluateAll(links => [...new Set(links.map(each => (each as HTMLAnchorElement).href))])
    expect(hooks.length).toBeGreaterThanOrEqual(3)
    for (const href of runsEverything ? hooks.slice(0, 3) : hooks.slice(1, 2)) await survey(href)
    const id = encodeURIComponent(new URL(hooks[1]!).searchParams.get('hook')!)
    await survey(`${panel.url}/hooks/${id}`)
    await surveyAgain(`${panel.url}/compat?hook=${id}`)
    await surveyAgain(`${panel.url}/hooks?q=${encodeURIComponent(LONG)}`)
    await page.goto(`${panel.url}/hooks`)
    const edit = await page.getByRole('link', { name: 'Edit hooks.json' }).first().getAttribute('href')
    await survey(panel.url + edit)
    await survey(`${panel.url}/compat`)
    await survey(`${panel.url}/fire?event=beforeShellExecution`)
    await surveyAgain(`${panel.url}/fire?event=${encodeURIComponent(LONG)}`)
    await surveyAgain(`${panel.url}/runs?range=all`)
    await surveyAgain(`${panel.url}/runs?q=${encodeURIComponent(LONG)}&event=${encodeURIComponent(ODD)}`)
    for (const { id } of odd) {
      await survey(`${panel.url}/runs?range=all&run=${id}`)
      for (const fold of await page.getByRole('complementary').locator('summary').all()) await fold.click()
      await expectFits(page, 'a run with everything open')
      expect(await unseen(page)).toEqual([])
    }
    await survey(`${panel.url}/runs/${odd[0]!.id}`)
    await surveyAgain(`${panel.url}/fire?from=run:${odd[0]!.id}`)
    await surveyAgain(`${panel.url}/runs/${encodeURIComponent(ODD)}`)
  })

  it('and in sessions, where also no bar leaves its lane, whatever the times are', async () => {
    const { page } = window
    const survey = surveyIn(window)
    await survey(`${panel.url}/sessions`)
    await survey(`${panel.url}/sessions/${encodeURIComponent(ODD)}`)
    await survey(`${panel.url}/sessions/odd`)
    await page.setViewportSize({ width: 1440, height: 820 })
    const rows = page.getByRole('treegrid').locator('[role="row"][aria-level]')
    expect(await rows.count()).toBeGreaterThanOrEqual(spans.length)
    const bars = await rows.evaluateAll(all =>
      all.map(row => {
        const lane = row.children[1]!.getBoundingClientRect()
        const bar = row.children[1]!.firstElementChild?.getBoundingClientRect()
        const isInside = !bar || (bar.left >= lane.left - 0.5 && bar.right <= lane.right + 0.5)
        return { isInside, isSeen: !!bar && bar.width >= 4, took: row.lastElementChild!.textContent }
      }),
    )
    for (const bar of bars) {
      expect(bar).toMatchObject({ isInside: true, isSeen: true })
      expect(bar.took).not.toMatch(/NaN|Infinity|undefined|-\d/)
    }
    for (let index = 0; index < (await rows.count()); index++) {
      await rows.nth(index).click()
      await page.getByRole('complementary').waitFor()
      expect(await page.getByText('Loading failed').count()).toBe(0)
      expect(await unseen(page)).toEqual([])
    }
  })
})
