// Calls to a team server with a user's token: for scripts and for the command.

import type { DescService } from '@bufbuild/protobuf'
import { type Client, Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'

export type Caller = <S extends DescService>(service: S) => Client<S>

/** `isUnknown`: the server does not recognise the caller. */
export type Complain = (message: string, isUnknown: boolean) => Error

/** Rejections, and failed connections, are thrown as the result of `complain`. */
export function callerOf(server: string, token: string, complain: Complain): Caller {
  const withToken: Interceptor = next => request => {
    request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  const transport = createConnectTransport({ baseUrl: server, httpVersion: '1.1', interceptors: [withToken] })
  const fail = (error: unknown): never => {
    throw complain(sentenceOf(error, server), ConnectError.from(error).code === Code.Unauthenticated)
  }
  return service => {
    const client = createClient(service, transport)
    // Wraps the client: an error from an interceptor would be wrapped again.
    return new Proxy(client, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          const answer: unknown = method(...args)
          return answer instanceof Promise ? answer.catch(fail) : answer
        }
      },
    })
  }
}

function sentenceOf(error: unknown, server: string): string {
  const { rawMessage, cause } = ConnectError.from(error)
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code
  if (reason !== undefined)
    return `${server} cannot be reached: ${rawMessage}. Check the address and try again.`
  // The message for a response that is not from a team server.
  if (/^(HTTP \d|unsupported content type|missing)/i.test(rawMessage))
    return `${server} does not respond like a Holdfast team server (${rawMessage}). Check the address.`
  return rawMessage || 'The server did not respond.'
}
