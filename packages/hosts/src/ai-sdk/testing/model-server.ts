// A model provider on the loopback, for tests. It speaks the two wire formats as they are: it refuses requests
// the real services would refuse, and puts an answer where the request asked for it.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export const TEST_KEY = 'tk_0123456789abcdefghij'

export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the wire format freely
  readonly body: any
  /** The connection the request came on. A client may open a fresh idle one after it closed this. */
  readonly socket: Socket
}

export type Behave = (request: SeenRequest, response: ServerResponse) => void

export interface ModelServer {
  readonly url: string
  readonly requests: SeenRequest[]
  behave: Behave
  close(): Promise<void>
}

export async function startModelServer(): Promise<ModelServer> {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    const body = await readJson(incoming)
    const request = { path: incoming.url ?? '', headers: incoming.headers, body, socket: incoming.socket }
    requests.push(request)
    const refused = refuse(request)
    if (refused === null) self.behave(request, response)
    else sendError(request, response, refused.status, refused.message)
  })
  server.on('connection', socket => socket.on('error', () => {}))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const self: ModelServer = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave: answer({ ok: true, reason: null }),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return self
}

/** A port where nobody listens: one that was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = await startModelServer()
  await server.close()
  return Number(new URL(server.url).port)
}

/** A structured answer, in the place the request's structured mode names. */
export function answer(value: unknown): Behave {
  return (request, response) => {
    const tool = request.body.tools?.[0]?.name
    if (tool === undefined) return say(JSON.stringify(value))(request, response)
    sendJson(
      response,
      200,
      message([{ type: 'tool_use', id: 'toolu_01', name: tool, input: value }], 'tool_use'),
    )
  }
}

/** Plain text, whatever the structured mode. */
export function say(text: string, stop: 'stop' | 'length' | 'refused' = 'stop'): Behave {
  return (request, response) => {
    if (isAnthropic(request)) {
      const reason = { stop: 'end_turn', length: 'max_tokens', refused: 'refusal' }[stop]
      return sendJson(response, 200, message([{ type: 'text', text }], reason))
    }
    const finish_reason = { stop: 'stop', length: 'length', refused: 'content_filter' }[stop]
    sendJson(response, 200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: request.body.model,
      choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
  }
}

/** An error in the format of the service the path belongs to. */
export function fail(status: number, text: string, headers: Record<string, string> = {}): Behave {
  return (request, response) => sendError(request, response, status, text, headers)
}

/** Bytes as they are: pages, fragments, nothing. */
export function raw(body: string, contentType = 'application/json'): Behave {
  return (_, response) => {
    response.writeHead(200, { 'content-type': contentType }).end(body)
  }
}

function message(content: unknown[], stop_reason: string | undefined) {
  const usage = { input_tokens: 10, output_tokens: 5 }
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  }
}

const isAnthropic = (request: SeenRequest) => request.path.endsWith('/messages')

// What the real services check before a model sees anything.
function refuse({ path, headers, body }: SeenRequest): { status: number; message: string } | null {
  if (path === '/v1/messages') {
    if (headers['x-api-key'] !== TEST_KEY) return { status: 401, message: 'invalid x-api-key' }
    if (headers['anthropic-version'] !== '2023-06-01')
      return { status: 400, message: 'anthropic-version: required' }
    if (typeof body.max_tokens !== 'number') return { status: 400, message: 'max_tokens: Field required' }
    if (body.messages.some((m: { role: string }) => m.role === 'system'))
      return { status: 400, message: 'messages: role' }
    return null
  }
  if (path !== '/v1/chat/completions') return { status: 404, message: 'Unknown request URL' }
  if (headers.authorization !== `Bearer ${TEST_KEY}`)
    return { status: 401, message: 'Incorrect API key provided' }
  const schema = body.response_format?.json_schema?.schema
  const listed = Object.keys(schema?.properties ?? {}).every(name => schema.required?.includes(name))
  if (!listed || schema?.additionalProperties !== false)
    return { status: 400, message: 'Invalid schema for response_format' }
  return null
}

function sendError(
  request: SeenRequest,
  response: ServerResponse,
  status: number,
  text: string,
  headers = {},
): void {
  const body = isAnthropic(request)
    ? { type: 'error', error: { type: 'api_error', message: text }, request_id: 'req_1' }
    : { error: { message: text, type: 'api_error', param: null, code: null } }
  sendJson(response, status, body, headers)
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of incoming) text += chunk
  return text === '' ? null : JSON.parse(text)
}
