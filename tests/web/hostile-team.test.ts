// Hostile text on every page of the dashboard.

import { AuditService, DevicesService, HooksService, RolloutService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstOf, runsEverything } from '../scope.js'
import { hasChromium, openWindow, type Window } from './browser.js'
import { draft, enrol, publish } from './fleet.js'
import { LONG, MARKUP, ODD, surveyIn, unseen } from './hostile.js'
import { denied, untilCounted } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

/** By default each page once; its further addresses contain the same texts. */
const furtherAddresses = (...paths: string[]): string[] => (runsEverything ? paths : [])

describe.skipIf(!hasChromium())('hostile text in the dashboard', () => {
  let team: TestTeam
  let window: Window
  let hookId: number
  let deviceId: string
  beforeAll(async () => {
    team = await startTeam(ODD)
    const eve = await team.member('author', MARKUP, 'eve@example.com')
    const { owner } = team
    // The server accepts visible input from users, and anything from devices.
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
    const survey = surveyIn(window)
    const { records } = await team.owner.as(AuditService).searchRecords({})
    const { actions } = await team.owner.as(AuditService).listAdminActions({})
    const odd = encodeURIComponent(ODD)
    for (const path of [
      '/overview',
      '/hooks',
      `/hooks?hook=${hookId}`,
      ...furtherAddresses(`/hooks?q=${encodeURIComponent(LONG.slice(0, 2000))}`),
      `/hooks/${hookId}`,
      ...furtherAddresses(`/hooks/${hookId}/rev/1`),
      `/hooks/${hookId}/rev/draft`,
      `/hooks/${hookId}/rev/draft?tab=test`,
      `/hooks/${hookId}/rev/draft?tab=what-if`,
      '/rollout',
      '/rollout?tab=releases',
      '/rollout?tab=pins',
      '/rollout?tab=settings',
      '/devices',
      `/devices?device=${deviceId}`,
      ...furtherAddresses(`/devices?group=${odd}&q=${odd}`),
      '/devices/keys',
      '/members',
      '/audit',
      ...furtherAddresses(`/audit?q=${odd}&hook=${odd}`),
      ...firstOf(records).map(({ id }) => `/audit?record=${encodeURIComponent(id)}`),
      '/audit/refused',
      '/audit/admin?machines=1',
      ...firstOf(actions.slice(0, 6)).map(({ seq }) => `/audit/admin?action=${seq}`),
      '/settings/sign-in',
      '/settings/tokens',
      '/settings/keys',
      '/settings/records',
      '/settings/danger',
    ])
      await survey(team.url + path)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor()
    expect(await unseen(page)).toEqual([])
  })
})
