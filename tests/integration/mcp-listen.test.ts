// The gateway as a server behind HTTP, with real clients of both versions of the SDK, and with callers that mean harm.

import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, it } from 'vitest'
import { closing, far, gateway, MODERN, started } from '../fixtures/mcp/listening.js'
import { EVERYTHING, type Json, openPlace, type Place, RECORD } from '../fixtures/mcp/place.js'

const ONCE = ['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUse']

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const GATES = Object.fromEntries(ONCE.map(name => [name, [{ command: RECORD }]]))
function place(hooks: Record<string, object[]> = GATES): Place {
  const opened = openPlace(hooks)
  closing.push(() => opened.close())
  return opened
}

async function modern(
  url: string,
  {
    mode = { pin: '2026-07-28' } as unknown,
    answer,
  }: { mode?: unknown; answer?: (question: Json) => Json } = {},
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: mode as 'auto' },
      capabilities: answer ? { elicitation: { form: {} } } : {},
    },
  )
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params) as never)
  closing.push(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

async function first(url: string, headers: Record<string, string> = {}): Promise<FirstClient> {
  const client = new FirstClient({ name: 'test', version: '1' })
  closing.push(() => client.close())
  await client.connect(new FirstTransport(new URL(url), { requestInit: { headers } }) as never)
  return client
}

const echo = async (client: Pick<Client, 'callTool'> | FirstClient, message: string): Promise<string> => {
  const call = { name: 'echo', arguments: { message } }
  const result = (await (client as Client).callTool(call)) as { content: { text: string }[] }
  return result.content.map(({ text }) => text).join()
}
const answers = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`
const names = (events: Json[]) => events.map(event => event.hook_event_name)

/** A request as bytes: what no client would send. */
function raw(url: string, headers: Record<string, string>, body?: string, method = 'POST') {
  return new Promise<{ status: number; headers: Json; body: string }>((resolve, reject) => {
    const asked = request(url, { method, headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => (text += chunk))
      response.once('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      )
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const headersOf = (method: string, name?: string) => ({
  ...JSON_HEADERS,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
})
const called = (id: unknown, args: object = { message: 'hi' }, name = 'echo') =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: META },
  })

describe('clients of both versions', () => {
  it('use one gateway in front of a program', async () => {
    const here = place()
    const { url } = await gateway(here, MODERN)
    expect(await echo(await modern(url), '1')).toBe('Echo: 1')
    expect(await echo(await modern(url, { mode: 'auto' }), '2')).toBe('Echo: 2')
    expect(await echo(await modern(url, { mode: 'legacy' }), '3')).toBe('Echo: 3')
    expect(await echo(await first(url), '4')).toBe('Echo: 4')
    expect(names(here.events())).toEqual([...ONCE, ...ONCE, ...ONCE, ...ONCE])
  })

  it('use one gateway in front of a server behind HTTP', async () => {
    const here = place()
    const server = await far()
    const { url } = await gateway(here, ['--url', server.url])
    expect(await echo(await modern(url), '1')).toBe('Echo: 1')
    expect(await echo(await modern(url, { mode: 'auto' }), '2')).toBe('Echo: 2')
    expect(await echo(await first(url), '3')).toBe('Echo: 3')
    expect(names(here.events())).toEqual([...ONCE, ...ONCE, ...ONCE])
    expect(here.events()[1]).toMatchObject({ mcp_server_name: 'second', url: server.url })
  })

  it('call a server of the first version', async () => {
    const here = place()
    const { url } = await gateway(here, EVERYTHING)
    expect(await echo(await first(url), '1')).toBe('Echo: 1')
    expect(await echo(await modern(url, { mode: 'auto' }), '2')).toBe('Echo: 2')
    expect(names(here.events())).toEqual([...ONCE, ...ONCE])
  })

  it('are asked, answer a server, and get their own answers, at once', async () => {
    const here = place({ ...GATES, beforeMCPExecution: [{ command: './ask.sh', matcher: 'echo' }] })
    here.script('ask.sh', answers({ permission: 'ask', user_message: 'Really?' }))
    const { url } = await gateway(here, MODERN)
    const yes = () => ({ action: 'accept', content: { allow: true, name: 'Ada' } })
    const [one, two] = await Promise.all([modern(url, { answer: yes }), modern(url, { answer: yes })])
    const greet = async (client: Client, message: string) =>
      JSON.stringify((await client.callTool({ name: 'greet', arguments: { message } })).content)
    const all = await Promise.all([echo(one, 'a'), echo(two, 'b'), greet(one, 'c'), greet(two, 'd')])
    expect(all.slice(0, 2)).toEqual(['Echo: a', 'Echo: b'])
    expect(all[2]).toContain('c, Ada')
    expect(all[3]).toContain('d, Ada')
  })

  it('get headers for the arguments as hooks changed them', async () => {
    const here = place({ preToolUse: [{ command: './change.sh' }] })
    here.script('change.sh', answers({ updated_input: { region: 'Zürich' } }))
    const server = await far()
    const { url } = await gateway(here, ['--url', server.url])
    const client = await modern(url)
    await client.listTools()
    const { content } = await client.callTool({ name: 'where', arguments: { region: 'Bern' } })
    expect(content).toMatchObject([{ text: 'Zürich' }])
    expect(server.text()).toContain(`"mcp-param-region":"=?base64?${btoa('Z\xc3\xbcrich')}?="`)
  })
})

describe('signing in', () => {
  it('is between the client and the server', async () => {
    const here = place()
    const server = await started([...MODERN, 'http'], /^(\d+)\n/, {
      env: { ...process.env, TOKEN: 's3cret' },
    })
    const far = `http://127.0.0.1:${server.found}`
    const { url, text } = await gateway(here, ['--url', `${far}/mcp`])
    const refused = await raw(url, headersOf('tools/call', 'echo'), called(1))
    expect(refused.status).toBe(401)
    const metadata = `${far}/.well-known/oauth-protected-resource/mcp`
    expect(refused.headers['www-authenticate']).toBe(`Bearer resource_metadata="${metadata}"`)
    expect(refused.body).toBe('{"error":"invalid_token"}')
    const found = await raw(url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'), {}, '', 'GET')
    expect(JSON.parse(found.body)).toEqual({ resource: `${far}/mcp` })
    await expect(first(url)).rejects.toThrow()

    const headers = { authorization: 'Bearer s3cret' }
    expect(await echo(await modern(url, {}, headers), 'in')).toBe('Echo: in')
    expect(await echo(await first(url, headers), 'in')).toBe('Echo: in')
    expect((await raw(url, headersOf('tools/call', 'echo'), called(2))).status).toBe(401)
    expect(text() + here.read('events.jsonl')).not.toContain('s3cret')
  })

  it('is for the gateway where the server is a program and a token is set', async () => {
    const here = place()
    const { url } = await gateway(here, MODERN, { HOLDFAST_MCP_TOKEN: 'shared' })
    expect((await raw(url, headersOf('tools/call', 'echo'), called(1))).status).toBe(401)
    const wrong = { ...headersOf('tools/call', 'echo'), authorization: 'Bearer other' }
    expect((await raw(url, wrong, called(1))).status).toBe(401)
    expect(await echo(await modern(url, {}, { authorization: 'Bearer shared' }), 'in')).toBe('Echo: in')
  })
})

