// The order in which a request is offered to the parts of the server: polls of devices, health, sign-in pages, the
// dashboard, then the calls.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { openPages } from '@holdfast/web/serve'
import type { Hop } from './access/address.js'
import { type Authenticator, authenticate, guardCalls } from './access/authenticate.js'
import type { RateLimit } from './access/rate-limit.js'
import { callsOf } from './http/calls.js'
import { secure } from './http/headers.js'
import type { Health } from './http/health.js'
import type { Polls } from './push/polls.js'
import { routes, type ServiceParts } from './rpc/routes.js'
import type { Team } from './team.js'

export interface People extends Authenticator {
  /** Where a request comes from. */
  address(request: Hop): string
  /** Sign-in, invitations and the approval of devices; true if it was one of these. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Whether the caller is a member; all others were sent to the sign-in page. */
  admit(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

export interface Served {
  readonly team: Team
  readonly people: People
  readonly rateLimit: RateLimit
  readonly parts: ServiceParts
  readonly polls: Polls
  readonly health: Health
}

export function listenerFor(served: Served): RequestListener {
  const { team, people, rateLimit, parts, polls, health } = served
  const pages = openPages('team')
  const isHttps = team.url.startsWith('https://')
  const calls = callsOf({
    routes: routes(team, parts),
    interceptors: [health.counting, guardCalls(people, team.log)],
    shutdownSignal: health.stopping,
    address: people.address,
    authenticate: (method, call, address) => authenticate(people, rateLimit, method, call, address),
    log: team.log,
  })
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      secure(response, isHttps)
      if (health.handle(request, response) || people.handle(request, response)) return
      if (pages.isPage(request) && !(await people.admit(request, response))) return
      if (pages.handle(request, response)) return
      await calls(request, response)
    } catch (error) {
      team.log.error('a request failed', { url: request.url?.split('?')[0], error: (error as Error).message })
      if (!response.headersSent) response.writeHead(500)
      response.end()
    }
  }
  // Polls come first, and their 304 carries no headers for browsers: there are many of them.
  return async (request, response) => {
    const next = () => serve(request, response)
    if (!(await polls.handle(request, response, next).catch(() => false))) await next()
  }
}
