// Hooks on a server: the payload as a POST request, the body of the response as stdout. Only a status of 2xx is a success.

import { onAbort } from '../protocol/abort.js'
import { clockMs } from '../protocol/clock.js'
import { HEADER_VARIABLE, type HookDefinition } from '../protocol/config.js'
import { payloadText } from '../protocol/payload.js'
import type { Event, Exit, Failure } from '../protocol/run.js'
import { overflowOf, stdoutCollector } from './output.js'
import { CANCELLED, overTime } from './spawn.js'

export interface HttpOptions {
  readonly env: NodeJS.ProcessEnv
  /** Undefined: all. */
  readonly allowedHttpHosts?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** As with a process, a deny holds that arrived before the failure. */
export async function sendRequest(hook: HookDefinition, event: Event, options: HttpOptions): Promise<Exit> {
  const began = clockMs()
  const stdout = stdoutCollector()
  const controller = new AbortController()
  let failure: Failure | undefined
  const stop = (why: Failure) => {
    failure ??= why
    controller.abort()
  }
  const late: Failure = { code: 'run/timeout', message: overTime(hook.timeoutMs) }
  const timer = setTimeout(() => stop(late), hook.timeoutMs)
  const forgetSignal = onAbort(options.signal, () => stop({ code: 'run/signal', message: CANCELLED }))
  try {
    const { status, body } = await post(hook, event, options, controller.signal)
    for await (const chunk of body ?? []) stdout.take(Buffer.from(chunk))
    if (status < 200 || status > 299) failure ??= refusal(status)
  } catch (error) {
    failure ??= { code: 'run/http', message: describeError(error) }
  } finally {
    clearTimeout(timer)
    forgetSignal()
  }
  return {
    code: failure ? null : 0,
    signal: null,
    stdout: stdout.text(),
    stderr: '',
    durationMs: clockMs() - began,
    ...(failure && { failure }),
    ...overflowOf(stdout),
  }
}

function post(
  { url = '', headers = {} }: HookDefinition,
  event: Event,
  { env, allowedHttpHosts }: HttpOptions,
  signal: AbortSignal,
): Promise<Response> {
  const { host } = new URL(url)
  if (allowedHttpHosts && !allowedHttpHosts.includes(host))
    throw new Error(`${host} is not in allowed_http_hosts, so nothing was sent`)
  const body = payloadText(event.payload)
  const all = { 'content-type': 'application/json', ...withVariables(headers, env) }
  // A redirect could lead to a server that nobody allowed.
  return fetch(url, { method: 'POST', headers: all, body, redirect: 'manual', signal })
}

/** A request without its secret could be answered by a server that allows everything to unauthenticated callers. */
function withVariables(
  headers: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const read = (_: string, braced: string | undefined, plain: string | undefined) => {
    const name = braced ?? plain!
    const value = env[name]
    if (value === undefined || value === '') throw new Error(`the variable ${name} of its headers is not set`)
    // The message of fetch would contain the value.
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw new Error(`the variable ${name} is not a header value`)
    return value
  }
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, text.replace(HEADER_VARIABLE, read)]),
  )
}

const refusal = (status: number): Failure => ({
  code: 'run/http',
  message:
    status >= 300 && status < 400
      ? `The server responded with status ${status}; redirects are not followed.`
      : `The server responded with status ${status}.`,
})

/** The cause names the problem of the connection; the error itself only says that the request failed. */
function describeError(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { code?: string; message?: string } }
  return `The request failed: ${cause?.message || cause?.code || message}.`
}
