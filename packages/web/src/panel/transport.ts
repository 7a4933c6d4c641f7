import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { PanelService } from '../gen/holdfast/panel/v1/panel_pb.js'
import { setOver } from '../shell/session.js'
import { enterAgain } from './entry.js'

export function openTransport(first: string) {
  let secret = first
  let entering: Promise<boolean> | undefined

  /** A restarted panel on this port accepts this browser after its new link was opened here. */
  const comeBack = () => {
    entering ??= enterAgain()
      .catch(() => null)
      .then(entry => {
        entering = undefined
        if (entry) secret = entry.secret
        setOver(!entry)
        return entry !== null
      })
    return entering
  }

  const withSecret: Interceptor = next => async request => {
    request.header.set('x-holdfast-panel', secret)
    try {
      return await next(request)
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unauthenticated) throw error
      const isBack = await comeBack()
      // The listener reopens a stream.
      if (!isBack || request.stream) throw new ConnectError(LOCKED_OUT, Code.Unauthenticated)
      request.header.set('x-holdfast-panel', secret)
      return next(request)
    }
  }
  const transport = createConnectTransport({ baseUrl: '/', interceptors: [withSecret] })
  return { transport, client: createClient(PanelService, transport) }
}

const LOCKED_OUT = 'This page is locked out. Open the link that holdfast ui prints, then come back.'
