// Calls, before Connect takes them apart. Who it is comes first: of whoever is refused nothing is read, and of everybody
// else no more than anybody has reason to send.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  createContextValues,
} from '@connectrpc/connect'
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node'
import { ADDRESS } from '../access/address.js'
import { KNOCK, type Knock } from '../access/door.js'
import type { Log } from '../team.js'
import { type Asked, bounded, packings, reading, withoutWords } from './words.js'

/** A batch of records, or a script, is the largest that anybody sends. */
const LARGEST = 4 * 1024 * 1024
/** Whom nobody knows has little to say: an enrolment. */
const LARGEST_OF_STRANGERS = 64 * 1024

export interface CallOptions extends Required<Pick<ConnectRouterOptions, 'interceptors' | 'shutdownSignal'>> {
  readonly routes: (router: ConnectRouter) => unknown
  address(request: IncomingMessage): string
  /** Who it is, and whether they may. */
  knock(method: string, asked: Pick<Asked, 'header' | 'method'>, address: string): Promise<Knock>
  readonly log: Log
}

type Handler = ConnectRouter['handlers'][number]

export type Calls = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export function callsOf({ routes, address, knock, log, ...options }: CallOptions): Calls {
  const router = createConnectRouter({ ...options, acceptCompression: packings, readMaxBytes: LARGEST })
  routes(router)
  const handlers = new Map(router.handlers.map(handler => [handler.requestPath, handler]))

  async function answer(handle: Handler, asked: Asked, from: string) {
    const { service, method } = handle
    const knocked = knock(`${service.typeName.split('.').at(-1)}/${method.name}`, asked, from)
    const contextValues = createContextValues().set(ADDRESS, from).set(KNOCK, knocked)
    const most = await knocked.then(
      ({ refusal, caller }) =>
        refusal ? null : caller.actor.kind === 'nobody' ? LARGEST_OF_STRANGERS : LARGEST,
      () => null,
    )
    // It says at the door why, to who sent nothing.
    if (most === null) return handle({ ...withoutWords(asked), contextValues })
    const limit = { message: method.input, most }
    return reading(limit, asked, () => handle({ ...bounded(limit, asked), contextValues }))
  }

  return async (request, response) => {
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '')
    if (!handler) {
      response.writeHead(404)
      response.end()
      return
    }
    const asked = askedBy(request, response)
    if (!asked) {
      response.writeHead(400)
      response.end()
      return
    }
    try {
      const answered = await answer(handler, asked, address(request))
      await universalResponseToNodeResponse(answered, response)
    } catch (error) {
      response.destroy()
      // The caller is gone.
      if (ConnectError.from(error).code === Code.Aborted) return
      log.warn('a call broke off', { method: handler.method.name, error: (error as Error).message })
    }
  }
}

/** Null when the caller says that it called for something that is no host. */
function askedBy(request: IncomingMessage, response: ServerResponse): Asked | null {
  try {
    return universalRequestFromNodeRequest(request, response, undefined, undefined)
  } catch {
    return null
  }
}
