// One request over HTTP. Node's own client, because a tool may take longer than fetch is willing to wait.

import { type IncomingMessage, Agent as PlainAgent, request as plain, STATUS_CODES } from 'node:http'
import { Agent as SafeAgent, request as safe } from 'node:https'
import { LONGEST_LINE } from './lines.js'
import { isObject } from './message.js'

export interface Exchange {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  readonly signal: AbortSignal
}

export type Ask = (exchange: Exchange) => Promise<IncomingMessage>

/** Connections are kept: a new one for each call would cost more than the call. */
export function exchangesWith(url: URL): { ask: Ask; close(): void } {
  const isSafe = url.protocol === 'https:'
  const agent = isSafe ? new SafeAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true })
  const ask: Ask = ({ method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { method, agent, signal, headers: { ...headers, ...length } }
      const request = isSafe ? safe(url, options, resolve) : plain(url, options, resolve)
      request.setNoDelay(true)
      request.once('error', reject)
      request.end(body)
    })
  return { ask, close: () => agent.destroy() }
}

/** Null when it is longer than a message can be. */
export async function bodyOf(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= LONGEST_LINE) chunks.push(chunk)
  }
  return size > LONGEST_LINE ? null : Buffer.concat(chunks).toString('utf8')
}

export const typeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()

/** What a refusal means for who wanted to call a tool. */
export function refusalWords(response: IncomingMessage, body: string | null, hasSession: boolean): string {
  const status = response.statusCode ?? 0
  const said = saidIn(body)
  const head = `The MCP server answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
  const next =
    status >= 300 && status < 400
      ? `It is at ${response.headers.location ?? 'another address'}; use that address.`
      : status === 401 || status === 403
        ? 'Give the credentials that it requires as headers.'
        : status === 404 && hasSession
          ? 'The server no longer has this session. Connect again.'
          : ''
  return [said ? `${head}: ${said.replace(/\.$/, '')}.` : `${head}.`, next]
    .filter(part => part !== '')
    .join(' ')
}

function saidIn(body: string | null): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    const error = isObject(value) ? value.error : undefined
    if (isObject(error) && typeof error.message === 'string') return error.message
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
