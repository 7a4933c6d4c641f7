// In front of the dashboard: visitors without a session get the sign-in page, never an empty dashboard.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../access/actor.js'
import { signInFor } from './next.js'
import { answer, headersOf } from './visit.js'

/** False if the user was redirected to sign in; then the response is sent. */
export async function admit(
  identify: (headers: Headers) => Promise<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { actor, cookies, location } = await identify(headersOf(request))
  if (actor.kind !== 'person') {
    answer(request, response, { location: location ?? signInFor(request.url ?? '/') })
    return false
  }
  // Use extends a session.
  if (cookies.length > 0) response.setHeader('set-cookie', [...cookies])
  return true
}
