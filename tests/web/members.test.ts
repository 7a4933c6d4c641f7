// Members: identity, joining, permissions, and removal.

import { PeopleService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow, picture } from './browser.js'
import { startTeam, type TestTeam } from './team.js'

describe.skipIf(!hasChromium())('members', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team?.stop())

  it('an invitation link is shown once, and accepting it opens the dashboard', async () => {
    // The server refuses an invalid address, and the browser logs it to its console.
    const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: [/status of 400/] })
    await page.goto(`${team.url}/members`)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a member' })
    await examine(page, 'inviting')
    await dialog.getByLabel('Email').fill('not an address')
    await dialog.getByLabel('Email').evaluate((field: HTMLInputElement) => (field.type = 'text'))
    await dialog.getByRole('button', { name: /^Invite/ }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Email').fill('ada@example.com')
    await dialog.getByLabel('Role').selectOption('admin')
    await dialog.getByRole('button', { name: 'Invite ada@example.com as admin' }).click()
    const made = page.getByRole('dialog', { name: 'The invitation is ready' })
    const link = (await made.locator('code').textContent())!
    await examine(page, 'an invitation')
    await made.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(link)
    const row = page.getByRole('row', { name: /ada@example.com/ })
    await row.getByText('invited').waitFor()

    const ada = await openWindow()
    await ada.page.goto(link)
    await picture(ada.page, 'team-join')
    await ada.page.getByLabel('Your name').fill('Ada')
    await ada.page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await ada.page.getByLabel('Password again').fill('correct horse battery')
    await ada.page.getByRole('button', { name: 'Join the team' }).click()
    await ada.page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(ada.page.url()).pathname).toBe('/overview')
    await ada.close()

    // The list updates by itself.
    await row.getByText('password').waitFor()
    await close()
  })

  itInAll('changes a role and removes a member, but neither for the last owner', async () => {
    await team.member('author', 'Bo')
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/members`)
    const people = team.owner.as(PeopleService)
    await page.getByLabel('Role of Bo').selectOption('auditor')
    await expect
      .poll(async () => (await people.listMembers({})).members.find(({ name }) => name === 'Bo')?.role)
      .toBe('auditor')
    await picture(page, 'team-members')
    expect(await page.getByLabel('Role of Olga').isDisabled()).toBe(true)
    expect(await page.getByLabel('Role of Olga').getAttribute('title')).toContain('The team needs an owner')
    const leave = page.getByRole('button', { name: 'Remove Olga' })
    expect(await leave.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Remove Bo' }).click()
    const ask = page.getByRole('dialog', { name: 'Remove Bo?' })
    await ask.getByText('Sessions, tokens and enrolment keys of bo@example.com end immediately.').waitFor()
    await page.keyboard.press('Escape')
    await ask.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Remove Bo' }).click()
    await ask.getByRole('button', { name: 'Remove Bo' }).click()
    await page.getByRole('row', { name: /bo@example.com/ }).waitFor({ state: 'hidden' })
    await close()
  })

  itInAll('an auditor sees all members and can change none, in the page or through the API', async () => {
    const eve = await team.member('auditor', 'Eve')
    const { page, close } = await openWindow({ cookies: eve.cookies })
    await page.goto(`${team.url}/members`)
    const invite = page.getByRole('button', { name: 'Invite a member' })
    await page.getByRole('row', { name: /olga@example.com/ }).waitFor()
    expect(await invite.getAttribute('title')).toBe('This needs the role admin; yours is auditor.')
    await invite.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByLabel('Role of Eve').isDisabled()).toBe(true)
    await examine(page, 'members, for an auditor')
    // The palette does not offer it either.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('invite')
    await page.getByRole('option', { name: 'Records that contain “invite”' }).waitFor()
    expect(await page.getByRole('option', { name: 'Invite a member' }).count()).toBe(0)
    await close()
    const people = eve.as(PeopleService)
    const { members } = await people.listMembers({})
    const olga = members.find(({ name }) => name === 'Olga')!
    await expect(people.inviteMember({ email: 'x@example.com', role: 'auditor' })).rejects.toThrow(
      'This needs the role admin',
    )
    await expect(people.setMemberRole({ userId: olga.userId, role: 'auditor' })).rejects.toThrow(
      'This needs the role admin',
    )
    await expect(people.removeMember({ userId: olga.userId })).rejects.toThrow('This needs the role admin')
  })
})
