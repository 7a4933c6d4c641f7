// Text from elsewhere on every page of both homes: thousands of letters without a space, text that runs from right to
// left, letters that nobody sees or that turn what follows, and markup. All of it is shown as what it is, and no page
// scrolls sideways by it. With it, sessions whose spans make no sense.

import { AuditService, DevicesService, HooksService, RolloutService } from '@holdfast/team'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFits, hasChromium, openWindow, type Window } from './browser.js'
import { draft, enrol, publish } from './fleet.js'
import { FILES, startPanel, type TestPanel } from './panel.js'
import { conversation, type Record, record, writeLog } from './records.js'
import { denied, untilCounted } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

/** The end of a terminal's colour, a bell, nothing of no width, text that turns around, and markup. */
const MARKUP = '<img src=x onerror="hacked=1"> שלום עולם مرحبا'
const ODD = `\u202Egnp.exe\u200b\u0007\u001b[31m${MARKUP}`
const LONG = `${ODD}${'x'.repeat(10_000)}`
const WIDTHS = [2560, 768, 360]

/** Every letter that is on the page but cannot be seen, with what it stands in. */
const unseen = (page: Page) =>
  page.evaluate(() => {
    const letters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/
    const found: string[] = []
    const look = (text: string | null, where: string) => {
      if (text && letters.test(text)) found.push(`${where}: ${JSON.stringify(text.slice(0, 60))}`)
    }
    look(document.title, 'title')
    for (const element of document.querySelectorAll('body *')) {
      // The editor shows them in its own way.
      if (element.closest('.cm-editor')) continue
      for (const name of ['title', 'aria-label', 'placeholder', 'alt'])
        look(element.getAttribute(name), `${element.tagName} ${name}`)
      for (const child of element.childNodes)
        if (child.nodeType === Node.TEXT_NODE)
          look(child.textContent, `${element.tagName} ${element.className}`)
    }
    return [...new Set(found)]
  })

/** Opens a page, waits until it has what it asked for, and looks at it at every width. */
async function survey({ page }: Window, url: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 820 })
  await page.goto(url)
  await page.locator('main h1, main h2, [role="complementary"]').first().waitFor()
  await page.waitForFunction(
    () =>
      !document.querySelector('main [aria-busy="true"], [class*="bone"], [class*="waiting"][aria-busy]') &&
      !/^\s*$/.test(document.querySelector('main')!.textContent!),
  )
  await page.waitForTimeout(150)
  const path = new URL(url).pathname + new URL(url).search
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 820 })
    await expectFits(page, `${path} at ${width}`)
  }
  expect.soft(await unseen(page), path).toEqual([])
  expect.soft(await page.locator('img:not(.cm-widgetBuffer)').count(), path).toBe(0)
  expect.soft(await page.evaluate(() => 'hacked' in window), path).toBe(false)
}

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
  // Ends before it begins, never ends, takes no time, a clock that ran ahead, one that stood still, and a parent of itself.
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
    await survey(window, `${panel.url}/hooks`)
    const hooks = await page
      .locator('main a[href*="hook="]')
      .evaluateAll(links => [...new Set(links.map(each => (each as HTMLAnchorElement).href))])
    expect(hooks.length).toBeGreaterThanOrEqual(3)
    for (const href of hooks.slice(0, 3)) await survey(window, href)
    const id = encodeURIComponent(new URL(hooks[1]!).searchParams.get('hook')!)
    await survey(window, `${panel.url}/hooks/${id}`)
    await survey(window, `${panel.url}/compat?hook=${id}`)
    await survey(window, `${panel.url}/hooks?q=${encodeURIComponent(LONG)}`)
    await page.goto(`${panel.url}/hooks`)
    const edit = await page.getByRole('link', { name: 'Edit hooks.json' }).first().getAttribute('href')
    await survey(window, panel.url + edit)
    await survey(window, `${panel.url}/compat`)
    await survey(window, `${panel.url}/fire?event=beforeShellExecution`)
    await survey(window, `${panel.url}/fire?event=${encodeURIComponent(LONG)}`)
    await survey(window, `${panel.url}/runs?range=all`)
    await survey(window, `${panel.url}/runs?q=${encodeURIComponent(LONG)}&event=${encodeURIComponent(ODD)}`)
    for (const { id } of odd) {
      await survey(window, `${panel.url}/runs?range=all&run=${id}`)
      for (const fold of await page.getByRole('complementary').locator('summary').all()) await fold.click()
      await expectFits(page, 'a run with everything open')
      expect(await unseen(page)).toEqual([])
    }
    await survey(window, `${panel.url}/runs/${odd[0]!.id}`)
    await survey(window, `${panel.url}/fire?from=run:${odd[0]!.id}`)
    await survey(window, `${panel.url}/runs/${encodeURIComponent(ODD)}`)
  })

  it('and in sessions, where also no bar leaves its lane, whatever the times are', async () => {
    const { page } = window
    await survey(window, `${panel.url}/sessions`)
    await survey(window, `${panel.url}/sessions/${encodeURIComponent(ODD)}`)
    await survey(window, `${panel.url}/sessions/odd`)
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
      expect(await page.getByText('That did not load').count()).toBe(0)
      expect(await unseen(page)).toEqual([])
    }
  })
})

