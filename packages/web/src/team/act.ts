// Something that a person does: one request for each press, however often it is pressed, and the sentence when it is
// refused.

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { useMutation } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { askAgain } from '../shell/touched.js'

export interface Act<I extends DescMessage, O extends DescMessage> {
  /** Undefined when it was refused, or is under way already. */
  run(input: MessageInitShape<I>): Promise<MessageShape<O> | undefined>
  readonly busy: boolean
  readonly error: ConnectError | undefined
  forget(): void
}

/** The questions whose answers it changes are asked again. */
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
