// Authentication of the panel: real requests, as raw bytes where a client would correct them.

import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGate } from '../../packages/cli/src/ui/gate.js'
import { enter, type Inside, openStream, PATH, postEnter, raw, request, statusOf, tokenOf } from './calls.js'
import { startPanel, type TestPanel } from './panel.js'

let panel: TestPanel
let inside: Inside
let asset: string

beforeAll(async () => {
  panel = await startPanel()
  inside = await enter(panel.link)
  asset = /\/assets\/[\w.-]+\.js/.exec(await (await fetch(`${panel.url}/`)).text())![0]
})
afterAll(() => panel.stop())

const own = () => `127.0.0.1:${inside.port}`
const JSON_TYPE = { 'content-type': 'application/json' }

/** A valid call; each test makes one part invalid. */
const call = (
  spoilt: Readonly<Record<string, string | undefined>> = {},
  line = `POST ${PATH}ListRuns HTTP/1.1`,
) => {
  const headers = {
    host: own(),
    origin: `http://${own()}`,
    ...JSON_TYPE,
    cookie: inside.cookie,
    'x-holdfast-panel': inside.secret,
    ...spoilt,
  }
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return raw(inside.port, request(line, Object.fromEntries(kept), '{}'))
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  raw(inside.port, request(`GET ${path} HTTP/1.1`, { host: own(), accept: '*/*', ...headers }))

it('answers a call that is right in every way', async () => {
  expect(statusOf(await call())).toBe(200)
})

describe('the name under which it is asked', () => {
  const strange = () => [
    'evil.test',
    `evil.test:${inside.port}`,
    `localhost.evil.test:${inside.port}`,
    `127.0.0.1.evil.test:${inside.port}`,
    '127.0.0.1',
    'localhost',
    `LOCALHOST:${inside.port}`,
    `localhost.:${inside.port}`,
    `127.0.0.1.:${inside.port}`,
    `127.1:${inside.port}`,
    `0.0.0.0:${inside.port}`,
    `127.0.0.1:${inside.port + 1}`,
    `127.0.0.1:${inside.port}@evil.test`,
    '',
  ]

  it('must be its own, for pages, files, calls and streams alike', async () => {
    for (const host of strange()) {
      const answers = await Promise.all([
        get('/', { host }),
        get(asset, { host }),
        call({ host, origin: `http://${host}` }),
        call({ host, 'content-type': 'application/connect+json' }, `POST ${PATH}Watch HTTP/1.1`),
        raw(
          inside.port,
          request('POST /enter HTTP/1.1', { host, ...JSON_TYPE, 'x-holdfast-panel': '1' }, '{}'),
        ),
      ])
      expect(answers.map(statusOf), host).toEqual([403, 403, 403, 403, 403])
      expect(answers.join(), host).not.toMatch(/<html|"runs"|set-cookie/i)
    }
  })

  it('may be any of its own three', async () => {
    for (const host of [`127.0.0.1:${inside.port}`, `localhost:${inside.port}`, `[::1]:${inside.port}`]) {
      expect(statusOf(await get('/', { host })), host).toBe(200)
    }
  })

  it('must be there', async () => {
    expect(statusOf(await raw(inside.port, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'))).toBe(400)
    expect(statusOf(await raw(inside.port, 'GET / HTTP/1.0\r\n\r\n'))).toBe(403)
  })
})

describe('the page that asks', () => {
  it('must be one of the panel, and say so', async () => {
    const others = [undefined, 'null', '', `http://127.0.0.1:${inside.port + 1}`, 'http://evil.test']
    for (const origin of [...others, `https://${own()}`, `http://localhost:${inside.port}`]) {
      expect(statusOf(await call({ origin })), String(origin)).toBe(403)
      const entering = {
        host: own(),
        ...JSON_TYPE,
        'x-holdfast-panel': '1',
        ...(origin === undefined ? {} : { origin }),
      }
      expect(
        statusOf(await raw(inside.port, request('POST /enter HTTP/1.1', entering, '{}'))),
        String(origin),
      ).toBe(403)
    }
  })

  it('is not one of another site, whatever it says', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect(statusOf(await call({ 'sec-fetch-site': site })), site).toBe(403)
      expect(statusOf(await get(asset, { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })), site).toBe(
        403,
      )
      const framed = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
      expect(statusOf(await get('/', framed)), site).toBe(403)
    }
  })

  it('may be opened from anywhere as a document of its own, which cannot be framed', async () => {
    const opened = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const answer = await get('/', opened)
    expect(statusOf(answer)).toBe(200)
    expect(answer).toContain("frame-ancestors 'none'")
    expect(answer).toMatch(/cross-origin-opener-policy: same-origin/i)
    expect(answer).not.toMatch(/access-control/i)
  })

  it('cannot be a form', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      undefined,
    ]) {
      expect(statusOf(await call({ 'content-type': type })), String(type)).toBe(403)
    }
    expect(statusOf(await call({ 'x-holdfast-panel': undefined }))).toBe(403)
  })
})