describe.skipIf(!hasChromium())('hostile text in the dashboard', () => {
  let team: TestTeam
  let window: Window
  let hookId: number
  let deviceId: string
  beforeAll(async () => {
    team = await startTeam(ODD)
    const eve = await team.member('author', MARKUP, 'eve@example.com')
    const { owner } = team
    // What people type the server takes only when it can be seen; what devices send it takes as it comes.
    const words = `${MARKUP}${'x'.repeat(400)}`
    const device = await enrol(team, MARKUP, { group: MARKUP })
    deviceId = device.id
    const hook = await draft(owner, MARKUP, {
      scriptName: 'guard.sh',
      scriptContent: `#!/bin/sh\n# ${LONG}\ncat > /dev/null\necho '{}'\n`,
    })
    hookId = hook.id
    const { number } = await publish(owner, hook, { note: words })
    await device.report(number, {
      problems: [{ code: ODD, message: LONG, at: new Date().toISOString() }],
    })
    await owner.as(RolloutService).halt({ number, reason: words })
    await draft(
      eve,
      MARKUP,
      { scriptName: 'guard.sh', matcher: LONG.slice(0, 9000), scriptContent: `#!/bin/sh\necho ${LONG}\n` },
      hook.id,
    )
    await owner.as(DevicesService).createEnrolmentKey({ note: MARKUP, group: MARKUP, maxUses: 1 })
    await owner.as(RolloutService).pin({
      whom: { case: 'deviceId', value: device.id },
      release: number,
      reason: words,
      until: new Date(Date.now() + 86_400_000).toISOString(),
    })
    await device.send([
      denied(Date.now() - 2000, { request: { command: LONG, cwd: LONG }, hook: LONG, file: LONG } as never),
      denied(Date.now() - 1000, {
        conversation_id: ODD,
        hook: ODD,
        stderr: LONG,
        message: LONG,
        failed_open: true,
        outcome: 'failed',
        redacted: [LONG],
        response: { permission: 'deny', user_message: LONG, agent_message: LONG },
      } as never),
    ])
    await untilCounted(team, 2)
    await owner.as(HooksService).checkDraft({ id: hook.id })
    window = await openWindow({ cookies: owner.cookies, tolerate: [/status of 40[04]/] })
  })
  afterAll(async () => {
    await window?.close()
    await team?.stop()
  })

  it('is shown as what it is, on every page', { timeout: 240_000 }, async () => {
    const { page } = window
    const { records } = await team.owner.as(AuditService).searchRecords({})
    const { actions } = await team.owner.as(AuditService).listAdminActions({})
    const odd = encodeURIComponent(ODD)
    for (const path of [
      '/overview',
      '/hooks',
      `/hooks?hook=${hookId}`,
      `/hooks?q=${encodeURIComponent(LONG.slice(0, 2000))}`,
      `/hooks/${hookId}`,
      `/hooks/${hookId}/rev/1`,
      `/hooks/${hookId}/rev/draft`,
      `/hooks/${hookId}/rev/draft?tab=dry-run`,
      `/hooks/${hookId}/rev/draft?tab=what-if`,
      '/rollout',
      '/rollout?tab=releases',
      '/rollout?tab=pins',
      '/rollout?tab=settings',
      '/devices',
      `/devices?device=${deviceId}`,
      `/devices?group=${odd}&q=${odd}`,
      '/devices/keys',
      '/members',
      '/audit',
      `/audit?q=${odd}&hook=${odd}`,
      ...records.map(({ id }) => `/audit?record=${encodeURIComponent(id)}`),
      '/audit/refused',
      '/audit/admin?machines=1',
      ...actions.slice(0, 6).map(({ seq }) => `/audit/admin?action=${seq}`),
      '/settings/sign-in',
      '/settings/tokens',
      '/settings/keys',
      '/settings/records',
      '/settings/danger',
    ])
      await survey(window, team.url + path)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor()
    expect(await unseen(page)).toEqual([])
  })
})
