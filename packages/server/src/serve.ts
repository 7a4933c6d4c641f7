// The way of a request: health, then sign-in pages, then the calls. What the server is made of meets here.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import type { Actor } from './access/actor.js'
import { door } from './access/door.js'
import { secure } from './http/headers.js'
import { openPort, type Port } from './http/port.js'
import { routes } from './rpc/routes.js'
import type { Team } from './team.js'

/** A batch of records, or a script, is the largest that anybody sends. */
const LARGEST = 4 * 1024 * 1024

export interface People {
  /** Who calls, by cookie or token. Never throws for a caller whom nobody knows. */
  identify(headers: Headers): Promise<Actor>
  /** Sign-in, invitations and the approval of devices; true when it was one of these. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

export interface Listening {
  readonly host: string
  readonly port: number
}

export function serve(team: Team, people: People, listening: Listening): Promise<Port> {
  const isHttps = team.url.startsWith('https://')
  const calls = connectNodeAdapter({
    routes: routes(team),
    interceptors: [door(people.identify, team.log)],
    readMaxBytes: LARGEST,
    requireConnectProtocolHeader: false,
  })
  return openPort(listening, (request, response) => {
    secure(response, isHttps)
    if (request.url === '/healthz') return void response.end('ok\n')
    if (people.handle(request, response)) return
    calls(request, response)
  })
}
