// The pages of the team's hooks: the list and the editor.

import { HooksService, RolloutService } from '@holdfast/team'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEMPLATES } from '../../packages/web/src/team/pages/hook/templates.js'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, openWindow, picture } from './browser.js'
import { DENY_PUSH, draft, publish } from './fleet.js'
import { type Person, startTeam, type TestTeam } from './team.js'

const REFUSED = [/status of 4\d\d/]
/** Pictures at three widths in two themes take long. */
const LONG = { timeout: 240_000 }

/** Replaces the text of the editor as a user would. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Script', exact: true }).click()
  await page.keyboard.press('ControlOrMeta+a')
  // Over a selection the browser would try to keep the style of the old text, which the policy stops.
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

describe.skipIf(!hasChromium())('the hooks of a team', () => {
  let team: TestTeam
  let auditor: Person
  let author: Person
  beforeAll(async () => {
    team = await startTeam()
    auditor = await team.member('auditor', 'Vera')
    author = await team.member('author', 'Ada')
  })
  afterAll(() => team.stop())
  const open = (person: Person, more: object = {}) => openWindow({ cookies: person.cookies, ...more })

  itInAll('explain hooks while there is none, and offer to create one', LONG, async () => {
    const empty = await startTeam('Empty')
    const { page, close } = await open(empty.owner)
    await page.goto(`${empty.url}/hooks`)
    await page.getByRole('heading', { name: 'The team has no hooks yet' }).waitFor()
    await examine(page, 'no hooks')
    await page.getByRole('button', { name: 'Write the first hook' }).click()
    await page.getByRole('heading', { name: 'New hook' }).waitFor()
    await page.getByRole('heading', { name: 'Start from a template' }).waitFor()
    await picture(page, 'team-hook-new')
    await close()
    await empty.stop()
  })

  itInAll.each(TEMPLATES.map(({ name }) => name))(
    'can start from the template %s, saved by keys and without a problem',
    LONG,
    async name => {
      const { page, close } = await open(author)
      await page.goto(`${team.url}/hooks/new`)
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
      await page.getByLabel('Name', { exact: true }).fill(`My ${name}`)
      await page.getByText(/prevents? publishing/).waitFor({ state: 'hidden' })
      await page.keyboard.press('ControlOrMeta+s')
      await page.waitForURL(/\/hooks\/\d+$/)
      await page.getByRole('heading', { name: `My ${name}` }).waitFor()
      const { hooks } = await author.as(HooksService).listHooks({ query: `My ${name}` })
      expect(hooks).toMatchObject([{ draftVersion: 1, draft: { isActive: true } }])
      await close()
    },
  )

  itInAll('reports mistakes at their field while typing, and saves nothing', LONG, async () => {
    await draft(author, 'Name in use')
    const hook = await draft(author, 'Typed')
    const { page, close } = await open(author)
    await page.goto(`${team.url}/hooks/${hook.id}`)
    const matcher = page.getByLabel('Matcher')
    await matcher.fill('git push (')
    await page.getByText('1 problem prevents publishing.').waitFor()
    await expect.poll(() => matcher.getAttribute('aria-invalid')).toBe('true')
    await matcher.fill('--force')
    await page.getByText('Matches 1 of 18 common examples: git push --force origin main.').waitFor()
    await page.getByText('1 problem prevents').waitFor({ state: 'hidden' })
    await page.getByLabel('Timeout in seconds').fill('-4')
    await page.getByText('1 problem prevents').waitFor()
    await page.getByLabel('Timeout in seconds').fill('')
    await write(page, '')
    await page.getByText('The script is empty.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Name in use')
    await page.getByText('Another hook is called "Name in use".').waitFor()
    await examineInBoth(page, 'a draft with problems')
    const { hook: kept } = await author.as(HooksService).getHook({ id: hook.id })
    expect(kept).toMatchObject({ draftVersion: 1, draft: { matcher: '' } })
    await page.getByRole('link', { name: 'Hooks' }).first().click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await examine(page, 'leaving')
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(new URL(page.url()).pathname).toBe(`/hooks/${hook.id}`)
    await page.getByRole('link', { name: 'Hooks' }).first().click()
    await page.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('heading', { name: 'Hooks', exact: true }).waitFor()
    await close()
  })

  it('every option is saved on the server and read back', LONG, async () => {
    const hook = await draft(author, 'Options')
    const { page, close } = await open(author)
    await page.goto(`${team.url}/hooks/${hook.id}`)
    await page.getByLabel('Event').selectOption('stop')
    await page.getByLabel('Prompt for a model').check()
    await page.getByLabel('Prompt', { exact: true }).fill('Is it done? $ARGUMENTS')
    await page.getByLabel('Model', { exact: true }).fill('small')
    await page.getByLabel('Observe: only record').check()
    await page.getByLabel('Windows').check()
    await page.getByLabel('When it fails').selectOption('closed')
    await page.getByLabel('Timeout in seconds').fill('12.5')
    await page.getByLabel('No limit').check()
    await page.getByLabel('Active.').uncheck()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Draft, version 2').waitFor()
    const { hook: saved } = await author.as(HooksService).getHook({ id: hook.id })
    expect(saved!.draft).toMatchObject({
      hookStep: 'stop',
      type: 'prompt',
      prompt: 'Is it done? $ARGUMENTS',
      model: 'small',
      mode: 'observe',
      operatingSystems: ['Windows'],
      failClosed: true,
      timeout: 12.5,
      loopLimit: 0,
      isActive: false,
    })
    await page.reload()
    await page.getByLabel('No limit').waitFor()
    expect(await page.getByLabel('No limit').isChecked()).toBe(true)
    expect(await page.getByLabel('Timeout in seconds').inputValue()).toBe('12.5')
    await close()
  })

  itInAll('show both versions to the second of two editors, and overwrite nothing', LONG, async () => {
    const hook = await draft(author, 'Shared', { matcher: 'git' })
    const [first, second] = [await open(author), await open(team.owner, { tolerate: REFUSED })]
    for (const { page } of [first, second]) {
      await page.goto(`${team.url}/hooks/${hook.id}`)
      await page.getByRole('textbox', { name: 'Script', exact: true }).waitFor()
    }
    await first.page.getByLabel('Matcher').fill('git push')
    await first.page.getByLabel('Timeout in seconds').fill('7')
    await write(first.page, DENY_PUSH.replace('# Denies', '# Ada denies'))
    // Disconnected from notifications, like a laptop that slept.
    await second.page.getByLabel('Matcher').fill('git commit')
    await write(second.page, `${DENY_PUSH}# Olga was here\n`)
    await first.page.keyboard.press('ControlOrMeta+s')
    await first.page.getByText('Draft, version 2').waitFor()
    await second.page.getByRole('button', { name: 'Save draft' }).click()
    await second.page.getByRole('heading', { name: 'Ada also changed this draft' }).waitFor()
    await second.page.getByRole('textbox', { name: /Script, merged script/ }).waitFor()
    await picture(second.page, 'team-hook-conflict')
    await second.page.getByRole('radio', { name: 'git push' }).check()
    await second.page.getByRole('button', { name: 'Save the merged draft as version 3' }).click()
    await second.page.getByText('Draft, version 3').waitFor()
    const { hook: saved } = await author.as(HooksService).getHook({ id: hook.id })
    expect(saved!.draft).toMatchObject({ matcher: 'git push', timeout: 7 })
    expect(saved!.draft!.scriptContent).toContain('# Olga was here')
    // A user without unsaved input simply sees it.
    await first.page.getByText('Draft, version 3').waitFor({ timeout: 60_000 })
    expect(await first.page.getByLabel('Matcher').inputValue()).toBe('git push')
    await first.close()
    await second.close()
  })

  it('keeps a draft when the session ends', LONG, async () => {
    const hook = await draft(author, 'Kept')
    const { page, context, close } = await open(author, { tolerate: REFUSED })
    await page.goto(`${team.url}/hooks/${hook.id}`)
    await page.getByLabel('Matcher').fill('rm -rf')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Your session has expired.').waitFor()
    await examine(page, 'a session that ended')
    expect(await page.getByLabel('Matcher').inputValue()).toBe('rm -rf')
    await context.addCookies(author.cookies)
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Draft, version 2').waitFor()
    await close()
  })

  itInAll('ask before discarding a draft, and restore the focus', LONG, async () => {
    const hook = await draft(team.owner, 'Discarded')
    await publish(team.owner, hook, { note: 'first', skipRings: true })
    await draft(team.owner, 'Discarded', { matcher: 'x' }, hook.id)
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/hooks/${hook.id}`)
    const opener = page.getByRole('button', { name: 'Discard draft' })
    await opener.click()
    await page.getByText('The published revision 1 is not affected.').waitFor()
    await examine(page, 'discarding')
    await page.keyboard.press('Escape')
    await expect.poll(() => opener.evaluate(node => node === document.activeElement)).toBe(true)
    await opener.click()
    await page.getByRole('button', { name: 'Discard version' }).click()
    await page.getByText('Revision 1 is in release').waitFor()
    await expect.poll(() => page.getByLabel('Matcher').inputValue()).toBe('')
    await close()
  })

  itInAll('are searched, sorted and selected by keyboard, with the state in the address', LONG, async () => {
    for (const name of ['Listed a', 'Listed b', 'Listed c']) await draft(team.owner, name)
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/hooks`)
    const rows = page.getByRole('grid', { name: 'Hooks' })
    await rows.waitFor()
    await picture(page, 'team-hooks')
    await page.keyboard.press('/')
    await page.keyboard.type('listed')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('listed')
    expect(await rows.getByRole('row').count()).toBe(4)
    await page.getByRole('button', { name: 'Sort by name' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('-name')
    expect(await rows.getByRole('row').nth(1).textContent()).toContain('Listed c')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const side = page.getByRole('complementary', { name: 'Hook' })
    await side.getByRole('heading', { name: 'Listed c' }).waitFor()
    await page.keyboard.press(']')
    await side.getByRole('heading', { name: 'Listed b' }).waitFor()
    await page.keyboard.press('[')
    await side.getByRole('heading', { name: 'Listed c' }).waitFor()
    await picture(page, 'team-hooks-side')
    await page.keyboard.press('Escape')
    await side.waitFor({ state: 'hidden' })
    await page.getByRole('searchbox', { name: 'Search hooks' }).fill('no such thing')
    await page.getByRole('heading', { name: 'No hooks match' }).waitFor()
    await examineInBoth(page, 'no match')
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await rows.waitFor()
    await page.goto(`${team.url}/hooks?q=listed a`)
    await rows.waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await side.waitFor()
    await page.keyboard.press('o')
    await page.getByRole('heading', { name: 'Listed a' }).waitFor()
    await page.goBack()
    await side.waitFor()
    await close()
  })

  itInAll(
    'an auditor reads everything and changes nothing: not by the page, by keys, by the palette, or by the API',
    LONG,
    async () => {
      const hook = await draft(author, 'For auditors')
      await team.owner.as(HooksService).checkDraft({ id: hook.id })
      const { page, close } = await open(auditor)
      const sent: string[] = []
      page.on('request', request => {
        if (/\/(SaveDraft|Publish|CheckDraft|WhatIf|RollBack|DiscardDraft)$/.test(request.url()))
          sent.push(request.url())
      })
      await page.goto(`${team.url}/hooks`)
      const create = page.getByRole('button', { name: 'New hook' })
      expect(await create.getAttribute('aria-disabled')).toBe('true')
      expect(await create.getAttribute('title')).toContain('auditor')
      await page.keyboard.press('n')
      await page.goto(`${team.url}/hooks/${hook.id}`)
      await page.getByText('Read only.').waitFor()
      expect(await page.getByLabel('Matcher').getAttribute('readonly')).not.toBe(null)
      await page.keyboard.press('ControlOrMeta+s')
      await picture(page, 'team-hook-auditor')
      await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=publish`)
      const publishButton = page.getByRole('button', { name: /^Publish revision 1/ })
      await publishButton.waitFor()
      expect(await publishButton.getAttribute('title')).toContain(
        'This needs the role admin; yours is auditor.',
      )
      await publishButton.click({ force: true })
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: 'Shortcuts' })
      await keys.waitFor()
      expect(await keys.textContent()).not.toContain('Publish')
      await page.keyboard.press('Escape')
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor()
      await page.keyboard.type('publish')
      await page.getByRole('option', { name: 'Records that contain' }).waitFor()
      expect(await page.getByRole('option', { name: /command$/ }).count()).toBe(0)
      await page.keyboard.press('Escape')
      expect(sent).toEqual([])
      await expect(
        auditor.as(RolloutService).publish({ drafts: [{ hookId: hook.id, draftVersion: 1 }] }),
      ).rejects.toThrow(/permission_denied/)
      await expect(auditor.as(HooksService).saveDraft({ id: hook.id, name: 'x', draft: {} })).rejects.toThrow(
        /permission_denied/,
      )
      await expect(auditor.as(RolloutService).rollBack({ to: 1 })).rejects.toThrow(/permission_denied/)
      await close()
    },
  )

  itInAll('report addresses without a hook', LONG, async () => {
    const { page, close } = await open(author, { tolerate: REFUSED })
    await page.goto(`${team.url}/hooks/9999`)
    await page.getByText('There is no hook 9999.').waitFor()
    await page.goto(`${team.url}/hooks/nonsense`)
    await page.getByText('The address must contain a number.').waitFor()
    const hook = await draft(author, 'Without that')
    await page.goto(`${team.url}/hooks/${hook.id}/rev/7`)
    await page.getByText(`Hook ${hook.id} has no revision 7.`).waitFor()
    await examine(page, 'no such revision')
    await author.as(HooksService).discardDraft({ id: hook.id })
    await page.goto(`${team.url}/hooks/${hook.id}/rev/draft`)
    await page.getByRole('heading', { name: 'There is no draft' }).waitFor()
    await close()
  })
})
