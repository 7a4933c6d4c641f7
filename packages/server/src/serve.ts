// The way of a request: health, then what devices ask all the time, then sign-in pages, then the dashboard's, then the
// calls. What the server is made of meets here.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { openPages } from '@holdfast/web/serve'
import type { Hop } from './access/address.js'
import { type Doorman, door, knockAt } from './access/door.js'
import type { Turns } from './access/turns.js'
import { callsOf } from './http/calls.js'
import { secure } from './http/headers.js'
import type { Health } from './http/health.js'
import type { Polls } from './push/poll.js'
import type { Streams } from './push/streams.js'
import { type Parts, routes } from './rpc/routes.js'
import type { Team } from './team.js'

export interface People extends Doorman {
  /** Where a request comes from. */
  address(request: Hop): string
  /** Sign-in, invitations and the approval of devices; true when it was one of these. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Whether a member asks; everybody else was sent to the sign-in page. */
  admit(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

export interface Served {
  readonly team: Team
  readonly people: People
  readonly turns: Turns
  readonly parts: Parts
  readonly polls: Polls
  readonly streams: Streams
  readonly health: Health
}

export function listenerFor(served: Served): RequestListener {
  const { team, people, turns, parts, polls, streams, health } = served
  const pages = openPages('team')
  const isHttps = team.url.startsWith('https://')
  const calls = callsOf({
    routes: routes(team, parts),
    interceptors: [health.counting, door(people, team.log)],
    shutdownSignal: health.stopping,
    address: people.address,
    knock: (method, asked, address) => knockAt(people, turns, method, asked, address),
    log: team.log,
  })
  return async (request, response) => {
    try {
      // What devices ask comes first and takes no headers for browsers along: there are many of them.
      if ((await polls.handle(request, response)) || (await streams.handle(request, response))) return
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
}
