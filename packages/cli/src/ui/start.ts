// The panel's server: loopback only, authentication first, then pages and calls.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { PanelService } from '@holdfast/web/panel'
import { openPages } from '@holdfast/web/serve'
import type { Workspace } from '../workspace.js'
import { type Key, openGate } from './gate.js'
import type { QuestionSource } from './questions.js'
import { inSentences } from './refusals.js'
import { openService } from './service.js'
import { wellFormed } from './well-formed.js'

export interface RunningPanel {
  readonly port: number
  /** With a token that works once, within a minute. */
  link(): string
  /** Files of hooks that cannot be read, as they are now. */
  broken(): readonly string[]
  close(): Promise<void>
}

/** The largest body of a page: a hooks.json, or a payload to fire. */
const LARGEST = 16 * 1024 * 1024
const LARGEST_ENTRY = 4096

export async function startPanel(
  workspace: Workspace,
  port: number,
  questions: QuestionSource,
): Promise<RunningPanel> {
  const stopping = new AbortController()
  let inside = (_: IncomingHttpHeaders) => false
  const service = await openService(workspace, questions, {
    stopping: stopping.signal,
    isInside: headers => inside(Object.fromEntries(headers)),
  })
  const server = createServer()
  const taken = await listen(server, port).catch(error => {
    service.close()
    throw error
  })
  const gate = openGate(taken)
  inside = gate.isInside
  const pages = openPages('panel')
  const calls = connectNodeAdapter({
    routes: router => router.service(PanelService, service.methods),
    interceptors: [inSentences, wellFormed],
    readMaxBytes: LARGEST,
    requireConnectProtocolHeader: false,
    shutdownSignal: stopping.signal,
  })
  server.on('request', (request, response) => {
    secure(response)
    const refused = gate.refusal(request)
    if (refused) return refuse(response, 403, refused)
    if (request.method === 'POST' && request.url === '/enter') {
      // A page that closes in the middle of a request gets no response.
      enter(request, response).catch(() => response.destroy())
      return
    }
    if (request.method !== 'POST') {
      if (!pages.handle(request, response)) refuse(response, 404, 'This page does not exist.')
      return
    }
    if (!gate.isInside(request.headers)) return refuse(response, 401, LOCKED)
    calls(request, response)
  })

  // There is none.
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })

  /** The same response for a wrong, a used and an expired token. */
  async function enter(request: IncomingMessage, response: ServerResponse) {
    const key = await keyIn(request)
    const entered = key && gate.enter(request.headers, key)
    if (!entered) return refuse(response, 401, LOCKED)
    const { secret, again, cookie } = entered
    response.setHeader('set-cookie', cookie)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ secret, again }))
  }

  return {
    port: taken,
    link: () => `http://127.0.0.1:${taken}/#token=${gate.token()}`,
    broken: () => service.broken(),
    async close() {
      gate.close()
      stopping.abort()
      service.close()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

/** Null if it is not a request of this form. */
async function keyIn(request: IncomingMessage): Promise<Key | null> {
  let text = ''
  // The rest of a body that is too long is read and dropped, so that the response arrives.
  for await (const chunk of request) if (text.length <= LARGEST_ENTRY) text += chunk
  if (text.length > LARGEST_ENTRY) return null
  try {
    const { token, again } = JSON.parse(text) as Record<string, unknown>
    const asText = (value: unknown) => (value === undefined ? undefined : String(value))
    return { token: asText(token), again: asText(again) }
  } catch {
    return null
  }
}

const LOCKED = 'The panel is locked. Run holdfast ui for a new link.'

function secure(response: ServerResponse): void {
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('cross-origin-opener-policy', 'same-origin')
  response.setHeader('cross-origin-resource-policy', 'same-origin')
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${sentence}\n`)
}