it.each([
  ['application/json', true],
  ['application/proto', true],
  ['application/connect+json', true],
  ['application/connect+proto; charset=utf-8', true],
  ['application/jsonp', false],
  ['application/json,text/plain', false],
  ['xapplication/json', false],
  ['text/plain;application/json', false],
  ['', false],
])('takes a POST of the type "%s": %s', (type, isTaken) => {
  const headers = {
    host: '127.0.0.1:1',
    origin: 'http://127.0.0.1:1',
    'x-holdfast-panel': '1',
    'content-type': type,
  }
  const refusal = openGate(1).refusal({ method: 'POST', url: '/enter', headers })
  expect(refusal).toBe(isTaken ? null : 'A form cannot send this request.')
})

describe('cookie and secret', () => {
  it('are both needed', async () => {
    expect(statusOf(await call({ cookie: undefined }))).toBe(401)
    expect(statusOf(await call({ 'x-holdfast-panel': '1' }))).toBe(401)
    expect(statusOf(await call({ cookie: `${inside.cookie}x` }))).toBe(401)
    expect(statusOf(await call({ cookie: inside.cookie.replace(/_\d+=/, '_1=') }))).toBe(401)
    expect(statusOf(await call({ 'x-holdfast-panel': randomBytes(32).toString('base64url') }))).toBe(401)
    expect(statusOf(await call({ cookie: `a=b; ${inside.cookie}; c=d` }))).toBe(200)
  })

  it('are asked for every method, and for methods that do not exist', async () => {
    const methods = ['GetWorkspace', 'ListSources', 'Fire', 'Trust', 'SaveFile', 'Watch', 'Nothing']
    for (const method of methods) {
      const answer = await call({ 'x-holdfast-panel': '1' }, `POST ${PATH}${method} HTTP/1.1`)
      expect(statusOf(answer), method).toBe(401)
    }
  })

  it('let another tab in only with the word that the first one left', async () => {
    const cookie = { cookie: inside.cookie }
    expect((await postEnter(panel.url, {}, cookie)).status).toBe(401)
    expect((await postEnter(panel.url, { again: 'x' }, cookie)).status).toBe(401)
    expect((await postEnter(panel.url, { again: inside.again })).status).toBe(401)
    const entered = await postEnter(panel.url, { again: inside.again }, cookie)
    expect(entered.status).toBe(200)
    const { secret } = (await entered.json()) as { secret: string }
    expect(secret).not.toBe(inside.secret)
    expect(statusOf(await call({ 'x-holdfast-panel': secret }))).toBe(200)
  })

  it('are given as a cookie that no script reads and no other site sends', async () => {
    const other = await startPanel()
    try {
      const response = await postEnter(other.url, { token: tokenOf(other.link) })
      const port = new URL(other.url).port
      expect(response.headers.get('set-cookie')).toMatch(
        new RegExp(`^holdfast_panel_${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
      )
      expect(response.headers.get('cache-control')).toBe('no-store')
      // Neither cookie nor secret of one panel opens the other.
      const { secret } = (await response.json()) as { secret: string }
      const cookie = response.headers.get('set-cookie')!.split(';')[0]!
      expect(statusOf(await call({ cookie, 'x-holdfast-panel': secret }))).toBe(401)
      expect(
        statusOf(await call({ cookie: `${inside.cookie}; ${cookie}`, 'x-holdfast-panel': secret })),
      ).toBe(401)
      expect(statusOf(await call({ cookie: `${cookie}; ${inside.cookie}` }))).toBe(200)
    } finally {
      await other.stop()
    }
  })
})

describe('the token', () => {
  it('works once; a wrong, a used and no token get the same answer', async () => {
    const used = await postEnter(panel.url, { token: tokenOf(panel.link) })
    const wrong = await postEnter(panel.url, { token: randomBytes(32).toString('base64url') })
    const none = await postEnter(panel.url, {})
    const garbage = await postEnter(panel.url, '{')
    const list = await postEnter(panel.url, '[]')
    const nothing = await postEnter(panel.url, 'null')
    const answers = await Promise.all(
      [used, wrong, none, garbage, list, nothing].map(async one => [one.status, await one.text()]),
    )
    expect(new Set(answers.map(String)).size).toBe(1)
    expect(answers[0]).toEqual([401, 'The panel is locked. Run holdfast ui for a new link.\n'])
  })

  it('is too old after a minute', () => {
    let now = 0
    const gate = openGate(1, () => now)
    const [early, late] = [gate.token(), gate.token()]
    now = 59_999
    expect(gate.enter({}, { token: early })).not.toBeNull()
    now = 60_000
    expect(gate.enter({}, { token: late })).toBeNull()
  })

  it('and secrets do not pile up: the page that was used last stays', () => {
    const gate = openGate(1)
    const first = gate.enter({}, { token: gate.token() })!
    const { cookie, again } = first
    const headers = (secret: string) => ({ cookie: cookie.split(';')[0]!, 'x-holdfast-panel': secret })
    const second = gate.enter(headers(''), { again })!
    for (let page = 0; page < 1000; page++) {
      gate.token()
      gate.enter(headers(''), { again })
      expect(gate.isInside(headers(first.secret))).toBe(true)
    }
    expect(gate.isInside(headers(second.secret))).toBe(false)
    gate.close()
    expect(gate.isInside(headers(first.secret))).toBe(false)
    expect(gate.enter(headers(''), { again })).toBeNull()
  })
})

describe('ways of asking', () => {
  it('are few', async () => {
    for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const answer = await call({}, `${method} ${PATH}ListRuns HTTP/1.1`)
      expect(statusOf(answer), method).toBe(403)
      expect(answer).not.toMatch(/access-control|allow:/i)
    }
    expect(statusOf(await raw(inside.port, `CONNECT evil.test:443 HTTP/1.1\r\nhost: ${own()}\r\n\r\n`))).toBe(
      0,
    )
  })

  it('cannot be changed by a header or by an address', async () => {
    const override = {
      'x-http-method-override': 'POST',
      cookie: inside.cookie,
      'x-holdfast-panel': inside.secret,
    }
    const message = encodeURIComponent('{}')
    const answers = await Promise.all([
      get(`${PATH}ListRuns`, override),
      get(`${PATH}ListRuns?connect=v1&encoding=json&message=${message}`, override),
      get('/enter', override),
    ])
    for (const answer of answers) expect(answer).not.toMatch(/"runs"|"secret"|application\/json/)
  })

  it('do not include a WebSocket', async () => {
    const upgrade = {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }
    const lines = Object.entries({ host: own(), ...upgrade }).map(([name, value]) => `${name}: ${value}`)
    for (const path of ['/', `${PATH}Watch`]) {
      const answer = await raw(inside.port, [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
      expect(statusOf(answer), path).toBe(403)
    }
  })

  it('have addresses that are not normalised', async () => {
    const tricks = [
      `http://evil.test/`,
      `http://${own()}${PATH}ListRuns`,
      `//evil.test${PATH}ListRuns`,
      '//',
      '*',
      'x',
    ]
    for (const path of tricks) {
      expect([400, 403], path).toContain(statusOf(await get(path)))
      expect([400, 403], path).toContain(statusOf(await call({ cookie: undefined }, `POST ${path} HTTP/1.1`)))
    }
    // However the path of a call is written, it is refused without the secret.
    const spelled = [
      `${PATH.toUpperCase()}ListRuns`,
      '/%2e%2e/enter',
      '/x/../holdfast.panel.v1.PanelService/Fire',
      '/%65nter',
    ]
    for (const path of spelled) {
      expect(statusOf(await call({ 'x-holdfast-panel': '1' }, `POST ${path} HTTP/1.1`)), path).toBe(401)
    }
    const files = [
      '/../package.json',
      '/assets/../../package.json',
      '/assets/%2e%2e/%2e%2e/serve.js',
      '/assets%2f..%2f..%2fserve.js',
      '/..%5c..%5cpackage.json',
      '/panel.html',
      '/assets/',
    ]
    for (const path of files)
      expect(await get(path), path).not.toMatch(/"dependencies"|createServer|export \{/)
  })

  it('have an end: large headers and bodies are refused', async () => {
    // More than Node allows, but no more than arrives at once: a server that closes during a request resets its
    // response.
    expect([431, 400]).toContain(statusOf(await get('/', { 'x-large': 'x'.repeat(20_000) })))
    const entry = await postEnter(panel.url, JSON.stringify({ token: 'x'.repeat(1_000_000) }))
    expect(entry.status).toBe(401)
    expect(await announce(20_000_000)).toMatch(/large|exceed/i)
    expect(statusOf(await call())).toBe(200)
  })
})

/** The response to a call that announces so many bytes and sends none: the panel need not read them to refuse. */
function announce(bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${panel.url}${PATH}ListRuns`, {
      method: 'POST',
      headers: {
        origin: panel.url,
        ...JSON_TYPE,
        cookie: inside.cookie,
        'x-holdfast-panel': inside.secret,
        'content-length': bytes,
      },
    })
    asked.on('error', reject)
    asked.on('response', async response => {
      resolve(Buffer.concat(await response.toArray()).toString())
      asked.destroy()
    })
    asked.flushHeaders()
  })
}

describe('what needs no key', () => {
  it('is the empty page and its files, with headers that keep others out', async () => {
    for (const path of ['/', '/runs', asset]) {
      const answer = await get(path)
      expect(statusOf(answer), path).toBe(200)
      expect(answer).toMatch(/x-content-type-options: nosniff/i)
      expect(answer).toMatch(/referrer-policy: no-referrer/i)
      expect(answer).toMatch(/cross-origin-resource-policy: same-origin/i)
    }
    expect(await get('/')).toMatch(/content-security-policy: default-src 'none'; script-src 'self';/i)
    expect(await get('/')).not.toContain(panel.root)
  })

  it('is a response with these headers also where it refuses', async () => {
    const answers = [
      await get('/', { host: 'evil.test' }),
      await call({ cookie: undefined }),
      await get('/nothing'),
      await raw(
        inside.port,
        request(
          'POST /enter HTTP/1.1',
          { host: own(), origin: `http://${own()}`, ...JSON_TYPE, 'x-holdfast-panel': '1' },
          '{}',
        ),
      ),
    ]
    expect(answers.map(statusOf)).toEqual([403, 401, 404, 401])
    for (const answer of answers) {
      for (const header of [
        'cache-control: no-store',
        'x-content-type-options: nosniff',
        'referrer-policy: no-referrer',
        'cross-origin-opener-policy: same-origin',
        'cross-origin-resource-policy: same-origin',
        "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      ])
        expect(answer.toLowerCase()).toContain(header)
    }
  })

  it('is a page whose styles need a nonce that is new with every response', async () => {
    const nonces = await Promise.all(
      ['/', '/', '/runs'].map(async path => {
        const answer = await get(path)
        const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{22})';/.exec(answer) ?? []
        expect(answer.split('\r\n\r\n')[1], path).toContain(nonce)
        expect(answer).not.toContain('__NONCE__')
        return nonce
      }),
    )
    expect(nonces).not.toContain('')
    expect(new Set(nonces).size).toBe(3)
  })
})

it('ends streams and voids everything when the panel is stopped', async () => {
  const other = await startPanel({ isProcess: true })
  const page = await enter(other.link)
  const stream = openStream(page)
  await stream.until(heard => heard.length > 0)
  await other.stop()
  expect(await stream.ended).not.toBe(0)
  await expect(page.call('listRuns')).rejects.toThrow()
})

it('goes on when a page leaves in the middle of its words', async () => {
  const { connect } = await import('node:net')
  for (let tries = 0; tries < 5; tries++) {
    const socket = connect(inside.port, '127.0.0.1')
    const headers = {
      host: own(),
      origin: `http://${own()}`,
      ...JSON_TYPE,
      'x-holdfast-panel': '1',
      'content-length': '100',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const half = `POST /enter HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{"token":`
    await new Promise(resolve => socket.write(half, resolve))
    socket.destroy()
  }
  expect(statusOf(await call())).toBe(200)
})