describe('a caller that means harm', () => {
  it('is refused', async () => {
    const here = place()
    const { url } = await gateway(here, MODERN)
    const ask = async (headers: object, body?: string, method?: string) =>
      (await raw(url, { ...headersOf('tools/call', 'echo'), ...headers }, body, method)).status
    expect(await ask({}, called(1))).toBe(200)
    expect(await ask({ host: 'evil.example' }, called(1))).toBe(403)
    expect(await ask({ origin: 'https://evil.example' }, called(1))).toBe(403)
    expect(await ask({ origin: 'null' }, called(1))).toBe(403)
    expect(await ask({ origin: 'http://localhost:6274' }, called(1))).toBe(200)
    expect(await ask({ 'mcp-name': 'calls' }, called(1))).toBe(400)
    expect(await ask({ 'mcp-method': 'tools/list' }, called(1))).toBe(400)
    expect(await ask({ 'mcp-protocol-version': '2025-11-25' }, called(1))).toBe(400)
    expect(await ask({}, `[${called(1)}]`)).toBe(400)
    expect(await ask({}, '{"jsonrpc"')).toBe(400)
    expect(await ask({}, called(1).replace('"id":1', '"id":1,"id":2'))).toBe(400)
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    expect(await ask({}, ping)).toBe(400)
    expect((await raw(url, JSON_HEADERS, ping)).status).toBe(400)
    expect((await raw(url, { ...JSON_HEADERS, 'mcp-session-id': 'guessed' }, ping)).status).toBe(404)
    expect(await ask({}, undefined, 'GET')).toBe(405)
    expect(await ask({}, undefined, 'DELETE')).toBe(405)
    expect(await ask({}, undefined, 'PUT')).toBe(405)
  })

  it('with the id of another client gets no answer of that client', async () => {
    const here = place()
    const { url } = await gateway(here, MODERN)
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map(message => raw(url, headersOf('tools/call', 'echo'), called(7, { message }))),
    )
    expect(all.map(({ body }) => JSON.parse(body).result.content[0].text)).toEqual(
      ['a', 'b', 'c', 'd'].map(message => `Echo: ${message}`),
    )
    expect(all.every(({ body }) => JSON.parse(body).id === 7)).toBe(true)
  })

  it('cannot open the gateway to other machines by mistake', async () => {
    const here = place()
    const words = here.gateway(MODERN, ['--listen', '0.0.0.0:0'])
    await expect(started(words, /listens at/, { env: here.env })).rejects.toThrow(/--allow-host/)
    const named = here.gateway(MODERN, ['--listen', '0.0.0.0:0', '--allow-host', 'box.example'])
    await expect(started(named, /listens at/, { env: here.env })).rejects.toThrow(/HOLDFAST_MCP_TOKEN/)
  })
})
