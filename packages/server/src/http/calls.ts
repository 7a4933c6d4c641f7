// Calls, before Connect parses them. Authentication comes first: no body of a rejected call is read, and any other body
// only up to the limit of its method.

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
import { AUTHENTICATION, type Authentication } from '../access/authenticate.js'
import type { Log } from '../team.js'
import { type Call, compression, withEmptyBody, withinLimit } from './body.js'

/** A batch of records, or a script, is the largest message. */
const MOST_BYTES = 4 * 1024 * 1024
/** An unauthenticated caller can only enrol. */
const MOST_BYTES_UNAUTHENTICATED = 64 * 1024

export interface CallOptions extends Required<Pick<ConnectRouterOptions, 'interceptors' | 'shutdownSignal'>> {
  readonly routes: (router: ConnectRouter) => unknown
  address(request: IncomingMessage): string
  /** The caller, and whether the call is permitted. */
  authenticate(
    method: string,
    call: Pick<Call, 'header' | 'method'>,
    address: string,
  ): Promise<Authentication>
  readonly log: Log
}

type Handler = ConnectRouter['handlers'][number]

export type Calls = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export function callsOf({ routes, address, authenticate, log, ...options }: CallOptions): Calls {
  const router = createConnectRouter({
    ...options,
    grpc: false,
    grpcWeb: false,
    acceptCompression: compression,
    readMaxBytes: MOST_BYTES,
  })
  routes(router)
  const handlers = new Map(router.handlers.map(handler => [handler.requestPath, handler]))

  async function answer(handle: Handler, call: Call, from: string) {
    const { service, method } = handle
    const authentication = authenticate(`${service.typeName.split('.').at(-1)}/${method.name}`, call, from)
    const contextValues = createContextValues().set(ADDRESS, from).set(AUTHENTICATION, authentication)
    const bytes = await authentication.then(
      ({ refusal, caller }) =>
        refusal ? 0 : caller.actor.kind === 'nobody' ? MOST_BYTES_UNAUTHENTICATED : MOST_BYTES,
      () => 0,
    )
    // The interceptor rejects it with the reason.
    if (bytes === 0) return handle({ ...withEmptyBody(call), contextValues })
    return handle({ ...withinLimit(call, { message: method.input, bytes }), contextValues })
  }

  return async (request, response) => {
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '')
    if (!handler) {
      response.writeHead(404)
      response.end()
      return
    }
    const call = callOf(request, response)
    if (!call) {
      response.writeHead(400)
      response.end()
      return
    }
    try {
      const answered = await answer(handler, call, address(request))
      await universalResponseToNodeResponse(answered, response)
    } catch (error) {
      response.destroy()
      // The caller closed the connection.
      if (ConnectError.from(error).code === Code.Aborted) return
      log.warn('A call was interrupted', { method: handler.method.name, error: (error as Error).message })
    }
  }
}

/** Null for a Host header that is no host. */
function callOf(request: IncomingMessage, response: ServerResponse): Call | null {
  try {
    return universalRequestFromNodeRequest(request, response, undefined, undefined)
  } catch {
    return null
  }
}
