import type { QueryClient } from '@tanstack/react-query'

/** Asks again what these methods answered, where a page still shows it. */
export const askAgain = (queries: QueryClient, methods: Iterable<string>): void => {
  const names = new Set(methods)
  void queries.invalidateQueries({
    predicate: ({ queryKey }) => names.has((queryKey[1] as { methodName?: string })?.methodName ?? ''),
  })
}
