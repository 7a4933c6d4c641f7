// The built pages, from a real server that has nothing else.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Home, openPages } from './pages.js'

describe.each(['panel', 'team'] as const)('the pages of %s', (home: Home) => {
  let server: Server
  let url: string
  beforeAll(async () => {
    const pages = openPages(home)
    server = createServer((request, response) => {
      response.setHeader('x-is-page', String(pages.isPage(request)))
      if (!pages.handle(request, response)) response.writeHead(404).end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  const get = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { accept: 'text/html', 'accept-encoding': 'identity', ...headers },
    })

  it('forbid everything but their own files, requests and styles with the nonce of the response', async () => {
    const response = await get('/')
    const text = await response.text()
    const [, nonce = ''] = /'nonce-([\w-]{22})'/.exec(response.headers.get('content-security-policy')!) ?? []
    expect(nonce).not.toBe('')
    expect(text).toContain(nonce)
    expect(text).not.toContain('__NONCE__')
    expect(response.headers.get('content-security-policy')!.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "font-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      home === 'team' ? "form-action 'self'" : "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const again = await get('/')
    await again.body?.cancel()
    expect(again.headers.get('content-security-policy')).not.toContain(nonce)
  })

  it('are there at their own addresses only, and for browsers', async () => {
    const places = { panel: '/runs/x', team: '/members' }
    const [own, foreign] = home === 'panel' ? [places.panel, places.team] : [places.team, places.panel]
    const statusOf = async (path: string, init?: RequestInit) => {
      const response = await get(path, init)
      await response.body?.cancel()
      return [response.status, response.headers.get('x-is-page')]
    }
    expect(await statusOf(own)).toEqual([200, 'true'])
    expect(await statusOf(own, { method: 'HEAD' })).toEqual([200, 'true'])
    expect(await statusOf(own, { headers: { accept: '*/*' } })).toEqual([200, 'true'])
    expect(await statusOf(own, { headers: { accept: 'application/json' } })).toEqual([404, 'false'])
    expect(await statusOf(own, { method: 'POST' })).toEqual([404, 'false'])
    for (const path of [foreign, '/panel.html', '/team.html', '/assets/..%2f..%2fpackage.json', '/toString'])
      expect((await statusOf(path))[0], path).toBe(404)
  })

  it('keep only files whose names change with their bytes', async () => {
    const [asset] = /\/assets\/[\w.-]+\.js/.exec(await (await get('/')).text())!
    const file = await get(asset)
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(file.headers.get('x-is-page')).toBe('false')
    const etag = file.headers.get('etag')!
    await file.body?.cancel()
    expect((await get(asset, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const theme = await get('/theme.js')
    await theme.body?.cancel()
    expect(theme.headers.get('cache-control')).toBe('no-cache')
  })
})
