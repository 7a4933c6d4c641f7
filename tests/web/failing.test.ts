// Every page of the dashboard without a response, without permission, and without the server: each shows a message
// that is readable in both themes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examineInBoth, hasChromium, openWindow } from './browser.js'
import { pathsOf } from './everywhere.js'
import { enrol, publishHook } from './fleet.js'
import { type Person, startTeam, type TestTeam } from './team.js'

const LONG = { timeout: 240_000 }
const GONE = [/net::ERR|Failed to (load|fetch)|status of (4\d\d|503)/]
/** Every request of pages except for the current user and notifications. */
const QUESTIONS = /holdfast\.team\.v1\.(?!PeopleService\/WhoAmI|AuditService\/WatchTeam)/

describe.skipIf(!hasChromium())('a page of the dashboard', () => {
  let team: TestTeam
  let auditor: Person
  beforeAll(async () => {
    team = await startTeam()
    auditor = await team.member('auditor', 'Vera')
    await enrol(team, 'ada-laptop')
    await publishHook(team)
  })
  afterAll(() => team?.stop())

  itInAll('reports that it did not load', LONG, async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: GONE })
    await page.route(QUESTIONS, route => route.abort())
    const silent: string[] = []
    for (const path of pathsOf('team')) {
      // These request nothing before the user acts.
      if (path === '/hooks/new') continue
      const at = path.replace('$tab', 'records').replace('$id', '1').replace('$number', '1')
      await page.goto(team.url + at)
      const said = page.getByText(/did not load|could not be|did not respond/i).first()
      await said.waitFor({ timeout: 30_000 }).catch(() => silent.push(at))
      await examineInBoth(page, `${at} without an answer`)
    }
    expect(silent, 'pages that say nothing of it').toEqual([])
    await close()
  })

  itInAll('names the role that is required', LONG, async () => {
    const { page, close } = await openWindow({ cookies: auditor.cookies, tolerate: GONE })
    for (const at of [
      '/hooks/1',
      '/rollout?tab=settings',
      '/devices/keys',
      '/members',
      '/settings/sign-in',
      '/audit/refused',
    ]) {
      await page.goto(team.url + at)
      await page
        .locator('[aria-disabled=true], :text("This needs the role")')
        .first()
        .waitFor({ timeout: 10_000 })
        .catch(() => expect.fail(`${at} does not say who may`))
      await examineInBoth(page, `${at} for an auditor`)
    }
    await close()
  })

  it('says that the server is gone', LONG, async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: GONE })
    await page.goto(`${team.url}/audit`)
    await page.getByText('Live', { exact: true }).waitFor()
    const back = await team.interrupt()
    try {
      await page.getByText(/^Offline, again in/).waitFor({ timeout: 30_000 })
      await examineInBoth(page, 'offline')
    } finally {
      await back()
    }
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 })
    await close()
  })
})
