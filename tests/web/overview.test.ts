// The overview: what needs attention, four figures, and their links.

import { RolloutService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow, picture, weigh } from './browser.js'
import { enrol, publishHook, type TestDevice } from './fleet.js'
import { aDayOfRecords, denied, untilCounted } from './sent.js'
import { startTeam, type TestTeam } from './team.js'

const DAY = 86_400_000
const RECORDS = 320

describe.skipIf(!hasChromium())('the overview', () => {
  let ahead = 0
  let team: TestTeam
  let laptop: TestDevice
  beforeAll(async () => {
    team = await startTeam('Harbour works', { now: () => Date.now() + ahead })
    ahead = -4 * DAY
    await enrol(team, 'forgotten')
    await team.server.people.flush()
    ahead = 0
    laptop = await enrol(team, 'ada-laptop')
    const behind = await enrol(team, 'build-7', { group: 'build' })
    const { hookId } = await publishHook(team)
    await behind.report(1)
    const { release } = await publishHook(team, 'No pushes', { id: hookId, skipRings: false })
    for (const number of [release, release])
      await team.owner
        .as(RolloutService)
        .advance({ number })
        .catch(() => {})
    await laptop.report(release)
    await laptop.send(aDayOfRecords(RECORDS))
    await untilCounted(team, RECORDS)
  })
  afterAll(() => team?.stop())

  it('says what needs somebody, counts, and leads to the records behind each figure', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/overview?range=24h`)
    const needs = page.getByRole('region', { name: 'Needs attention' })
    await needs.getByText('failed open').waitFor()
    await needs.getByText('1 device is silent').waitFor()
    const figures = page.getByRole('list', { name: 'Figures' })
    await figures
      .getByRole('link', { name: /Runs of hooks/ })
      .getByText(String(RECORDS))
      .waitFor()
    await page
      .getByRole('region', { name: 'Most denied' })
      .getByText('git push --force origin main')
      .waitFor()
    await page.getByRole('region', { name: 'Slowest hooks' }).getByText('./guard.sh').waitFor()
    await page.getByRole('region', { name: 'Failing hooks' }).getByText('./notify.py').waitFor()
    const devices = page.getByRole('region', { name: 'Devices' })
    await devices.getByText('1 silent').waitFor()
    await page.getByRole('region', { name: 'Ring health' }).getByText('Release 2').waitFor()
    await picture(page, 'team-overview')

    const shown = await figures.getByRole('link', { name: /Denied/ }).textContent()
    const [number] = /\d+/.exec(shown!)!
    await figures.getByRole('link', { name: /Denied/ }).click()
    await page.getByRole('grid', { name: 'Records' }).waitFor()
    expect(new URL(page.url()).searchParams.get('verdict')).toBe('deny')
    await page.getByText(`${number} records, last 24 hours`).waitFor()
    await page.goBack()
    await devices.getByRole('link', { name: /silent/ }).click()
    await page.getByRole('grid', { name: 'Devices' }).getByText('forgotten').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await close()
  })

  itInAll('updates by itself', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/overview?range=24h`)
    const runs = page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: /Runs of hooks/ })
    const before = Number(/([\d,]+)/.exec((await runs.textContent())!.replace('Runs of hooks', ''))![1])
    await laptop.send([denied(Date.now())])
    await runs.getByText(String(before + 1)).waitFor()
    await close()
  })

  it('says first that the kill switch is on, and that a release was halted', async () => {
    const rollout = team.owner.as(RolloutService)
    await rollout.halt({ number: 2, reason: 'it lets everything through' })
    await rollout.setKillSwitch({ on: true, reason: 'bad day' })
    const { page, close } = await openWindow({ cookies: team.owner.cookies, theme: 'dark' })
    await page.goto(`${team.url}/overview`)
    const needs = page.getByRole('region', { name: 'Needs attention' })
    await needs.getByText('Release 2 is halted').waitFor()
    const items = await needs.getByRole('listitem').allTextContents()
    expect(items[0]).toContain('The kill switch is on')
    expect(items[0]).toContain('bad day')
    expect(items[1]).toContain('it lets everything through')
    await examine(page, 'the overview with the switch on')
    await close()
    await rollout.setKillSwitch({ on: false, reason: 'better' })
  })

  itInAll('loads less than 200 KB first', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    const { kb, files } = await weigh(page, `${team.url}/overview`)
    expect(kb, files.join('\n')).toBeLessThan(200)
    await close()
  })
})

describe.skipIf(!hasChromium())('the overview of a new team', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam('Newcomers')
  })
  afterAll(() => team?.stop())

  itInAll('lists the next steps, and marks those that are done', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(team.url)
    const steps = page.getByRole('region', { name: 'Get started' })
    await steps.getByText(`holdfast login ${team.url}`).waitFor()
    await picture(page, 'team-overview-new')
    await publishHook(team)
    await steps.getByRole('heading', { name: 'Publish it done' }).waitFor()
    await close()
  })
})
