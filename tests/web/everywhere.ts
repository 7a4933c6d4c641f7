// Every page of both apps, on real data. Derived from the tables of routes, so that no page can be omitted.

import { readFileSync } from 'node:fs'
import { PeopleService, RolloutService } from '@holdfast/team'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { enrol, publishHook } from './fleet.js'
import type { TestPanel } from './panel.js'
import { manyRuns, releaseSession, writeLog } from './records.js'
import { aDayOfRecords, untilCounted } from './sent.js'
import type { TestTeam } from './team.js'

/** A place to visit: an address, and the buttons on it that open dialogs. */
export interface Spot {
  readonly at: string
  readonly opens?: readonly string[]
}

/** The paths of an app that show something; the others redirect. */
export function pathsOf(home: 'panel' | 'team'): string[] {
  const text = readFileSync(new URL(`../../packages/web/src/${home}/routes.tsx`, import.meta.url), 'utf8')
  return [...text.matchAll(/= at\(\s*'([^']+)'/g)].map(([, path]) => path!)
}

/** Fails if a page is missing here, or no longer exists. */
function covering(home: 'panel' | 'team', spots: Readonly<Record<string, readonly Spot[]>>): Spot[] {
  expect(Object.keys(spots).sort()).toEqual(pathsOf(home).sort())
  return Object.values(spots).flat()
}

const LONG = `./scripts/deploy --target=production --only=${'a-very-long-name-without-a-break-'.repeat(8)}`

export async function spotsOfPanel(panel: TestPanel, page: Page): Promise<Spot[]> {
  const now = Date.now()
  const session = releaseSession('c-release', now - 120_000)
  const runs = manyRuns(120, 20, now - 300_000)
  writeLog(panel.logFile, [...runs, ...session])
  const run = (session.find(({ permission }) => permission === 'deny') ?? session[0]!).id as string
  await page.goto(`${panel.url}/hooks`)
  const link = page.getByRole('link', { name: 'Edit hooks.json' }).first()
  const source = (await link.getAttribute('href'))!
  await page.getByText('guard.sh').first().click()
  await page.getByRole('complementary').waitFor()
  const hook = encodeURIComponent(new URL(page.url()).searchParams.get('hook')!)
  const hrefOf = async (name: string) =>
    (await page.getByRole('complementary').getByRole('link', { name, exact: true }).getAttribute('href'))!
  const span = encodeURIComponent(`hook:${run}`)
  return covering('panel', {
    '/hooks': [{ at: '/hooks' }, { at: `/hooks?hook=${hook}` }],
    '/hooks/$hook': [{ at: await hrefOf('Open as a page') }],
    '/hooks/$hook/edit': [{ at: await hrefOf('Edit') }],
    '/hooks/source/$source/edit': [{ at: source }],
    '/runs': [{ at: '/runs' }, { at: `/runs?run=${run}` }],
    '/runs/$id': [{ at: `/runs/${run}` }],
    '/sessions': [{ at: '/sessions' }],
    '/sessions/$id': [{ at: '/sessions/c-release' }, { at: `/sessions/c-release?span=${span}` }],
    '/questions': [{ at: '/questions' }],
    '/fire': [{ at: `/fire?from=run:${run}` }],
    '/compat': [{ at: '/compat' }],
  })
}

export async function spotsOfTeam(team: TestTeam, page: Page): Promise<Spot[]> {
  const laptop = await enrol(team, 'ada-laptop')
  const build = await enrol(team, 'build-7-with-a-rather-long-name', { group: 'build' })
  await team.member('admin', 'Ada')
  const auditor = await team.member('auditor', 'Bo')
  await team.owner
    .as(PeopleService)
    .inviteMember({ email: 'someone.with.a.long.name@example.com', role: 'author' })
  const { hookId } = await publishHook(team)
  await build.report(1)
  await auditor
    .as(RolloutService)
    .publish({})
    .catch(() => {})
  const { release } = await publishHook(team, 'No pushes', { id: hookId, skipRings: false })
  await team.owner
    .as(RolloutService)
    .advance({ number: release })
    .catch(() => {})
  await laptop.report(release)
  const records = aDayOfRecords(160)
  await laptop.send([...records.slice(0, -1), { ...records.at(-1)!, request: { command: LONG } }])
  await untilCounted(team, 160)
  await page.goto(`${team.url}/audit?range=24h`)
  await page.getByRole('grid').locator('[aria-rowindex="2"]').click()
  await page.getByRole('complementary').last().waitFor()
  const record = encodeURIComponent(new URL(page.url()).searchParams.get('record')!)
  return covering('team', {
    '/overview': [{ at: '/overview?range=24h' }],
    '/hooks': [{ at: '/hooks' }, { at: `/hooks?hook=${hookId}` }],
    '/hooks/new': [{ at: '/hooks/new' }],
    '/hooks/$id': [{ at: `/hooks/${hookId}` }],
    '/hooks/$id/rev/$number': [
      { at: `/hooks/${hookId}/rev/2` },
      { at: `/hooks/${hookId}/rev/2?tab=test` },
      { at: `/hooks/${hookId}/rev/2?tab=what-if` },
    ],
    '/rollout': [
      { at: '/rollout', opens: ['Switch it on…'] },
      { at: '/rollout?tab=releases' },
      { at: '/rollout?tab=pins' },
      { at: '/rollout?tab=settings' },
    ],
    '/rollout/$number': [{ at: `/rollout/${release}`, opens: ['Halt'] }],
    '/devices': [
      { at: '/devices', opens: ['Enrol a device'] },
      { at: `/devices?device=${laptop.id}`, opens: ['Pin to a release', 'Revoke'] },
    ],
    '/devices/keys': [{ at: '/devices/keys', opens: ['New key'] }],
    '/members': [{ at: '/members', opens: ['Invite a member'] }],
    '/settings/$tab': ['sign-in', 'tokens', 'records', 'keys', 'danger'].map(tab => ({
      at: `/settings/${tab}`,
    })),
    '/audit': [{ at: '/audit?range=24h', opens: ['Export'] }, { at: `/audit?range=24h&record=${record}` }],
    '/audit/admin': [{ at: '/audit/admin' }],
    '/audit/refused': [{ at: '/audit/refused' }],
  })
}
