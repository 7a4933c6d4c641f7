// The model of an agent: a server on this machine that records its requests.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The parsed body; null when there is none or it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the agent sends
  readonly body: any
}

export interface Model {
  readonly port: number
  readonly url: string
  /** All requests in order, also those without a response. */
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

/** Whether it responded; anything else gets a 404. */
export type Answer = (asked: Asked, response: ServerResponse) => boolean | Promise<boolean>

export async function openModel(answer: Answer): Promise<Model> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const one: Asked = { method, url, headers, body: parsed(await textOf(request)) }
    asked.push(one)
    try {
      if (await answer(one, response)) return
      json(response, { error: { type: 'not_found_error', message: `Nobody answers ${url}.` } }, 404)
    } catch (error) {
      response.destroy(error as Error)
    }
  })
  // A program that uses a proxy would request a tunnel; all tunnels are refused.
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket) => {
    asked.push({ method: 'CONNECT', url, headers, body: null })
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function json(response: ServerResponse, body: unknown, status = 200): true {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return true
}

/** A stream of server-sent events; some agents want the name of an event in its "type". */
export function events(response: ServerResponse, all: readonly (object & { type?: string })[]): true {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const one of all) {
    if (one.type) response.write(`event: ${one.type}\n`)
    response.write(`data: ${JSON.stringify(one)}\n\n`)
  }
  response.end()
  return true
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
