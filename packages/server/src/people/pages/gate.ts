// Before the dashboard: who is not signed in sees the sign-in page, and never an empty shell.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../access/actor.js'
import { signInFor } from './next.js'
import { answer, headersOf } from './visit.js'

/** False when the person was sent to sign in; then it is answered. */
export async function admit(
  identify: (headers: Headers) => Promise<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { actor, cookies } = await identify(headersOf(request))
  if (actor.kind !== 'person') {
    answer(request, response, { location: signInFor(request.url ?? '/') })
    return false
  }
  // A session that is used lasts longer.
  if (cookies.length > 0) response.setHeader('set-cookie', [...cookies])
  return true
}
