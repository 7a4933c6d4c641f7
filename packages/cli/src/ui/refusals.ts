// Errors as one sentence with a code for pages; never a stack.

import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { HooksError } from '@holdfast/hooks'
import { isUsageError } from '../usage-error.js'

export const refusal = (code: Code, sentence: string) => new ConnectError(sentence, code)
export const notThere = (sentence: string) => refusal(Code.NotFound, sentence)
export const wrong = (sentence: string) => refusal(Code.InvalidArgument, sentence)

export const inSentences: Interceptor = next => async request => {
  try {
    return await next(request)
  } catch (error) {
    throw asRefusal(error)
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof ConnectError) return error
  if (isUsageError(error)) return wrong(error.message)
  if (HooksError.isInstance(error)) return wrong(error.message.replace(/^\[[\w/-]+\] /, ''))
  const said = error instanceof Error ? error.message : String(error)
  return refusal(Code.Internal, `Internal error in holdfast: ${said}`)
}
