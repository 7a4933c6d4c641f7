// The panel's server: loopback only, one gate, then pages and calls.

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
import { openGate } from './gate.js'
import { inSentences } from './refusals.js'
import { openService } from './service.js'

export interface Panel {
  readonly port: number
  /** With a token that works once, within a minute. */
  link(): string
  close(): Promise<void>
}

/** What a page may send at most: a hooks.json, or a payload to fire. */
const LARGEST = 16 * 1024 * 1024
const LARGEST_ENTRY = 4096

export async function startPanel(workspace: Workspace, port: number): Promise<Panel> {
  const stopping = new AbortController()
  let inside = (_: IncomingHttpHeaders) => false
  const service = await openService(workspace, {
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
    interceptors: [inSentences],
    readMaxBytes: LARGEST,
    requireConnectProtocolHeader: false,
    shutdownSignal: stopping.signal,
  })
  server.on('request', (request, response) => {
    secure(response)
    const refused = gate.refusal(request)
    if (refused) return refuse(response, 403, refused)
    if (request.method === 'POST' && request.url === '/enter') return void enter(request, response)
    if (request.method !== 'POST') {
      if (!pages.handle(request, response)) refuse(response, 404, 'There is no such page.')
      return
    }
    if (!gate.isInside(request.headers))
      return refuse(response, 401, 'The panel is locked. Run holdfast ui for a new link.')
    calls(request, response)
  })

  /** The same answer for a wrong, a used and an old token. */
  async function enter(request: IncomingMessage, response: ServerResponse) {
    const entered = gate.enter(request, await tokenIn(request))
    if (!entered) return refuse(response, 401, 'The panel is locked. Run holdfast ui for a new link.')
    response.setHeader('set-cookie', entered.cookie)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ secret: entered.secret }))
  }

  return {
    port: taken,
    link: () => `http://127.0.0.1:${taken}/#token=${gate.token()}`,
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

async function tokenIn(request: IncomingMessage): Promise<string | undefined> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > LARGEST_ENTRY) return ''
  }
  try {
    const { token } = JSON.parse(text) as { token?: unknown }
    return token === undefined ? undefined : String(token)
  } catch {
    return ''
  }
}

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
