// Calls to a team server by a person's token: for scripts, and for the command.

import type { DescService } from '@bufbuild/protobuf'
import { type Client, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'

export type Caller = <S extends DescService>(service: S) => Client<S>

/** What the server refuses is thrown as what `complain` makes of its sentence. */
export function callerOf(server: string, token: string, complain: (message: string) => Error): Caller {
  const withToken: Interceptor = next => async request => {
    request.header.set('authorization', `Bearer ${token}`)
    try {
      return await next(request)
    } catch (error) {
      const { rawMessage } = ConnectError.from(error)
      throw complain(rawMessage || 'The server did not answer.')
    }
  }
  const transport = createConnectTransport({ baseUrl: server, httpVersion: '1.1', interceptors: [withToken] })
  return service => createClient(service, transport)
}
