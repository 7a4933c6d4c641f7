// The review before a hook of the team is published: dry run, what-if, and the release itself.

import { AuditService, HooksService, RolloutService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow, picture } from './browser.js'
import { ALLOW_ALL, DENY_PUSH, draft, enrol, publish } from './fleet.js'
import { justNow } from './sent.js'
import { type Person, startTeam, type TestTeam } from './team.js'

const REFUSED = [/status of 4\d\d/]
/** Pictures at three widths in two themes take long. */
const LONG = { timeout: 240_000 }

describe.skipIf(!hasChromium())('the review of a hook', () => {
  let team: TestTeam
  let author: Person
  beforeAll(async () => {
    team = await startTeam()
    author = await team.member('author', 'Ada')
  })
  afterAll(() => team.stop())
  const open = (person: Person) => openWindow({ cookies: person.cookies })

  itInAll('is run on samples, with its answers and the reason why it cannot be published', LONG, async () => {
    const hook = await draft(author, 'Tried', { matcher: 'git' })
    const { page, close } = await open(author)
    await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=test`)
    // Those that the matcher matches are there already.
    await page.getByRole('button', { name: 'Run on 3 samples' }).waitFor()
    await page.getByLabel('Add a sample').selectOption('git push --force origin main')
    await page.getByLabel('Add a sample').selectOption('npm test')
    await page.getByRole('button', { name: 'Run on 5 samples' }).click()
    await page
      .getByText('Tested on 4 of 5 samples. This draft can be published.')
      .waitFor({ timeout: 30_000 })
    const runs = page.getByRole('article')
    const forced = runs.filter({ hasText: 'git push --force origin main' })
    expect(await forced.textContent()).toContain('No forced pushes in this team.')
    expect(await forced.textContent()).toContain('deny')
    expect(await forced.textContent()).not.toContain('Did not run')
    expect(await runs.filter({ hasText: 'npm test' }).textContent()).toContain(
      'Did not run: the matcher does not match this sample.',
    )
    await picture(page, 'team-hook-dry-run')
    await draft(author, 'Tried', { scriptContent: '#!/bin/sh\necho oh no >&2\nexit 3\n' }, hook.id)
    await page.getByText('The draft changed after this run. Run it again.').waitFor({ timeout: 60_000 })
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('This draft cannot be published.').waitFor({ timeout: 30_000 })
    await page.getByText('oh no').first().waitFor()
    await draft(author, 'Tried', { matcher: 'zzz-never', scriptContent: DENY_PUSH }, hook.id)
    await page.getByText('The draft changed after this run.').waitFor({ timeout: 60_000 })
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('The script never ran: the matcher matches none of the samples.').waitFor()
    expect(await page.getByText('This draft can be published').count()).toBe(0)
    await close()
  })

  itInAll(
    'a taken script name is reported at its field and by the dry run, and disables the button',
    LONG,
    async () => {
      const scriptName = 'taken.sh'
      await publish(team.owner, await draft(team.owner, 'Has the name', { scriptName }), { skipRings: true })
      const wanted = { scriptName, scriptContent: ALLOW_ALL }
      const hook = await draft(team.owner, 'Wants the name', wanted)
      const { page, close } = await open(team.owner)
      await page.goto(`${team.url}/hooks/${hook.id}`)
      await page.getByText('1 problem prevents publishing.').waitFor()
      await page.getByText('"Has the name" has it already.').first().waitFor()
      await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=test`)
      await page.getByRole('button', { name: 'Run on 1 sample' }).click()
      await page.getByText('This draft cannot be published.').waitFor({ timeout: 30_000 })
      await page.getByText('Two different scripts are called "taken.sh"').waitFor()
      await picture(page, 'team-hook-name-taken')
      expect(await page.getByRole('link', { name: 'Continue to what-if' }).count()).toBe(0)
      await draft(team.owner, 'Wants the name', { ...wanted, scriptName: 'free.sh' }, hook.id)
      await page.getByText('The draft changed after this run. Run it again.').waitFor({ timeout: 60_000 })
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.getByText('This draft can be published').waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: 'Continue to what-if' }).click()
      await page.getByRole('link', { name: 'Continue to review' }).click()
      await page.getByRole('link', { name: 'Continue to publish' }).click()
      await page.getByRole('button', { name: /^Publish revision 1/ }).click()
      await page.waitForURL(/\/rollout\/\d+$/)
      await close()
    },
  )

  it('publishes several hooks with a message in one click, and only once', LONG, async () => {
    const one = await draft(team.owner, 'Published one')
    const two = await draft(team.owner, 'Published two')
    const owner = team.owner.as(HooksService)
    await owner.checkDraft({ id: two.id })
    const before = (await team.owner.as(RolloutService).listReleases({})).releases[0]?.number ?? 0
    const { page, close } = await open(team.owner)
    const sent: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('RolloutService/Publish')) sent.push(request.url())
    })
    await page.goto(`${team.url}/hooks/${one.id}/rev/draft?tab=publish`)
    const button = page.getByRole('button', { name: /^Publish revision 1 to ring canary, \d+ devices?$/ })
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.getByText('is not tested. Test it first.').waitFor()
    const steps = page.getByRole('navigation', { name: 'Steps to publish' })
    await steps.getByRole('link', { name: 'Review' }).click()
    await page.getByText('Denies forced pushes').first().waitFor()
    await picture(page, 'team-hook-review')
    await steps.getByRole('link', { name: 'Test' }).click()
    await page.getByRole('button', { name: 'Run on 1 sample' }).click()
    await page.getByText('This draft can be published').waitFor({ timeout: 30_000 })
    await steps.getByRole('link', { name: 'Publish' }).click()
    await page.getByLabel('Note').fill('Two at once')
    await page.getByLabel('Published two').check()
    await page.getByRole('button', { name: /^Publish 2 hooks to ring canary/ }).dblclick()
    await page.waitForURL(`${team.url}/rollout/${before + 1}`)
    expect(sent).toHaveLength(1)
    const { release } = await team.owner.as(RolloutService).getRelease({ number: before + 1 })
    expect(release).toMatchObject({ note: 'Two at once', state: 'rolling' })
    expect(release!.hooks.filter(({ change }) => change === 'added').map(({ name }) => name)).toEqual([
      'Published one',
      'Published two',
    ])
    await close()
  })

  itInAll('compares revisions, and restores one as a draft', LONG, async () => {
    const hook = await draft(team.owner, 'Compared', { matcher: 'git' })
    await publish(team.owner, hook, { note: 'the first', skipRings: true })
    const again = await draft(
      team.owner,
      'Compared',
      { matcher: 'git push', scriptContent: ALLOW_ALL },
      hook.id,
    )
    await publish(team.owner, again, { note: 'the second', skipRings: true })
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/hooks/${hook.id}/rev/2`)
    const options = page.getByRole('table', { name: 'Options' })
    await options.waitFor()
    expect(await options.textContent()).toContain('git push')
    await page.getByText('Denies forced pushes').first().waitFor()
    await picture(page, 'team-hook-revision')
    await page.setViewportSize({ width: 700, height: 820 })
    await page.locator('.cm-deletedChunk').first().waitFor()
    await page.setViewportSize({ width: 1440, height: 820 })
    await page.getByRole('button', { name: 'Roll back to this' }).click()
    const dialog = page.getByRole('dialog', { name: /Roll back to release/ })
    await dialog.getByText('revision 2 → 1').waitFor()
    await examine(page, 'rolling back')
    await dialog.getByRole('button', { name: 'Make revision 1 the draft' }).click()
    await page.waitForURL(/rev\/draft\?tab=test/)
    const { hook: saved } = await team.owner.as(HooksService).getHook({ id: hook.id })
    expect(saved!.draft).toMatchObject({ matcher: 'git', scriptContent: DENY_PUSH })
    await close()
  })

  itInAll('explains to the author of a draft why another user must publish it', LONG, async () => {
    const { rollout } = await team.server.team.store.db
      .selectFrom('team')
      .select('rollout')
      .executeTakeFirstOrThrow()
    const settings = await team.owner.as(RolloutService).getRolloutSettings({})
    await team.owner
      .as(RolloutService)
      .setRolloutSettings({ settings: { ...settings.settings!, fourEyes: true } })
    const own = await draft(team.owner, 'Own work')
    await team.owner.as(HooksService).checkDraft({ id: own.id })
    const others = await draft(author, 'Work of others')
    await team.owner.as(HooksService).checkDraft({ id: others.id })
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/hooks/${own.id}/rev/draft?tab=publish`)
    await page.getByText('With four-eyes, another admin must publish it.').waitFor()
    await page.goto(`${team.url}/hooks/${others.id}/rev/draft?tab=publish`)
    const button = page.getByRole('button', { name: /^Publish revision 1/ })
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe(null)
    await close()
    // One admin alone cannot switch four-eyes off.
    await team.server.team.store.db.updateTable('team').set({ rollout }).execute()
    team.server.team.hub.changed('releases')
  })
})

