// The gateway in front of servers behind HTTP: a real one, and one that misbehaves on purpose. Loopback only.

import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ProgressNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { HOLDFAST, type Json, openPlace, type Place, RECORD } from '../fixtures/mcp/place.js'

const places: Place[] = []
const servers: Server[] = []
const processes: ChildProcess[] = []
const place = (hooks: Record<string, object[]> = {}) => {
  const opened = openPlace(hooks)
  places.push(opened)
  return opened
}
afterEach(async () => {
  await Promise.all(places.splice(0).map(each => each.close()))
  for (const server of servers.splice(0)) server.close().closeAllConnections()
  for (const child of processes.splice(0)) child.kill()
})

/** The real server; `printed` is its output for each request. */
async function everything(mode = 'stream') {
  const file = fileURLToPath(new URL('../fixtures/mcp/everything-http.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, mode], { stdio: ['ignore', 'pipe', 'ignore'] })
  processes.push(child)
  let text = ''
  await new Promise<void>(resolve => {
    child.stdout.on('data', chunk => {
      text += chunk
      resolve()
    })
  })
  const said = (): Json[] =>
    text
      .split('\n')
      .slice(1, -1)
      .map(line => JSON.parse(line))
  return { url: `http://127.0.0.1:${Number.parseInt(text, 10)}/mcp`, said }
}

const gateway = (url: string, ...options: string[]) => [
  ...[process.execPath, HOLDFAST, 'mcp', '--trust-all', '--no-log', '--enterprise', '/none'],
  ...['--url', url, ...options],
]
const answers = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`
const words = (result: object): string[] =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text)

describe('a real server behind HTTP', () => {
  it('is called through the hooks, and asks the client as if it were a process', async () => {
    const { url, said } = await everything()
    const here = place({
      preToolUse: [{ command: './change.sh', matcher: 'MCP:echo' }],
      beforeMCPExecution: [
        { command: './deny.sh', matcher: 'get-env' },
        { command: RECORD, matcher: 'echo' },
      ],
      postToolUse: [{ command: './context.sh', matcher: 'sum' }],
    })
    here.script('change.sh', answers({ updated_input: { message: 'changed' } }))
    here.script('deny.sh', answers({ permission: 'deny', user_message: 'Secrets stay here.' }))
    here.script('context.sh', answers({ additional_context: 'added' }))
    const client = await here.connect(
      gateway(url, '--name', 'far', '--header', 'Authorization: Bearer abc'),
      {
        capabilities: { sampling: {}, elicitation: {} },
      },
    )
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant',
      model: 'none',
      content: { type: 'text', text: 'sampled' },
    }))
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: 'accept',
      content: { name: 'Ada', check: true },
    }))
    const call = (name: string, args: object = {}) => client.callTool({ name, arguments: args as never })

    expect(words(await call('echo', { message: 'hi' }))).toEqual(['Echo: changed'])
    const denied = await call('get-env')
    expect(denied.isError).toBe(true)
    expect(words(denied)[0]).toContain('Secrets stay here.')
    expect(words(await call('get-sum', { a: 1, b: 2 }))).toEqual(['The sum of 1 and 2 is 3.', 'added'])
    const progress: unknown[] = []
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }
    // Not by onprogress: the client drops notifications that arrive together with the result.
    client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      progress.push(params)
    })
    await client.callTool(long, undefined, { onprogress: () => {} })
    expect(progress).toHaveLength(3)
    expect(JSON.stringify(await call('trigger-sampling-request', { prompt: 'hi' }))).toContain('sampled')
    expect(JSON.stringify(await call('trigger-elicitation-request'))).toContain('Ada')
    const sums = await Promise.all([1, 2, 3, 4, 5].map(a => call('get-sum', { a, b: a })))
    expect(sums.map(sum => words(sum)[0])).toEqual(
      [1, 2, 3, 4, 5].map(a => `The sum of ${a} and ${a} is ${2 * a}.`),
    )
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    await client.close()

    expect(here.events()).toMatchObject([
      { tool_name: 'echo', mcp_server_name: 'far', url, mcp_server_url: url },
    ])
    expect(here.events()[0]).not.toHaveProperty('command')
    const [first, ...rest] = said()
    expect(first).toEqual({ method: 'POST', authorization: 'Bearer abc', hasSession: false })
    for (const one of rest)
      expect(one).toMatchObject({ authorization: 'Bearer abc', hasSession: true, version: '2025-11-25' })
    expect(rest.filter(({ method }) => method === 'GET')).toHaveLength(1)
    expect(rest.at(-1)).toMatchObject({ method: 'DELETE' })
  })

  it('may answer with plain JSON, and gets headers that hooks do not see', async () => {
    const { url, said } = await everything('json')
    const here = place({ preToolUse: [{ command: 'env > seen' }] })
    const variable = 'HOLDFAST_MCP_HEADERS=Authorization: Bearer secret'
    const client = await here.connect(['env', variable, ...gateway(url)])
    const sum = await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })
    expect(words(sum)).toEqual(['The sum of 1 and 2 is 3.'])
    expect(said().every(({ authorization }) => authorization === 'Bearer secret')).toBe(true)
    expect(here.read('seen')).toContain('HOME=')
    expect(here.read('seen')).not.toContain('secret')
  })
})

type Answer = (request: IncomingMessage, response: ServerResponse, message: Json) => void

/** Responds to each request as configured; the initialize request gets its response automatically. */
async function scripted(answer: Answer) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const message: Json = text === '' ? {} : JSON.parse(text)
    if (message.method !== 'initialize') return answer(request, response, message)
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    }
    json(response, { id: message.id, result }, { 'mcp-session-id': 'S' })
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const json = (response: ServerResponse, body: object, headers: object = {}) =>
  response
    .writeHead(200, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body, null, 2))
const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const call = (id: unknown) => ({ id, method: 'tools/call', params: { name: 't' } })

async function greeted(url: string) {
  const wire = place().wire(['--url', url])
  wire.send({ id: 0, method: 'initialize', params: {} })
  expect(await wire.json()).toMatchObject({ id: 0, result: { serverInfo: { name: 's' } } })
  return wire
}

describe('a server behind HTTP', () => {
  it('that refuses ends the pending calls with an error', async () => {
    const told: [number, object, string][] = [
      [
        401,
        {},
        'The MCP server answered 401 Unauthorized. Give the credentials that it requires as headers.',
      ],
      [
        404,
        {},
        'The MCP server answered 404 Not Found. The server no longer has this session. Connect again.',
      ],
      [
        307,
        { location: '/new' },
        'The MCP server answered 307 Temporary Redirect. It is at /new; use that address.',
      ],
      [500, {}, 'The MCP server answered 500 Internal Server Error: out of order.'],
      [202, {}, 'The MCP server sent no response.'],
    ]
    const url = await scripted((_, response, { id }) => {
      const [status, headers] = told[id - 1] ?? [200, {}]
      const body =
        status === 500 ? '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"out of order"}}' : ''
      response.writeHead(status, headers as Record<string, string>).end(body)
    })
    const wire = await greeted(url)
    for (const [index, [, , message]] of told.entries()) {
      wire.send(call(index + 1))
      expect(await wire.json()).toEqual({ jsonrpc: '2.0', id: index + 1, error: { code: -32000, message } })
    }
  })

  it('that breaks off ends the pending calls with an error', async () => {
    const url = await scripted((_, response, { id }) => {
      if (id === 1) response.destroy()
      else stream(response).end('data: {"method":"n"}\n\n')
    })
    const wire = await greeted(url)
    wire.send(call(1))
    expect((await wire.json()).error.message).toMatch(/^The MCP server could not be reached: /)
    wire.send(call(2))
    expect(await wire.json()).toEqual({ method: 'n' })
    expect((await wire.json()).error.message).toBe(
      'The MCP server ended its response before it was complete.',
    )
  })

  it('that closes its stream early is asked for the rest', async () => {
    const asked: (string | string[] | undefined)[] = []
    const url = await scripted((request, response) => {
      if (request.method === 'POST') return stream(response).end('id: 7\nretry: 10\ndata:\n\n')
      asked.push(request.headers['last-event-id'])
      if (asked.length === 1) return stream(response).end('id: 8\ndata: {"method":"progress"}\n\n')
      return stream(response).end(
        ': note\r\nid: 9\r\nevent: message\r\ndata: {"id":1,\r\ndata: "result":{}}\r\n\r\n',
      )
    })
    const wire = await greeted(url)
    wire.send(call(1))
    expect(await wire.json()).toEqual({ method: 'progress' })
    expect(await wire.line()).toBe('{"id":1, "result":{}}')
    expect(asked).toEqual(['7', '8'])
  })

  it('gets messages in their order, and speaks by itself', async () => {
    const got: unknown[] = []
    let speak: ((text: string) => void) | undefined
    const url = await scripted((request, response, message) => {
      if (request.method === 'GET') {
        stream(response).flushHeaders()
        speak = text => response.write(`data: ${text}\n\n`)
        return
      }
      got.push(message.method ?? request.method)
      // The first takes its time; the next must not overtake it.
      setTimeout(
        () =>
          message.id === undefined
            ? response.writeHead(202).end()
            : json(response, { id: message.id, result: {} }),
        got.length === 1 ? 200 : 0,
      )
    })
    const wire = await greeted(url)
    wire.send({ method: 'notifications/initialized' }, { method: 'second' }, call(1))
    expect(await wire.json()).toMatchObject({ id: 1 })
    expect(got).toEqual(['notifications/initialized', 'second', 'tools/call'])
    await expect.poll(() => speak !== undefined).toBe(true)
    speak?.('{"method":"notifications/message","params":{"n":12345678901234567890}}')
    expect(await wire.line()).toBe('{"method":"notifications/message","params":{"n":12345678901234567890}}')
    wire.child.stdin.end()
    expect(await wire.ended).toEqual({ code: 0, signal: null })
    expect(got.at(-1)).toBe('DELETE')
  })

  it('that cannot be reached ends the pending calls with an error', async () => {
    const wire = place().wire(['--url', 'http://127.0.0.1:9/mcp'])
    wire.send({ id: 0, method: 'initialize', params: {} })
    expect((await wire.json()).error.message).toContain('ECONNREFUSED')
    expect(wire.stderr()).toContain('ECONNREFUSED')
  })
})
