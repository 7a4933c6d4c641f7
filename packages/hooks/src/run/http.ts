// Hooks on a server: the payload as a POST request, the body of the response as stdout. Only a status of 2xx is a success.

import { HEADER_VARIABLE, type HookDefinition } from '../protocol/config.js'
import { payloadText } from '../protocol/payload.js'
import type { Event, Exit, Failure } from '../protocol/run.js'
import { type InsideOptions, within } from './in-process.js'
import { overflowOf, stdoutCollector } from './output.js'

export interface HttpOptions extends Pick<InsideOptions, 'signal'> {
  readonly env: NodeJS.ProcessEnv
  /** Undefined: all. */
  readonly allowedHosts: readonly string[] | undefined
}

/** As with a process, a deny holds that arrived before the failure. */
export async function sendRequest(hook: HookDefinition, event: Event, options: HttpOptions): Promise<Exit> {
  const { url = '', headers = {} } = hook
  const { env, allowedHosts, signal } = options
  const stdout = stdoutCollector()
  const exit = await within(hook, { signal }, 'run/http', async signal => {
    const { host } = new URL(url)
    if (allowedHosts && !allowedHosts.some(allowed => allowed.toLowerCase() === host))
      return { failure: notAllowed(host) }
    const all = { 'content-type': 'application/json', ...withVariables(headers, env) }
    const request = { method: 'POST', headers: all, body: payloadText(event.payload), signal }
    try {
      // A redirect could lead to a server that nobody allowed.
      const { status, body } = await fetch(url, { ...request, redirect: 'manual' })
      for await (const chunk of body ?? []) stdout.take(Buffer.from(chunk))
      return status < 200 || status > 299 ? { failure: refusal(status) } : {}
    } catch (error) {
      throw new Error(`The request failed: ${causeOf(error)}.`)
    }
  })
  return { ...exit, stdout: stdout.text(), ...overflowOf(stdout) }
}

/** A request without its secret could be answered by a server that allows everything to unauthenticated callers. */
function withVariables(
  headers: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const read = (_: string, braced: string | undefined, plain: string | undefined) => {
    const name = braced ?? plain!
    const value = env[name]
    if (value === undefined || value === '')
      throw new Error(`The variable ${name} of its headers is not set.`)
    // The message of fetch would contain the value.
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw new Error(`The variable ${name} is not a header value.`)
    return value
  }
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, text.replace(HEADER_VARIABLE, read)]),
  )
}

const notAllowed = (host: string): Failure => ({
  code: 'run/not-allowed',
  message: `${host} is not in allowed_http_hosts, so nothing was sent.`,
})

const refusal = (status: number): Failure => ({
  code: 'run/http',
  message:
    status >= 300 && status < 400
      ? `The server responded with status ${status}; redirects are not followed.`
      : `The server responded with status ${status}.`,
})

/** The cause names the problem of the connection; the error itself only says that the request failed. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { code?: string; message?: string } }
  return cause?.message || cause?.code || message
}
