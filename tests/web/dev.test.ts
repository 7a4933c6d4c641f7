// `npm run dev`: the pages from source, before a real server.

import { afterAll, beforeAll, describe, expect } from 'vitest'
import { itInAll, runsEverything } from '../scope.js'
import { hasChromium, openWindow } from './browser.js'
import { startTeam, type TestTeam } from './team.js'

interface App {
  readonly url: string
  stop(): Promise<void>
}

describe.skipIf(!hasChromium())('the pages from source', () => {
  let team: TestTeam
  let app: App
  beforeAll(async () => {
    if (!runsEverything) return
    team = await startTeam()
    const { serveFromSource } = (await import('../../scripts/dev/serve.mjs' as string)) as {
      serveFromSource(app: 'team', target: string): Promise<App>
    }
    app = await serveFromSource('team', team.url)
  })
  afterAll(async () => {
    await app?.stop()
    await team?.stop()
  })

  itInAll('are served with hot reload, and their calls reach the server', async () => {
    const { page, close } = await openWindow({
      cookies: team.owner.cookies,
      isFresh: true,
      tolerate: [/vite/],
    })
    const sources: string[] = []
    page.on('request', request => sources.push(new URL(request.url()).pathname))
    await page.goto(`${app.url}/hooks`)
    await page.getByRole('heading', { name: 'The team has no hooks yet' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(sources).toContain('/src/team/main.tsx')
    expect(sources).toContain('/@vite/client')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('region', { name: 'Get started' }).waitFor()
    await page.goto(`${app.url}/account`)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await close()
  })
})
