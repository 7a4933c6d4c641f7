// The options of the server; some roles cannot read them.

import { useQuery } from '@connectrpc/connect-query'
import { PeopleService } from '@holdfast/team/messages'
import { useMay } from './context.js'

export function useServer() {
  const because = useMay('PeopleService/GetServer')
  const server = useQuery(PeopleService.method.getServer, {}, { enabled: because === undefined })
  return {
    server,
    /** Why it is unknown. */
    because,
    /** The address for devices; without permission to read it, the address of this page. */
    url: server.data?.url ?? location.origin,
  }
}
