// Another page in the same browser, served from another port of this machine: the browser sends the cookie of the
// panel along, so only the panel's own checks stop its requests.

import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow } from './browser.js'
import { PATH } from './calls.js'
import { startPanel, type TestPanel } from './panel.js'
import { startTeam } from './team.js'

const BLOCKED = [/./]

/** Another site: one empty page. */
async function openSite(): Promise<{ url: string; server: Server }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Elsewhere</title><body></body>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server }
}

describe.skipIf(!hasChromium())('a page from elsewhere', () => {
  let panel: TestPanel
  let site: Awaited<ReturnType<typeof openSite>>
  beforeAll(async () => {
    panel = await startPanel({
      homeFiles: {
        '.cursor/hooks.json': JSON.stringify({
          version: 1,
          hooks: { sessionStart: [{ command: './hooks/mark.sh' }] },
        }),
        '.cursor/hooks/mark.sh': '#!/bin/sh\ntouch "$HOME/ran"\necho "{}"\n',
      },
    })
    site = await openSite()
  })
  afterAll(async () => {
    site.server.close()
    await panel.stop()
  })

  it('can neither frame the panel, nor read it, nor make it run anything', async () => {
    const { page, context, close } = await openWindow({ tolerate: BLOCKED })
    await page.goto(panel.link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    const elsewhere = await context.newPage()
    const refused: number[] = []
    let cookies = 0
    elsewhere.on('response', async response => {
      if (!response.url().startsWith(panel.url)) return
      refused.push(response.status())
      if ((await response.request().allHeaders()).cookie?.includes('holdfast_panel')) cookies++
    })
    await elsewhere.goto(site.url)
    const tried = await elsewhere.evaluate(
      async ({ origin, path }) => {
        const body = JSON.stringify({ event: 'sessionStart', payloadJson: '{}', profiles: ['holdfast'] })
        const said = (promise: Promise<Response>) =>
          promise.then(
            async response => `${response.type} ${response.status} ${await response.text()}`,
            () => 'failed',
          )
        const ask = (more: RequestInit) =>
          said(fetch(`${origin}${path}Fire`, { method: 'POST', credentials: 'include', body, ...more }))
        const results: Record<string, string> = {
          simple: await ask({ mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
          json: await ask({ headers: { 'content-type': 'application/json', 'x-holdfast-panel': '1' } }),
          enter: await said(fetch(`${origin}/enter`, { method: 'POST', credentials: 'include', body: '{}' })),
          read: await said(fetch(`${origin}/`, { credentials: 'include' })),
        }
        results.socket = await new Promise(resolve => {
          const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}Watch`)
          socket.onopen = () => resolve('open')
          socket.onerror = () => resolve('failed')
        })
        results.script = await new Promise(resolve => {
          const script = document.createElement('script')
          script.src = `${origin}/theme.js`
          script.onload = () => resolve('loaded')
          script.onerror = () => resolve('failed')
          document.body.append(script)
        })
        const frame = document.createElement('iframe')
        frame.name = 'panel'
        frame.src = `${origin}/hooks`
        document.body.append(frame)
        await new Promise(resolve => {
          frame.onload = resolve
        })
        const form = document.createElement('form')
        form.method = 'post'
        form.enctype = 'text/plain'
        form.action = `${origin}${path}Fire`
        form.target = 'panel'
        form.append(Object.assign(document.createElement('input'), { name: body, value: '' }))
        document.body.append(form)
        const answered = new Promise(resolve => {
          frame.onload = resolve
        })
        form.submit()
        await answered
        return results
      },
      { origin: panel.url, path: PATH },
    )
    expect(tried).toEqual({
      simple: expect.stringMatching(/^opaque 0 $|^failed$/),
      json: 'failed',
      enter: 'failed',
      read: 'failed',
      socket: 'failed',
      script: 'failed',
    })
    expect(elsewhere.frames().some(frame => frame.url().startsWith(panel.url))).toBe(false)
    // The cookie was sent; alone it is worth nothing.
    await expect.poll(() => cookies).toBeGreaterThan(0)
    expect(new Set(refused)).toEqual(new Set([403]))
    expect(existsSync(join(panel.home, 'ran'))).toBe(false)
    await close()
  })

  it('cannot frame the dashboard', async () => {
    const team = await startTeam()
    const { page, close } = await openWindow({ cookies: team.owner.cookies, tolerate: BLOCKED })
    try {
      await page.goto(site.url)
      await page.evaluate(async url => {
        const frame = document.createElement('iframe')
        frame.src = url
        document.body.append(frame)
        await new Promise(resolve => {
          frame.onload = resolve
        })
      }, `${team.url}/overview`)
      expect(page.frames().some(frame => frame.url().startsWith(team.url))).toBe(false)
      await close()
    } finally {
      await team.stop()
    }
  })
})
