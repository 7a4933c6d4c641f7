import { createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { PanelService } from '../gen/holdfast/panel/v1/panel_pb.js'

export function openTransport(secret: string) {
  const withSecret: Interceptor = next => request => {
    request.header.set('x-holdfast-panel', secret)
    return next(request)
  }
  const transport = createConnectTransport({ baseUrl: '/', interceptors: [withSecret] })
  return { transport, client: createClient(PanelService, transport) }
}
