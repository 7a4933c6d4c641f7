// Settings: account, tokens, keys, retention of records, and the danger zone.

import {
  AuditService,
  KeysService,
  PeopleService,
  readTrust,
  signEnvelope,
  type TrustPayload,
  writeTrust,
} from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { callerOf } from '../team/server.js'
import { examine, hasChromium, openWindow, picture } from './browser.js'
import { startTeam, type TestTeam } from './team.js'

describe.skipIf(!hasChromium())('settings', () => {
  let team: TestTeam
  beforeAll(async () => {
    team = await startTeam('Harbour works', {
      otlp: { url: 'http://user:hidden@127.0.0.1:9/v1/logs?key=hidden' },
    })
  })
  afterAll(() => team?.stop())

  itInAll('start with the account, and show how the server was set up', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/settings`)
    await page.getByRole('heading', { name: 'Sign-in of the team' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/settings/sign-in')
    await page.getByText('There is no identity provider').waitFor()
    await page.getByText('SQLite, in a file').waitFor()
    await picture(page, 'team-settings')
    await page.getByRole('link', { name: 'Change the password or sign out' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.goto(`${team.url}/settings/no-such`)
    await page.getByRole('heading', { name: 'These settings do not exist' }).waitFor()
    await examine(page)
    await close()
  })

  it('a token is created, shown once, works with its own role, and is revoked', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/settings/tokens`)
    await page.getByRole('button', { name: 'New token' }).click()
    const wish = page.getByRole('dialog', { name: 'New token' })
    await wish.getByLabel('Name').fill('nightly export')
    await wish.getByLabel('Expires after').fill('7')
    await examine(page, 'a new token')
    await wish.getByRole('button', { name: 'Create a token as auditor for 7 days' }).click()
    const made = page.getByRole('dialog', { name: 'The token is ready' })
    const secret = (await made.locator('code').textContent())!
    await made.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(secret)
    const script = callerOf(team.url, secret)
    expect((await script(PeopleService).whoAmI({})).member!.role).toBe('auditor')
    await expect(script(AuditService).setRetention({ recordDays: 1 })).rejects.toThrow(
      'This needs the role admin',
    )
    await picture(page, 'team-tokens')
    await page.getByRole('button', { name: 'Revoke nightly export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke nightly export' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByText('nightly export').count()).toBe(0)
    await expect(script(PeopleService).whoAmI({})).rejects.toThrow()
    await close()
  })

  it('lists the keys with their locations, and shows a change that the root keys signed', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    const keys = team.owner.as(KeysService)
    await page.goto(`${team.url}/settings/keys`)
    const { fingerprint, chain } = await keys.getTrust({})
    await page.getByText(fingerprint).waitFor()
    await page.getByRole('row', { name: /root/ }).first().getByText('offline').waitFor()
    expect(await page.getByRole('row', { name: /lease/ }).first().getByText('this server').count()).toBe(1)
    await page.getByRole('row', { name: /the first keys of the team/ }).waitFor()
    expect(await page.getByRole('button', { name: /Rotate/ }).count()).toBe(0)
    const { publicKey } = await keys.prepareKey({ use: 'lease' })
    const first = readTrust(chain[0]!) as TrustPayload
    const lease_keys = [Buffer.from(publicKey).toString('hex')]
    const payload = writeTrust({ ...first, version: 2, lease_keys })
    const { type, signatures } = signEnvelope('trust', payload, team.server.rootKeys[0]!)
    await keys.submitTrust({ trust: { type, payload, signatures: signatures.map(one => ({ ...one })) } })
    await page.reload()
    await page.getByRole('row', { name: /another lease key/ }).waitFor()
    await page.getByRole('heading', { name: 'Retired keys' }).waitFor()
    await picture(page, 'team-keys')
    await close()
  })

  itInAll('ask before shortening the retention of records, and report the change', async () => {
    const { page, close } = await openWindow({ cookies: team.owner.cookies })
    await page.goto(`${team.url}/settings/records`)
    const days = page.getByLabel('Keep records for')
    await days.fill('120')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved: 120 days instead of 90 days.').waitFor()
    await days.fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    const ask = page.getByRole('dialog', { name: 'Keep records for 30 days only?' })
    await examine(page, 'fewer days')
    await ask.getByRole('button', { name: 'Cancel' }).click()
    const audit = team.owner.as(AuditService)
    expect((await audit.getRetention({})).recordDays).toBe(120)
    await page.getByRole('button', { name: 'Save' }).click()
    await ask.getByRole('button', { name: 'Delete records older than 30 days' }).click()
    await page.getByText('Saved: 30 days instead of 120 days.').waitFor()
    expect((await audit.getRetention({})).recordDays).toBe(30)
    const sent = page.getByText('Records are forwarded to http://127.0.0.1:9/v1/logs')
    await sent.waitFor()
    expect(await page.content()).not.toContain('hidden@')
    await picture(page, 'team-records')
    await close()
  })

  itInAll('the page of dangers changes no key, and the API only for owners', async () => {
    const admin = await team.member('admin', 'Ann')
    const { page, close } = await openWindow({ cookies: admin.cookies })
    await page.goto(`${team.url}/settings/danger`)
    await page.getByText('Root keys are never on the server').waitFor()
    expect(await page.getByRole('button', { name: /Rotate/ }).count()).toBe(0)
    await picture(page, 'team-danger')
    await close()
    await expect(admin.as(KeysService).prepareKey({ use: 'lease' })).rejects.toThrow(
      'This needs the role owner',
    )
    const auditor = await team.member('auditor', 'Eve')
    await expect(auditor.as(AuditService).setRetention({ recordDays: 1 })).rejects.toThrow(
      'This needs the role admin',
    )
    const looking = await openWindow({ cookies: auditor.cookies })
    await looking.page.goto(`${team.url}/settings/records`)
    await looking.page.getByText('This needs the role admin; yours is auditor.').first().waitFor()
    expect(await looking.page.getByLabel('Keep records for').getAttribute('readonly')).not.toBeNull()
    await looking.close()
  })
})