// Each has a separate team: a what-if reads all records.
describe.skipIf(!hasChromium())('what if', () => {
  const start = async () => {
    const team = await startTeam()
    return { team, author: await team.member('author', 'Ada') }
  }

  itInAll('what-if shows its figures with examples while it runs', LONG, async () => {
    const { team, author } = await start()
    const device = await enrol(team, 'replayed')
    const forced = { request: { command: 'git push --force origin main', cwd: '/project' } }
    const denied = {
      permission: 'deny',
      response: { permission: 'deny' },
      verdict: { permission: 'deny', continue: null },
    }
    const hook = await draft(author, 'Replayed')
    await device.send(
      justNow([
        ...Array.from({ length: 6 }, () => forced),
        ...Array.from({ length: 3 }, () => ({ ...denied, hook_id: hook.id })),
        ...Array.from({ length: 40 }, () => ({})),
        { redacted: ['request.command: a secret'] },
      ]),
    )
    await expect
      .poll(async () => (await author.as(AuditService).searchRecords({})).records.length, {
        timeout: 15_000,
      })
      .toBe(50)
    const { page, close } = await openWindow({ cookies: author.cookies })
    await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=what-if`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('50 events replayed').waitFor({ timeout: 40_000 })
    await page.getByRole('button', { name: '6 newly denied' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('kind')).toBe('newly_denied')
    const table = page.getByRole('table', { name: '6 newly denied' })
    expect(await table.getByRole('row').count()).toBe(7)
    expect(await table.getByRole('link', { name: 'Open' }).first().getAttribute('href')).toMatch(
      /^\/audit\?record=/,
    )
    await picture(page, 'team-hook-what-if')
    await page.getByRole('button', { name: '3 newly allowed' }).click()
    await page.getByRole('table', { name: '3 newly allowed' }).waitFor()
    await page.getByRole('button', { name: '40 unchanged' }).click()
    await page.getByRole('table', { name: '20 of 40 unchanged' }).waitFor()
    await page.getByRole('button', { name: '1 undecided' }).click()
    await page.getByRole('table', { name: '1 undecided' }).waitFor()
    await close()
    await team.stop()
  })

  itInAll('a cancelled what-if ends on the server, and the next one starts', LONG, async () => {
    const { team, author } = await start()
    const device = await enrol(team, 'slow')
    await device.send(justNow(Array.from({ length: 60 }, () => ({}))))
    await expect
      .poll(async () => (await author.as(AuditService).searchRecords({ pageSize: 100 })).records.length)
      .toBeGreaterThanOrEqual(60)
    // Without an end, this would continue for most of a minute.
    const sleepy = '#!/bin/sh\ncat > /dev/null\nsleep 3\necho "{}"\n'
    const hook = await draft(author, 'Slow', { scriptContent: sleepy })
    const { page, close } = await openWindow({ cookies: author.cookies, tolerate: REFUSED })
    await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=what-if`)
    const replay = page.getByRole('button', { name: 'Replay' })
    await replay.click()
    await page.getByText(/of at most \d+ replayed/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await replay.waitFor()
    await draft(author, 'Slow', { scriptContent: ALLOW_ALL }, hook.id)
    await expect
      .poll(
        async () => {
          const done = await page.getByText(/\d+ events replayed/).count()
          if (done === 0 && (await replay.isVisible())) await replay.click()
          return done
        },
        { timeout: 60_000, interval: 250 },
      )
      .toBe(1)
    await close()
    await team.stop()
  })
})

describe.skipIf(!hasChromium())('the review of a hook on a server without a sandbox', () => {
  it('offers another admin to approve the draft, with a reason', LONG, async () => {
    // Neither bubblewrap nor unshare.
    vi.stubEnv('PATH', '/nowhere')
    // The owner invited the author 25 hours ago, so they are independent.
    let behindMs = 25 * 60 * 60 * 1000
    const team = await startTeam('Harbour works', { now: () => Date.now() - behindMs })
    try {
      const author = await team.member('author', 'Ada')
      behindMs = 0
      const hook = await draft(author, 'Unrun')
      const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: REFUSED })
      await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=test`)
      await page.getByRole('button', { name: 'Run on 1 sample' }).click()
      await page.getByText('Dry runs are off').waitFor({ timeout: 30_000 })
      await page.getByLabel('Reason').fill('Read it line by line.')
      await page.getByRole('button', { name: 'Approve without a dry run' }).click()
      await page.getByText('The draft is approved without a dry run.').waitFor()
      expect((await team.owner.as(HooksService).getHook({ id: hook.id })).hook!.fit).toBe(true)
      await close()
    } finally {
      vi.unstubAllEnvs()
      await team.stop()
    }
  })
})
