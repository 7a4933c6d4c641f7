// One call to the team server: the Connect protocol over fetch, for access to status, headers and size.

import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Around } from './around.js'
import { type ProblemCode, reasonOf } from './problems.js'
import { fetchThrough } from './proxy.js'
import { DAY } from './waits.js'

export interface Address {
  readonly server: string
  /** None before enrolment. */
  readonly token?: string
}

export interface CallOptions {
  /** By GET; the response may be that nothing changed. The server may hold it for this long. */
  readonly get?: { readonly etag: string; readonly holdMs?: number }
  readonly mostBytes?: number
  /** For the body, if it is large. */
  readonly bodyMs?: number
  readonly signal?: AbortSignal | undefined
}

export type Answered<T> =
  | { readonly kind: 'answer'; readonly value: T; readonly etag: string }
  | { readonly kind: 'unchanged' }

/** Why there is no response. */
export class CallError extends Error {
  constructor(
    readonly code: Extract<ProblemCode, 'offline' | 'unauthorized' | 'server' | 'answer'>,
    message: string,
    /** 0 without a response. */
    readonly status: number,
    /** From Retry-After. */
    readonly waitMs?: number,
    /** Connect's own code, if a team server responded. */
    readonly rpcCode?: string,
  ) {
    super(message)
  }
}

const MOST_BYTES = 4 * 1024 * 1024

export async function call<I extends DescMessage, O extends DescMessage>(
  around: Pick<Around, 'patienceMs' | 'now'>,
  { server, token }: Address,
  method: DescMethodUnary<I, O>,
  message: MessageInitShape<I>,
  { get, mostBytes = MOST_BYTES, bodyMs = around.patienceMs, signal }: CallOptions = {},
): Promise<Answered<MessageShape<O>>> {
  const body = toBinary(method.input, create(method.input, message))
  const url = `${server.replace(/\/+$/, '')}/${method.parent.typeName}/${method.name}`
  const headers = new Headers({ 'connect-protocol-version': '1', accept: 'application/proto' })
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (get?.etag) headers.set('if-none-match', get.etag)
  if (!get) headers.set('content-type', 'application/proto')
  const query = `?connect=v1&encoding=proto&base64=1&message=${Buffer.from(body).toString('base64url')}`
  const limit = openLimit(around.patienceMs + (get?.holdMs ?? 0), signal)
  try {
    // A redirect would carry the token to another server.
    const common = { headers, redirect: 'manual', signal: limit.signal } as const
    const response = await (get
      ? fetchThrough(url + query, { method: 'GET', ...common })
      : fetchThrough(url, { method: 'POST', body, ...common })
    ).catch(error => {
      throw new CallError('offline', `${new URL(url).host} cannot be reached: ${causeOf(error)}.`, 0)
    })
    limit.restart(bodyMs)
    return await read(response, method, { isGet: get !== undefined, mostBytes, now: around.now() })
  } finally {
    limit.clear()
  }
}

interface Reading {
  readonly isGet: boolean
  readonly mostBytes: number
  readonly now: number
}

async function read<I extends DescMessage, O extends DescMessage>(
  response: Response,
  method: DescMethodUnary<I, O>,
  { isGet, mostBytes, now }: Reading,
): Promise<Answered<MessageShape<O>>> {
  const { status } = response
  if (isGet && status === 304) {
    await response.body?.cancel()
    return { kind: 'unchanged' }
  }
  const bytes = await readAll(response, mostBytes)
  if (status !== 200) throw errorOf(response, bytes, now)
  const type = response.headers.get('content-type')
  if (type !== 'application/proto')
    throw new CallError('answer', `The answer is ${type ?? 'of no type'}, and not application/proto.`, status)
  try {
    const value = fromBinary(method.output, bytes)
    return { kind: 'answer', value, etag: response.headers.get('etag') ?? '' }
  } catch (error) {
    throw new CallError('answer', `The answer cannot be read: ${reasonOf(error)}.`, status)
  }
}

/**
 * A time limit that restarts when the body begins. Not with AbortSignal.any: Node 20 may collect its signals, which
 * then never fire.
 */
function openLimit(ms: number, signal?: AbortSignal) {
  const call = new AbortController()
  const end = () => call.abort(new DOMException('no answer in time', 'TimeoutError'))
  const stop = () => call.abort(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(end, ms)
  return {
    signal: call.signal,
    restart(next: number) {
      clearTimeout(timer)
      timer = setTimeout(end, next)
    },
    clear() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    },
  }
}

/** Stops at the limit, also for a compressed body. */
async function readAll(response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > most)
        throw new CallError('answer', `The answer is larger than ${most} bytes.`, response.status)
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof CallError) throw error
    throw new CallError('offline', `The response was cut off: ${causeOf(error)}.`, response.status)
  }
  return Buffer.concat(parts)
}

function errorOf(response: Response, bytes: Uint8Array, now: number): CallError {
  const { status } = response
  const { code, message: said } = sayingOf(bytes)
  const message = `The server answered ${status}${said ? `: ${said}` : ''}.`
  if (status === 401 || status === 403) return new CallError('unauthorized', message, status)
  // No team server responds like this.
  if (status < 400 || status === 404) return new CallError('answer', message, status)
  return new CallError('server', message, status, waitOf(response.headers.get('retry-after'), now), code)
}

/** An error of Connect has a message; anything else is not for users. */
function sayingOf(bytes: Uint8Array): { code?: string; message: string } {
  try {
    const { code, message } = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
    const said = typeof message === 'string' ? message.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ') : ''
    return { ...(typeof code === 'string' && { code }), message: said.slice(0, 300).replace(/\.$/, '') }
  } catch {
    return { message: '' }
  }
}

/** Seconds, or a date. */
export function waitOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), DAY) : undefined
}

const causeOf = (error: unknown): string => {
  const { cause } = error as { cause?: unknown }
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time'
  return cause instanceof Error
    ? cause.message || (cause as NodeJS.ErrnoException).code || 'failed'
    : reasonOf(error)
}
