// Sign-in by device code (RFC 8628): the user approves on a page while this machine polls.

import { UsageError } from '../usage-error.js'
import { openDeviceDoor } from './door.js'

export interface Code {
  readonly userCode: string
  readonly page: string
  readonly pageWithCode: string
  readonly deviceCode: string
  readonly intervalMs: number
  readonly expiresAt: number
  /** Name of the team, which the page shows, too. */
  readonly fingerprint: string
}

const CLIENT = 'holdfast'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export async function askForCode(server: string, device: { name: string; system: string }): Promise<Code> {
  const answer = await post(server, '/device/code', {
    client_id: CLIENT,
    device_name: device.name,
    operating_system: device.system,
  })
  const { user_code, verification_uri, verification_uri_complete, device_code, interval, expires_in } = answer
  if (typeof answer.error === 'string') throw new UsageError(String(answer.error_description ?? answer.error))
  if (typeof device_code !== 'string' || typeof user_code !== 'string') {
    throw new UsageError(`${server} does not respond like a Holdfast team server. Check the address.`)
  }
  return {
    userCode: user_code,
    page: String(verification_uri),
    pageWithCode: String(verification_uri_complete ?? verification_uri),
    deviceCode: device_code,
    intervalMs: Math.max(1, Number(interval ?? 5)) * 1000,
    expiresAt: Date.now() + Number(expires_in ?? 600) * 1000,
    fingerprint: String(answer.fingerprint ?? ''),
  }
}

const REFUSED: Readonly<Record<string, string>> = {
  expired_token: 'The code has expired: nobody approved it in time. Run holdfast login again.',
  access_denied: 'The request was declined on the page. Nothing was stored.',
}

/** Resolves to the proof of approval; throws if the user declined or the time is over. */
export async function waitForYes(server: string, code: Code, signal: AbortSignal): Promise<string> {
  let interval = code.intervalMs
  while (Date.now() < code.expiresAt) {
    await pause(interval, signal)
    if (signal.aborted) throw new UsageError('The sign-in was cancelled.')
    const answer = await post(server, '/device/token', {
      grant_type: GRANT,
      device_code: code.deviceCode,
      client_id: CLIENT,
    }).catch(error => {
      // A restart of the server does not end the sign-in.
      if (error instanceof UsageError) return { error: 'authorization_pending' } as Record<string, unknown>
      throw error
    })
    if (typeof answer.access_token === 'string') return answer.access_token
    if (answer.error === 'slow_down') interval += 5000
    else if (answer.error !== 'authorization_pending') {
      throw new UsageError(REFUSED[String(answer.error)] ?? `${answer.error_description ?? answer.error}`)
    }
  }
  throw new UsageError('Nobody approved the code in time. Run holdfast login again.')
}

async function post(
  server: string,
  path: string,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { fetchThrough } = await openDeviceDoor()
  let response: Response
  try {
    response = await fetchThrough(`${server}${path}`, {
      method: 'POST',
      headers: new Headers({
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      }),
      body: new URLSearchParams(fields).toString(),
      signal: AbortSignal.timeout(30_000),
      redirect: 'error',
    })
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error }
    throw new UsageError(
      `${server} cannot be reached: ${cause?.message ?? message}. Check the address and try again.`,
    )
  }
  try {
    return (await response.json()) as Record<string, unknown>
  } catch {
    throw new UsageError(
      `${server} does not respond like a Holdfast team server (${response.status}). Check the address.`,
    )
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Without a slash at its end; https, or loopback. */
export function serverAddress(text: string): string {
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  } catch {
    throw new UsageError(
      `"${text}" is not the address of a server. Give one such as https://hooks.example.com.`,
    )
  }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) {
    throw new UsageError(
      `A team server needs https; "${text}" has another scheme. Only loopback addresses may use http.`,
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
