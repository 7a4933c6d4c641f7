import { Code, ConnectError } from '@connectrpc/connect'
import { QueryClient } from '@tanstack/react-query'

/** What another try may mend. */
const PASSING: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted])

export const openQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // News arrive by the stream; looking again by the clock would only make noise.
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && PASSING.has(ConnectError.from(error).code),
      },
    },
  })
