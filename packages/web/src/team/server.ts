// How the server was started; not everybody may know all of it.

import { useQuery } from '@connectrpc/connect-query'
import { PeopleService } from '@holdfast/team/messages'
import { useMay } from './context.js'

export function useServer() {
  const because = useMay('PeopleService/GetServer')
  const server = useQuery(PeopleService.method.getServer, {}, { enabled: because === undefined })
  return {
    server,
    /** Why it is not known. */
    because,
    /** Where devices reach it; who may not know it uses the address that brought them here. */
    url: server.data?.url ?? location.origin,
  }
}
