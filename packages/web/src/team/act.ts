// An action of the user: one request at a time, however often the button is pressed, and the message when it is
// refused.

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { useMutation } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { askAgain } from '../shell/touched.js'

export interface Act<I extends DescMessage, O extends DescMessage> {
  /** Undefined when it was refused, or when one is running. */
  run(input: MessageInitShape<I>): Promise<MessageShape<O> | undefined>
  readonly busy: boolean
  readonly error: ConnectError | undefined
  forget(): void
}

/** Reloads the queries that it changes. */
export function useAct<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  touched: readonly string[],
): Act<I, O> {
  const queries = useQueryClient()
  const mutation = useMutation(method)
  const isRunning = useRef(false)
  return {
    async run(input) {
      if (isRunning.current) return undefined
      isRunning.current = true
      try {
        const answer = await mutation.mutateAsync(input)
        askAgain(queries, touched)
        return answer
      } catch {
        return undefined
      } finally {
        isRunning.current = false
      }
    },
    busy: mutation.isPending,
    error: mutation.error ? ConnectError.from(mutation.error) : undefined,
    forget: () => mutation.reset(),
  }
}

/** The same for a dialog that reports errors and prevents a second call by itself. Rejects when it is refused. */
export function useCall<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  touched: readonly string[],
): (input: MessageInitShape<I>) => Promise<MessageShape<O>> {
  const queries = useQueryClient()
  const { mutateAsync } = useMutation(method)
  return async input => {
    const answer = await mutateAsync(input)
    askAgain(queries, touched)
    return answer
  }
}
