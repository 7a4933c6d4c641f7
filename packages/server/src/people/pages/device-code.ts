// The device side of RFC 8628, as JSON: request a code, then poll for its approval. The request describes the device;
// the address and the time are set by the server.

import { RequestError } from '../../request-error.js'
import { CLIENT_ID } from '../auth-options.js'
import { fingerprint } from '../trust.js'
import { toLine } from '../words.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

interface Facts {
  readonly name: string
  readonly system: string
  readonly address: string
  readonly at: string
}

/** POST client_id, device_name, operating_system. */
export async function askForCode({ team, auth }: Site, visit: Visit): Promise<Reply> {
  const fields = await visit.fields()
  const facts: Facts = {
    name: toLine('device_name', fields.get('device_name') ?? ''),
    system: toLine('operating_system', fields.get('operating_system') ?? ''),
    address: visit.address,
    at: new Date(team.now())
      .toISOString()
      .replace('T', ' ')
      .replace(/\.\d+Z$/, ' UTC'),
  }
  const response = await auth.ask('/device/code', withoutCookie(visit), {
    client_id: fields.get('client_id') ?? '',
    // Stored with the code until a user looks at it.
    scope: JSON.stringify(facts),
  })
  if (response.status === 429) {
    return failed(429, 'slow_down', 'Too many codes were requested from your address. Try again in a minute.')
  }
  if (!response.ok) return failed(400, 'invalid_client', `Expected client_id "${CLIENT_ID}".`)
  const { user_code, ...rest } = (await response.json()) as { user_code: string }
  const code = `${user_code.slice(0, 4)}-${user_code.slice(4)}`
  return {
    json: {
      ...rest,
      user_code: code,
      verification_uri: `${team.url}/device`,
      verification_uri_complete: `${team.url}/device?user_code=${code}`,
      // For the user to compare with the page, and for the device to check the response of Enrol.
      fingerprint: await fingerprint(team.store.db),
    },
  }
}

/**
 * POST grant_type, device_code, client_id; repeated until it returns access_token, or an error other than
 * authorization_pending.
 */
export async function askForToken({ auth }: Site, visit: Visit): Promise<Reply> {
  const fields = await visit.fields()
  const body = Object.fromEntries(
    ['grant_type', 'device_code', 'client_id'].map(name => [name, fields.get(name) ?? '']),
  )
  const response = await auth.ask('/device/token', withoutCookie(visit), body)
  const said = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>
  if (response.ok) {
    const { access_token, token_type, expires_in } = said
    return { json: { access_token, token_type, expires_in } }
  }
  if (response.status === 429)
    return failed(400, 'slow_down', 'You poll too often. Wait five seconds longer.')
  if (response.status >= 500)
    return failed(500, 'server_error', 'The server failed. Run "holdfast login" again.')
  const { error = 'invalid_request', error_description = 'A field is missing or wrong.' } = said
  return failed(400, String(error), String(error_description))
}

export const failed = (status: number, error: string, sentence: string): Reply => ({
  status,
  json: { error, error_description: sentence },
})

/** The caller is the device, whichever user is signed in at its address. */
const withoutCookie = ({ address }: Visit) => ({ headers: new Headers(), address })

export function readFacts(scope: string | null): Facts {
  try {
    const { name, system, address, at } = JSON.parse(scope ?? '') as Facts
    return { name, system, address, at }
  } catch {
    throw new RequestError('missing', 'This code is not valid. Ask the device for a new one.')
  }
}
