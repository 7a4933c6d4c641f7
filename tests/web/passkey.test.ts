// Passkeys in a real browser with a virtual authenticator: the first owner of a team that requires a second factor.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import '../team/passwords.js'
import { startTestServer, type TestServer } from '../team/server.js'
import { examine, hasChromium, openWindow, picture } from './browser.js'

const PASSWORD = 'correct horse battery'

/** Browsers accept passkeys for names only, and of loopback for this one. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

describe.skipIf(!hasChromium())('a passkey', () => {
  let server: TestServer
  let url: string
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-passkey-'))
  beforeAll(async () => {
    const port = await freePort()
    url = `http://localhost:${port}`
    server = await startTestServer(join(folder, 'team.db'), { port, url, secondFactor: 'required' })
  })
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is the second factor of the first owner, and signs in without the password', async () => {
    const tolerate = [/status of 40[01]/]
    const { page, context, close } = await openWindow({ isFresh: true, tolerate })
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto(server.ownerLink!)
    await page.getByLabel('Your name').fill('Olga')
    await page.getByLabel('Email').fill('olga@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Password again').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set up the team' }).click()
    await page.getByText('Owners and admins of this team need a second factor').waitFor()
    await examine(page, 'the set-up of a second factor')
    await picture(page, 'team-second-factor')
    const add = page.locator('[data-passkey=add]')
    await add.getByLabel('Password').fill('not the password')
    await add.getByRole('button', { name: 'Add a passkey' }).click()
    await add.getByText('The password is wrong').waitFor()
    await add.getByLabel('Password').fill(PASSWORD)
    await add.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Remove it' }).waitFor()
    await page.goto(url)
    await page.getByRole('link', { name: 'Rollout' }).first().waitFor()

    // The last factor cannot be removed.
    await page.goto(`${url}/account/second-factor`)
    await page.locator('form', { hasText: 'added on' }).getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('Set up another one first.').waitFor()

    await context.clearCookies()
    await page.goto(`${url}/sign-in?next=%2Faccount`)
    await page.getByLabel('Email').fill('olga@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('The password alone is not enough.').waitFor()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await page.goto(`${url}/sign-in?next=%2Faccount`)
    // A key that was only touched is not a second factor.
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('It was cancelled, or took too long.').waitFor()
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await close()
  })

  it('is not accepted from another site, without a challenge, or as nonsense', async () => {
    const post = (path: string, headers: Record<string, string>, fields: Record<string, string>) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams(fields),
      })
    const response = JSON.stringify({ id: 'x', rawId: 'x', type: 'public-key', response: {} })
    expect((await post('/sign-in/passkey', { origin: url }, { response })).status).toBe(401)
    expect((await post('/sign-in/passkey', { origin: 'https://evil.example' }, { response })).status).toBe(
      403,
    )
    expect((await post('/sign-in/passkey', { origin: url }, { response: '[' })).status).toBe(400)
    expect((await post('/account/passkey', { origin: url }, { response })).status).toBe(303)
    expect((await post('/account/passkey/options', { origin: url }, { password: PASSWORD })).status).toBe(303)
  })
})
