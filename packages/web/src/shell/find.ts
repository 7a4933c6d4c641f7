import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useMemo } from 'react'
import type { Find } from './commands.js'

interface FindFile {
  openFind(transport: Transport): Find
}

/** The search of an app, loaded with the first search. */
export function useFind(load: () => Promise<FindFile>): Find {
  const transport = useTransport()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the file is always the same.
  return useMemo(() => {
    let find: Promise<Find> | undefined
    return async (text, signal) => {
      find ??= load().then(file => file.openFind(transport))
      return (await find)(text, signal)
    }
  }, [transport])
}
