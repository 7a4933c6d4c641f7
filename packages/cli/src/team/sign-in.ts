// Sign-in by device code (RFC 8628): the person approves on a page, this machine waits and asks.

import { Complaint } from '../complaint.js'
import { openDeviceDoor } from './door.js'

export interface Code {
  readonly userCode: string
  readonly page: string
  readonly pageWithCode: string
  readonly deviceCode: string
  readonly intervalMs: number
  readonly expiresAt: number
  /** Of the team, as the server shows it on the page, too. */
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
  if (typeof answer.error === 'string') throw new Complaint(String(answer.error_description ?? answer.error))
  if (typeof device_code !== 'string' || typeof user_code !== 'string') {
    throw new Complaint(`${server} does not answer like a Holdfast team server. Check the address.`)
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
  expired_token: 'The code is too old: nobody approved it in time. Run holdfast login again.',
  access_denied: 'Whoever opened the page said no to this machine. Nothing was kept.',
}

/** Resolves with what proves the person's yes; throws when they said no or the time is over. */
export async function waitForYes(server: string, code: Code, signal: AbortSignal): Promise<string> {
  let interval = code.intervalMs
  while (Date.now() < code.expiresAt) {
    await pause(interval, signal)
    if (signal.aborted) throw new Complaint('The sign-in was given up.')
    const answer = await post(server, '/device/token', {
      grant_type: GRANT,
      device_code: code.deviceCode,
      client_id: CLIENT,
    }).catch(error => {
      // A server that restarts is no reason to begin again.
      if (error instanceof Complaint) return { error: 'authorization_pending' } as Record<string, unknown>
      throw error
    })
    if (typeof answer.access_token === 'string') return answer.access_token
    if (answer.error === 'slow_down') interval += 5000
    else if (answer.error !== 'authorization_pending') {
      throw new Complaint(REFUSED[String(answer.error)] ?? `${answer.error_description ?? answer.error}`)
    }
  }
  throw new Complaint('Nobody approved the code in time. Run holdfast login again.')
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
    throw new Complaint(
      `${server} cannot be reached: ${cause?.message ?? message}. Check the address and try again.`,
    )
  }
  try {
    return (await response.json()) as Record<string, unknown>
  } catch {
    throw new Complaint(
      `${server} does not answer like a Holdfast team server (${response.status}). Check the address.`,
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

/** Without a slash at its end; https, or this very machine. */
export function serverAddress(text: string): string {
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  } catch {
    throw new Complaint(
      `"${text}" is not the address of a server. Give one such as https://hooks.example.com.`,
    )
  }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) {
    throw new Complaint(
      `A team server is reached by https; "${text}" is not. Only this machine itself may be http.`,
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
