// The gateway as a server behind HTTP, for several clients. Those of revision 2026-07-28 share one connection to the
// server, unless they sign in as different users; each earlier client has a session with a connection of its own.

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GatewayOptions, runGateway } from './gateway.js'
import { HttpClient } from './http-client.js'
import { bodyOf, exchangesWith } from './http-exchange.js'
import { headerMismatch } from './mcp-headers.js'
import { CODE, errorAnswer, isObject, type Message, readLine } from './message.js'
import { META, metaOf } from './modern.js'
import type { Note, Server } from './server.js'
import type { Refusal } from './server-http.js'
import { GREETING } from './toward-server.js'

const SESSION = 'mcp-session-id'
const VERSION = 'mcp-protocol-version'
const HEADER_MISMATCH = -32020
const IDLE_MS = 30 * 60_000
const MOST_CONNECTIONS = 500

export interface ListenOptions {
  readonly gateway: Omit<GatewayOptions, 'input' | 'output' | 'server' | 'signal' | 'note'>
  /** A new connection to the server. `headers` are the client's, for the server. */
  connect(headers: Record<string, string>, onRefusal: (id: string, refusal: Refusal) => void): Promise<Server>
  readonly hostname: string
  readonly port: number
  /** Names of this machine that clients may use, besides those of the loopback address. */
  readonly allowedHosts: readonly string[]
  /** Clients have to send it as their bearer token. */
  readonly token?: string
  /** A server behind HTTP, whose metadata about signing in is passed on. */
  readonly upstream?: URL
  readonly note: Note
  readonly signal: AbortSignal
}

/** `address` is what clients connect to. */
export async function listen(options: ListenOptions): Promise<{ address: string; closed: Promise<void> }> {
  const front = new Front(options)
  const web = createServer((request, response) => void front.handle(request, response))
  // A tool may take its time, and a subscription has no end.
  web.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    web.once('error', reject)
    web.listen(options.port, options.hostname, resolve)
  })
  const { port, address, family } = web.address() as AddressInfo
  const closed = new Promise<void>(resolve => web.once('close', resolve))
  const close = () => {
    front.close()
    web.close()
    web.closeAllConnections()
  }
  options.signal.addEventListener('abort', close)
  if (options.signal.aborted) close()
  const host = family === 'IPv6' ? `[${address}]` : address
  return { address: `http://${host}:${port}${PATH}`, closed: closed.then(() => front.ended()) }
}

const PATH = '/mcp'

interface Connection {
  readonly client: HttpClient
  /** The client's, for the server. */
  readonly headers: Record<string, string>
  readonly over: Promise<unknown>
}

class Front {
  private readonly connections = new Map<string, Promise<Connection>>()
  private readonly ending = new Set<Promise<unknown>>()
  private readonly stop = new AbortController()
  private readonly sweep = setInterval(() => void this.endIdle(), 60_000).unref()

