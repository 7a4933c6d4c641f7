import type { QueryClient } from '@tanstack/react-query'

/** Reloads the queries of these methods that a page still shows. */
export const askAgain = (queries: QueryClient, methods: Iterable<string>): void => {
  const names = new Set(methods)
  void queries.invalidateQueries({
    predicate: ({ queryKey }) => names.has((queryKey[1] as { methodName?: string })?.methodName ?? ''),
  })
}
