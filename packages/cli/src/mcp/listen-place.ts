// Where `mcp --listen` listens, and who may connect.

import type { Given } from '../arguments.js'
import { UsageError } from '../usage-error.js'
import type { ServerCall } from './server.js'

export interface ListenPlace {
  readonly hostname: string
  readonly port: number
  readonly allowedHosts: readonly string[]
  readonly token?: string
}

/** Clients of a gateway in front of a program have to send it. */
const TOKEN_VARIABLE = 'HOLDFAST_MCP_TOKEN'
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/

/** Undefined without --listen. */
export function listenPlace(given: Given, call: ServerCall): ListenPlace | undefined {
  const text = given.value('listen')
  const allowedHosts = given.list('allow-host')
  if (text === undefined) {
    if (allowedHosts.length > 0) throw new UsageError('--allow-host is for --listen.')
    return undefined
  }
  const [, host = '127.0.0.1', digits] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) {
    throw new UsageError(`--listen "${text}" is not a port. Write it like 8383 or 127.0.0.1:8383.`)
  }
  const token = process.env[TOKEN_VARIABLE]
  // Hooks and the server inherit our environment.
  delete process.env[TOKEN_VARIABLE]
  if (!LOOPBACK.test(host)) {
    if (allowedHosts.length === 0) {
      throw new UsageError(`--listen ${text} is open to other machines. Name this machine with --allow-host.`)
    }
    if (call.kind === 'command' && !token) {
      throw new UsageError(
        `--listen ${text} is open to other machines. Set ${TOKEN_VARIABLE} to a token that clients have to send.`,
      )
    }
  }
  const hostname = host.replace(/^\[(.*)\]$/, '$1')
  // In front of a server behind HTTP, the clients' tokens are for that server.
  return { hostname, port, allowedHosts, ...(token && call.kind === 'command' ? { token } : {}) }
}