  constructor(private readonly options: ListenOptions) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.route(request, response)
    } catch (error) {
      this.options.note(`A request could not be answered: ${(error as Error).message}`)
      refuse(response, 500, undefined, CODE.inside, 'The gateway could not answer this request.')
    }
  }

  close(): void {
    clearInterval(this.sweep)
    this.stop.abort()
  }

  async ended(): Promise<void> {
    await Promise.all(this.ending)
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const words = this.strangeness(request)
    if (words !== undefined) return refuse(response, 403, undefined, CODE.request, words)
    const url = request.url ?? '/'
    if (url.startsWith('/.well-known/')) return this.passMetadata(url, response)
    if (url.split('?')[0] !== PATH)
      return refuse(response, 404, undefined, CODE.request, `MCP is at ${PATH}.`)
    if (!this.isAllowed(request)) {
      response.setHeader('www-authenticate', 'Bearer')
      return refuse(
        response,
        401,
        undefined,
        CODE.request,
        'This gateway requires its token as a bearer token.',
      )
    }
    if (request.method === 'POST') return this.post(request, response)
    const session = this.connections.get(sessionKey(request))
    if (request.headers[SESSION] === undefined || (request.method !== 'GET' && request.method !== 'DELETE')) {
      response.setHeader('allow', 'POST')
      return refuse(response, 405, undefined, CODE.request, 'Send messages with POST.')
    }
    if (!session) return refuse(response, 404, undefined, CODE.request, NO_SESSION)
    const { client } = await session
    if (request.method === 'GET') return client.listen(response)
    this.connections.delete(sessionKey(request))
    client.end()
    response.writeHead(200).end()
  }

  /** A web page must not reach the gateway by a name that an attacker points at this machine. */
  private strangeness({ headers, socket }: IncomingMessage): string | undefined {
    const { allowedHosts, hostname } = this.options
    const isKnown = (host: string) => LOOPBACK.test(host) || host === hostname || allowedHosts.includes(host)
    const host = nameIn(`http://${headers.host ?? ''}`)
    if (host === undefined || !isKnown(host)) {
      return `The gateway is not called "${headers.host ?? ''}". Allow the name with --allow-host.`
    }
    const { origin } = headers
    if (origin === undefined || socket.destroyed) return undefined
    const from = nameIn(origin)
    return from !== undefined && isKnown(from) ? undefined : `Pages of ${origin} may not use the gateway.`
  }

  private isAllowed({ headers }: IncomingMessage): boolean {
    const { token } = this.options
    return token === undefined || isSame(headers.authorization ?? '', `Bearer ${token}`)
  }

  private async post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const read = body === null ? undefined : readLine(body)
    if (read?.kind === 'unreadable') return refuse(response, 400, undefined, CODE.parse, 'This is not JSON.')
    if (read?.kind !== 'one') return refuse(response, 400, undefined, CODE.request, 'Send one message.')
    const { message } = read
    const meta = metaOf(message)
    const isModern = meta !== undefined || Number.parseInt(String(request.headers[VERSION]), 10) >= 2026
    if (isModern && !isComplete(message)) return refuse(response, 400, message.id, CODE.params, INCOMPLETE)
    const client = isModern ? await this.shared(request) : await this.session(request, message)
    if (client && isModern && message.id !== undefined) {
      const name = headerMismatch(request.headers, message, client.params)
      const words = `The header ${name} is missing, or not what the message says.`
      if (name !== undefined) return refuse(response, 400, message.id, HEADER_MISMATCH, words)
    }
    if (client === undefined) {
      return refuse(response, request.headers[SESSION] ? 404 : 400, message.id, CODE.request, NO_SESSION)
    }
    if (!client.send(message, response)) {
      refuse(response, 400, message.id, CODE.request, `The id ${message.id} is in use.`)
    }
  }

  private async shared(request: IncomingMessage): Promise<HttpClient> {
    const headers = this.headersFor(request)
    return (await this.open(`user ${hashOf(JSON.stringify(headers))}`, () => new HttpClient(true), headers))
      .client
  }

  private async session(request: IncomingMessage, message: Message): Promise<HttpClient | undefined> {
    const headers = this.headersFor(request)
    if (request.headers[SESSION] !== undefined) {
      const known = await this.connections.get(sessionKey(request))
      // A token that was renewed counts from now on; who may use the session is the server's decision.
      if (known) Object.assign(known.headers, headers)
      return known?.client
    }
    if (message.method !== GREETING) return undefined
    const id = randomUUID()
    const create = () => new HttpClient(false, { [SESSION]: id })
    return (await this.open(`session ${id}`, create, headers)).client
  }

  private open(key: string, create: () => HttpClient, headers: Record<string, string>): Promise<Connection> {
    const known = this.connections.get(key)
    if (known) return known
    if (this.connections.size >= MOST_CONNECTIONS) throw new Error('There are too many connections.')
    const opening = this.connect(create(), headers)
    this.connections.set(key, opening)
    const forget = () => void this.connections.delete(key)
    opening.then(({ over }) => over.then(forget, forget), forget)
    return opening
  }

  private async connect(client: HttpClient, headers: Record<string, string>): Promise<Connection> {
    const { gateway, note } = this.options
    const server = await this.options.connect(headers, (id, refusal) => client.refuse(id, refusal))
    const { input, output } = client
    const over = runGateway({ ...gateway, input, output, server, note, signal: this.stop.signal }).finally(
      () => output.end(),
    )
    const kept = over.finally(() => this.ending.delete(kept))
    this.ending.add(kept)
    return { client, headers, over }
  }

  private async endIdle(): Promise<void> {
    for (const [key, opening] of this.connections) {
      const { client } = await opening
      if (!client.isIdle || Date.now() - client.usedAt < IDLE_MS) continue
      this.connections.delete(key)
      client.end()
    }
  }

  /** What a server behind HTTP may need to know of its client. */
  private headersFor({ headers }: IncomingMessage): Record<string, string> {
    if (!this.options.upstream) return {}
    return Object.fromEntries(
      Object.entries(headers).filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === 'string' && (FORWARDED.test(entry[0]) || entry[0] === 'authorization'),
      ),
    )
  }

  private async passMetadata(path: string, response: ServerResponse): Promise<void> {
    const { upstream } = this.options
    if (!upstream) return refuse(response, 404, undefined, CODE.request, 'There is no metadata.')
    const url = new URL(upstream.origin)
    url.pathname = path.replace(new RegExp(`${PATH}$`), upstream.pathname === '/' ? '' : upstream.pathname)
    const { ask, close } = exchangesWith(url)
    try {
      const answer = await ask({
        method: 'GET',
        headers: { accept: 'application/json' },
        signal: this.stop.signal,
      })
      const type = answer.headers['content-type'] ?? 'application/json'
      response.writeHead(answer.statusCode ?? 502, { 'content-type': type }).end((await bodyOf(answer)) ?? '')
    } finally {
      close()
    }
  }
}

const INCOMPLETE = `The request needs ${META.version} and ${META.capabilities} in its _meta.`

function isComplete(message: Message): boolean {
  const meta = message.params?._meta
  return metaOf(message) !== undefined && isObject(meta) && isObject(meta[META.capabilities])
}

const NO_SESSION = 'There is no such session. Connect again with initialize.'
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
/** Not those that name one request, which would part its client from its other requests. */
const FORWARDED = /^(?:cookie|x-(?!forwarded|real-ip|request|correlation|trace|b3|amzn).*)$/

const sessionKey = ({ headers }: IncomingMessage): string => `session ${headers[SESSION]}`

function nameIn(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

function refuse(
  response: ServerResponse,
  status: number,
  id: string | undefined,
  code: number,
  words: string,
): void {
  if (response.headersSent) return void response.end()
  response.writeHead(status, { 'content-type': 'application/json' }).end(errorAnswer(id, code, words))
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
