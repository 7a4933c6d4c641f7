import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { AuditService, PeopleService } from '@holdfast/team/messages'
import { setOver } from '../shell/session.js'

/** Whose session ends while a page is open hears of it there, and loses nothing. */
const signedIn: Interceptor = next => async request => {
  try {
    return await next(request)
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unauthenticated) setOver(true)
    throw error
  }
}

export function toSignIn(): void {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}

export function openTransport() {
  const transport = createConnectTransport({ baseUrl: '/', interceptors: [signedIn] })
  return {
    transport,
    people: createClient(PeopleService, transport),
    audit: createClient(AuditService, transport),
  }
}
