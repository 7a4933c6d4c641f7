// The port of the server: HTTP/1.1, behind a proxy that terminates TLS.

import { createServer, type RequestListener } from 'node:http'
import { UsageError } from '../usage-error.js'

/** The time limits for the headers of a call, and for all of it. */
const HEADERS_MS = 30_000
const CALL_MS = 120_000
/** How often slow callers are checked. */
const CHECK_MS = 5000
/** Longer than proxies keep idle connections: a server that closes first makes them report errors. */
const IDLE_MS = 90_000

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses that port. Stop it, or choose another --port',
  EADDRNOTAVAIL: 'this machine does not have that address. Give one of its own with --host',
  EACCES: 'you lack the permission. Choose a --port above 1023',
  ENOTFOUND: 'that host name is unknown. Give an address of this machine with --host',
}

function asUsageError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason = REASONS[error.code ?? '']
  return reason ? new UsageError(`The server cannot listen on ${host}:${port}: ${reason}.`) : error
}

export interface Port {
  readonly port: number
  /** Accepts no new calls, lets running ones finish, and ends those that remain after the time. */
  close(patienceMs: number): Promise<void>
}

export interface PortTimes {
  readonly headersMs?: number
  readonly callMs?: number
  readonly checkMs?: number
}

export async function openPort(
  { host, port }: { host: string; port: number },
  listener: RequestListener,
  { headersMs = HEADERS_MS, callMs = CALL_MS, checkMs = CHECK_MS }: PortTimes = {},
): Promise<Port> {
  const http = createServer(
    {
      keepAliveTimeout: IDLE_MS,
      headersTimeout: Math.min(headersMs, callMs),
      requestTimeout: callMs,
      connectionsCheckingInterval: checkMs,
      noDelay: true,
    },
    (request, response) => {
      // The body of a rejected call is discarded: the next call of this connection comes after it.
      response.once('finish', () => request.resume())
      listener(request, response)
    },
  )
  await new Promise<void>((resolve, reject) => {
    http.once('error', error => reject(asUsageError(error, host, port)))
    http.listen(port, host, () => resolve())
  })
  const address = http.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close(patienceMs) {
      const closed = new Promise<void>(resolve => http.close(() => resolve()))
      const late = setTimeout(() => http.closeAllConnections(), patienceMs)
      http.closeIdleConnections()
      const idle = setInterval(() => http.closeIdleConnections(), 50)
      await closed
      clearTimeout(late)
      clearInterval(idle)
    },
  }
}
