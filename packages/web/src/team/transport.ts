import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { AuditService, PeopleService } from '@holdfast/team/messages'
import { setOver } from '../shell/session.js'

/** Reports the end of the session to the open page, which keeps unsaved text. */
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
