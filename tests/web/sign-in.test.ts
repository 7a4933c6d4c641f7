// The pages before the dashboard: sign-in, account, approving a device; and a session that ends meanwhile.

import { PeopleService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, openWindow, picture } from './browser.js'
import { startTeam, type TestTeam } from './team.js'

const PASSWORD = 'correct horse battery'

describe.skipIf(!hasChromium())('before the dashboard', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam()
  })
  afterAll(() => team?.stop())

  it('requires a sign-in before any page, then opens the requested one', async () => {
    const asked = await fetch(`${team.url}/audit?verdict=deny&range=7d`, {
      redirect: 'manual',
      headers: { accept: 'text/html' },
    })
    expect(asked.status).toBe(303)
    expect(await asked.text()).toBe('')
    expect(asked.headers.get('location')).toBe('/sign-in?next=%2Faudit%3Fverdict%3Ddeny%26range%3D7d')

    const { page, close } = await openWindow({ tolerate: [/status of 401/] })
    await page.goto(`${team.url}/audit?verdict=deny&range=7d`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await picture(page, 'team-sign-in')
    await page.getByLabel('Email').fill('olga@example.com')
    await page.getByLabel('Password').fill('something else')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor()
    await examine(page, 'a wrong password')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    expect(new URL(page.url()).search).toBe('?verdict=deny&range=7d')
    await close()
  })

  it('serves page files without a session, and answers calls with an error in the protocol', async () => {
    for (const path of ['/tokens.css', '/theme.js', '/icon.svg', '/style.css'])
      expect((await fetch(`${team.url}${path}`)).status, path).toBe(200)
    const call = await fetch(`${team.url}/holdfast.team.v1.PeopleService/WhoAmI`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(call.status).toBe(401)
  })

  itInAll('changes the password and signs out', async () => {
    const ada = await team.member('admin', 'Ada')
    const { page, close } = await openWindow({ cookies: ada.cookies, tolerate: [/status of 400/] })
    await page.goto(`${team.url}/account`)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await picture(page, 'team-account')
    await page.getByLabel('Password now').fill('not this one at all')
    await page.getByLabel('New password').fill('another horse battery')
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password now').fill(PASSWORD)
    await page.getByLabel('New password').fill('another horse battery')
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('status').getByText('The password is changed.').waitFor()
    await page.getByRole('link', { name: 'To the dashboard' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Account of' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(team.url)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await close()
  })

  itInAll('approves a device by its code', async () => {
    const asked = await fetch(`${team.url}/device/code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'holdfast', device_name: 'ada-laptop', operating_system: 'Linux' }),
    })
    const { user_code: code } = (await asked.json()) as { user_code: string }
    const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: [/status of 400/] })
    await page.goto(`${team.url}/device`)
    await page.getByLabel('Code').fill('BCDF-GHJK')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Approve this device?' }).waitFor()
    await page.getByText('ada-laptop').waitFor()
    await picture(page, 'team-approve')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    await page.getByRole('link', { name: 'To the devices' }).click()
    await page.getByRole('heading', { name: 'Devices' }).waitFor()
    await close()
  })

  itInAll(
    'a session that ends while something is typed: the page stays, and goes on when one is back',
    async () => {
      const bo = await team.member('admin', 'Bo')
      const { page, context, close } = await openWindow({
        cookies: bo.cookies,
        tolerate: [/status of 401/],
      })
      await page.goto(`${team.url}/members`)
      await page.getByRole('button', { name: 'Invite a member' }).click()
      await page.getByLabel('Email').fill('typed@example.com')
      // It was ended elsewhere.
      await team.server.team.store.db.deleteFrom('session' as never).execute()
      await page.getByRole('button', { name: /^Invite typed/ }).click()
      await page.getByText('Your session has ended.').waitFor()
      expect(await page.getByLabel('Email').inputValue()).toBe('typed@example.com')
      await page.keyboard.press('Escape')
      await examine(page, 'a session that is over')
      const [second] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
      ])
      await second.getByLabel('Email').fill(bo.email)
      await second.getByLabel('Password').fill(PASSWORD)
      await second.getByRole('button', { name: 'Sign in' }).click()
      await second.getByRole('heading', { name: 'Signed in' }).waitFor()
      await second.close()
      await page.bringToFront()
      await page.evaluate(() => dispatchEvent(new Event('focus')))
      await page.getByText('Your session has ended.').waitFor({ state: 'hidden' })
      await page.getByRole('row', { name: /olga@example.com/ }).waitFor()
      await close()
      expect((await team.owner.as(PeopleService).whoAmI({})).member!.name).toBe('Olga')
    },
  )
})
