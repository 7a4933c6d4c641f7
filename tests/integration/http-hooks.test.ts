// Hooks of the type http, against a server on this machine.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Entry, until, Workspace } from '../fixtures/workspace.js'

interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let space: Workspace
let server: Server
let received: Received[]
let respond: (response: ServerResponse, body: string) => void
let url: string

beforeEach(async () => {
  space = new Workspace()
  received = []
  respond = response => response.end()
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      received.push({ url: request.url!, headers: request.headers, body })
      respond(response, body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await space.close()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

const entry = (more: object = {}): Entry => ({ type: 'http', url: `${url}/judge`, ...more })
const gate = (...entries: Entry[]) => ({ beforeShellExecution: entries })
const DENY = JSON.stringify({ permission: 'deny', user_message: 'no' })

async function fire(options: object = {}) {
  const hooks = await space.open(options)
  return { hooks, verdict: await hooks.fire('beforeShellExecution', { command: 'ls' }) }
}

describe('an http hook', () => {
  it('receives the payload and decides by its response', async () => {
    respond = response => response.end(DENY)
    space.user(gate(entry()))
    const { verdict } = await fire()
    expect(verdict).toMatchObject({ permission: 'deny', userMessage: 'no' })
    expect(received).toHaveLength(1)
    expect(received[0]!.url).toBe('/judge')
    expect(received[0]!.headers['content-type']).toBe('application/json')
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      hook_event_name: 'beforeShellExecution',
      command: 'ls',
    })
  })

  it('abstains with an empty response', async () => {
    space.user(gate(entry()))
    const { verdict } = await fire()
    expect(verdict.permission).toBeNull()
    expect(verdict.runs[0]!.outcome.kind).toBe('silent')
  })

  it.each([
    [200, 'no JSON', undefined, 'deny', 'run/invalid-json'],
    [500, '', undefined, null, 'run/http'],
    [500, '', true, 'deny', 'run/http'],
    [403, '{"permission":"allow"}', undefined, null, 'run/http'],
  ])(
    'with status %i and the body %j, failClosed %s: %s',
    async (status, body, failClosed, permission, code) => {
      respond = response => response.writeHead(status).end(body)
      space.user(gate(entry({ ...(failClosed === undefined ? {} : { failClosed }) })))
      const { verdict } = await fire()
      expect(verdict.permission).toBe(permission)
      expect(verdict.runs[0]!.outcome).toMatchObject({ kind: 'failed', failure: { code } })
    },
  )

  it('denies also with a status that is an error', async () => {
    respond = response => response.writeHead(500).end(DENY)
    space.user(gate(entry()))
    expect((await fire()).verdict.permission).toBe('deny')
  })

  it('denies although the response never ends', async () => {
    respond = response => void response.write(DENY)
    space.user(gate(entry({ timeout: 0.3 })))
    const { verdict } = await fire()
    expect(verdict.permission).toBe('deny')
    expect(verdict.runs[0]!.outcome).toMatchObject({ failure: { code: 'run/timeout' } })
  })

  it('denies behind more output than is kept', async () => {
    respond = response => response.end(`${'x'.repeat(3_000_000)}\n${DENY}`)
    space.user(gate(entry()))
    expect((await fire()).verdict.permission).toBe('deny')
  })

  it('fails after its time limit, and when the engine is closed', async () => {
    respond = () => {}
    space.user(gate(entry({ timeout: 0.2, failClosed: true })))
    const { hooks, verdict } = await fire()
    expect(verdict.permission).toBe('deny')
    space.user(gate(entry()))
    await hooks.reload()
    const call = hooks.fire('beforeShellExecution', { command: 'ls' })
    const rejected = expect(call).rejects.toMatchObject({ code: 'use/closed' })
    await until(() => received.length === 2)
    await hooks.close()
    await rejected
  })

  it('fails if no server is there', async () => {
    space.user(gate(entry({ failClosed: true, url: 'http://127.0.0.1:1/' })))
    const { verdict } = await fire()
    expect(verdict.permission).toBe('deny')
    expect(verdict.runs[0]!.outcome).toMatchObject({ failure: { code: 'run/http' } })
  })

  it('is never sent to the target of a redirect', async () => {
    respond = response => response.writeHead(307, { location: `${url}/elsewhere` }).end()
    space.user(gate(entry({ failClosed: true })))
    const { verdict } = await fire()
    expect(verdict.permission).toBe('deny')
    expect(received.map(({ url: path }) => path)).toEqual(['/judge'])
  })

  it('can be registered by the host', async () => {
    respond = response => response.end(DENY)
    const hooks = await space.open()
    hooks.register({ event: 'beforeShellExecution', type: 'http', url })
    expect((await hooks.fire('beforeShellExecution', { command: 'ls' })).permission).toBe('deny')
    const wrong = { event: 'beforeShellExecution', type: 'http', url: 'http://example.com/' } as const
    expect(() => hooks.register(wrong)).toThrow('expected an https address')
  })

  it('does not run in versions of Cursor', async () => {
    space.user(gate(entry()))
    const { verdict } = await fire({ profile: 'cursor-3' })
    expect(verdict.skipped).toMatchObject([{ reason: 'not-in-version' }])
    expect(received).toEqual([])
  })
})

describe('the headers of a request', () => {
  it('take secrets from the environment', async () => {
    space.user(gate(entry({ headers: { Authorization: 'Bearer ${HOOK_TOKEN}', 'X-Team': 'a' } })))
    await fire({ env: { ...process.env, HOOK_TOKEN: 's3cret' } })
    expect(received[0]!.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-team': 'a' })
  })

  it('must not lack a variable: nothing is sent', async () => {
    space.user(gate(entry({ failClosed: true, headers: { Authorization: 'Bearer $HOOK_TOKEN' } })))
    const { verdict } = await fire({ env: {} })
    expect(verdict.permission).toBe('deny')
    expect(verdict.userMessage).toContain('HOOK_TOKEN')
    expect(received).toEqual([])
  })

  it('must be valid, and an invalid secret is in no message', async () => {
    space.user(gate(entry({ failClosed: true, headers: { Authorization: '$HOOK_TOKEN' } })))
    const { hooks, verdict } = await fire({ env: { HOOK_TOKEN: 's3cret\n' } })
    expect(verdict.userMessage).toContain('HOOK_TOKEN')
    expect(JSON.stringify([verdict, hooks.log()])).not.toContain('s3cret')
  })

  it.each([
    { url: 'http://example.com/' },
    { url: 'https://user:password@example.com/' },
    { url: 'ftp://127.0.0.1/' },
    { url: 'no address' },
    { headers: { Authorization: 'Bearer abc' } },
    { headers: { 'X-Api-Key': 'abc' } },
    { headers: { 'X-Api-Key': '${KEY}abc' } },
    { headers: { 'A\nB': 'c' } },
    { headers: { A: 'b\r\nC: d' } },
  ])('and the address are checked: %j', async wrong => {
    space.user(gate(entry(wrong)))
    const hooks = await space.open()
    expect(hooks.issues().map(({ code }) => code)).toEqual(['config/bad-field'])
    expect(hooks.list()).toEqual([])
  })
})

const NOT_ALLOWED = { kind: 'failed', failure: { code: 'run/not-allowed' } }

describe('the servers that http hooks may use', () => {
  const withHosts = (hosts: unknown) => ({
    allowed_http_hosts: hosts,
    hooks: gate(entry({ failClosed: true })),
  })
  const write = (folder: string, file: object) =>
    space.write(join(folder, 'hooks.json'), JSON.stringify(file))

  it('are named in the file of the user or of the enterprise, which wins', async () => {
    respond = response => response.end('{}')
    write(join(space.home, '.cursor'), withHosts([new URL(url).host]))
    expect((await fire()).verdict.permission).toBeNull()
    expect(received).toHaveLength(1)
    write(space.enterprise, { allowed_http_hosts: ['hooks.example.com'], hooks: {} })
    const { verdict } = await fire()
    expect(verdict.permission).toBe('deny')
    expect(verdict.userMessage).toContain('allowed_http_hosts')
    expect(received).toHaveLength(1)
  })

  it('are the same in capitals', async () => {
    write(join(space.home, '.cursor'), withHosts([new URL(url).host.replace('127.0.0.1', 'LOCALHOST')]))
    const hooks = await space.open()
    const local = url.replace('127.0.0.1', 'localhost')
    hooks.register({ event: 'stop', type: 'http', url: local })
    await hooks.fire('stop', {})
    expect(received).toHaveLength(1)
  })

  it('are none if the list cannot be read', async () => {
    write(join(space.home, '.cursor'), withHosts(`${url}/`))
    expect((await fire()).verdict.permission).toBe('deny')
    expect(received).toEqual([])
  })

  it('are not limited by the user for hooks of the enterprise', async () => {
    respond = response => response.end(DENY)
    space.enterpriseHooks(gate(entry({ matcher: 'ls' })))
    write(join(space.home, '.cursor'), { allowed_http_hosts: [], hooks: {} })
    const { verdict } = await fire()
    expect(verdict).toMatchObject({ permission: 'deny', userMessage: 'no' })
  })

  it('do not let an action pass because its hook may not be asked', async () => {
    space.project(gate(entry()))
    write(join(space.home, '.cursor'), { allowed_http_hosts: [], hooks: {} })
    const { verdict } = await fire()
    expect(verdict).toMatchObject({ permission: 'deny', runs: [{ outcome: NOT_ALLOWED }] })
    expect(received).toEqual([])
  })

  it('are none if the file of the enterprise cannot be read', async () => {
    space.user(gate(entry()))
    space.write(join(space.enterprise, 'hooks.json'), '{ "allowed_http_hosts": ["a.example"], "hooks"')
    const { verdict } = await fire()
    expect(verdict).toMatchObject({ permission: 'deny', runs: [{ outcome: NOT_ALLOWED }] })
    expect(received).toEqual([])
  })

  it('cannot be named by a project', async () => {
    write(join(space.root, '.cursor'), withHosts([new URL(url).host]))
    write(space.enterprise, { allowed_http_hosts: [], hooks: {} })
    const { hooks, verdict } = await fire()
    expect(verdict.permission).toBe('deny')
    expect(hooks.issues()).toMatchObject([{ code: 'config/no-effect' }])
  })
})

describe('trust of an http hook', () => {
  it('covers its address and headers, and is labelled', async () => {
    space.project(gate(entry()))
    const hooks = await space.open({ trustAll: false })
    const [status] = hooks.list()
    expect(status).toMatchObject({ state: 'untrusted', hook: { gap: expect.stringContaining('127.0.0.1') } })
    await hooks.trust([status!.hook])
    expect(hooks.list()[0]!.state).toBe('ready')
    space.project(gate(entry({ headers: { A: 'b' } })))
    await hooks.reload()
    expect(hooks.list()[0]!.state).toBe('untrusted')
  })
})
