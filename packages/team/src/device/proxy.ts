// fetch, through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name: Node's own ignores them before version 24.
// NODE_EXTRA_CA_CERTS needs nothing here; Node reads it for every connection.

import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export interface FetchOptions {
  readonly method: 'GET' | 'POST'
  readonly headers: Headers
  readonly body?: Uint8Array | string | undefined
  /** Redirects are never followed. */
  readonly redirect: 'manual' | 'error'
  readonly signal: AbortSignal
}

export async function fetchThrough(
  url: string,
  options: FetchOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Response> {
  const target = new URL(url)
  const proxy = proxyFor(target, env)
  if (proxy) {
    const response = await fetchBy(proxy, target, options)
    if (
      options.redirect === 'error' &&
      response.status >= 300 &&
      response.status < 400 &&
      response.status !== 304
    )
      throw new Error('unexpected redirect')
    return response
  }
  return fetch(url, { ...options, body: options.body ?? null } as RequestInit)
}

/** Undefined if the target is to be reached directly. */
export function proxyFor(target: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined
  const given = read(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? read('ALL_PROXY')
  if (given === undefined || isExempt(target, read('NO_PROXY') ?? '')) return undefined
  const text = given.includes('://') ? given : `http://${given}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy
  // Without it, the call would bypass a configured proxy.
  throw new Error(
    `the proxy "${given.replace(/\/\/.*@/, '//…@')}" is not an http address; correct HTTPS_PROXY`,
  )
}

/** Entries are hosts with their subdomains, with or without a leading dot and a port, or *. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some(entry => {
      if (entry === '*') return true
      const [, name = '', only] = /^(.+?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, '')) ?? []
      const isIt = host === entry || host === name || host.endsWith(`.${name}`)
      return name !== '' && isIt && (host === entry || only === undefined || only === ownPort)
    })
}

async function fetchBy(proxy: URL, target: URL, options: FetchOptions): Promise<Response> {
  const { request } = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const { signal } = options
  const authority = `${target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`
  const headers = {
    host: target.host,
    ...(proxy.username === '' ? {} : { 'proxy-authorization': credentials(proxy) }),
  }
  const own = Object.fromEntries(options.headers)
  if (target.protocol === 'http:') {
    const asked = request(proxy, {
      method: options.method,
      agent: false,
      path: target.href,
      headers: { ...own, ...headers },
      signal,
    })
    return responseOf(await answered(asked, options.body))
  }
  const asked = request(proxy, {
    method: 'CONNECT',
    path: authority,
    headers: { ...headers, host: authority },
    signal,
  })
  const socket = await tunnel(asked, proxy)
  const { connect } = await import('node:tls')
  const { isIP } = await import('node:net')
  const https = await import('node:https')
  const host = target.hostname.replace(/^\[|\]$/g, '')
  try {
    const secured = https.request(target, {
      method: options.method,
      headers: own,
      signal,
      defaultPort: 443,
      // Used only without an agent.
      createConnection: () =>
        connect({ socket, host, ...(isIP(host) ? {} : { servername: host }), ALPNProtocols: ['http/1.1'] }),
    })
    return await responseOf(await answered(secured, options.body))
  } catch (error) {
    // The tunnel outlives a failed handshake.
    socket.destroy()
    throw error
  }
}

const credentials = ({ username, password }: URL): string =>
  `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`

const tunnel = (asked: ClientRequest, proxy: URL): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    asked.once('error', reject)
    asked.once('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`the proxy ${proxy.host} answered ${response.statusCode}`))
    })
    asked.end()
  })

const answered = (asked: ClientRequest, body: FetchOptions['body']): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    asked.once('error', reject)
    asked.once('response', resolve)
    asked.end(body)
  })

async function responseOf(message: IncomingMessage): Promise<Response> {
  const { Readable } = await import('node:stream')
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const status = message.statusCode ?? 0
  const hasBody = status !== 204 && status !== 304
  if (!hasBody) message.resume()
  return new Response(hasBody ? (Readable.toWeb(message) as ReadableStream<Uint8Array>) : null, {
    status,
    headers,
  })
}
