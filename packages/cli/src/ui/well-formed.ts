// A lone surrogate, as a shortened command may contain, is invalid in protobuf and would fail the complete list. Every
// response is corrected before it is sent.

import type { Interceptor } from '@connectrpc/connect'

export const wellFormed: Interceptor = next => async request => {
  const response = await next(request)
  if (response.stream) return { ...response, message: eachMended(response.message) }
  correct(response.message)
  return response
}

async function* eachMended<Message extends object>(messages: AsyncIterable<Message>) {
  for await (const message of messages) {
    correct(message)
    yield message
  }
}

const HALF = /\p{Surrogate}/u
const HALVES = /\p{Surrogate}/gu

function correct(value: object): void {
  // Sessions have lists of tens of thousands of numbers.
  if (Array.isArray(value) && typeof value[0] === 'number') return
  for (const [name, inside] of Object.entries(value)) {
    if (typeof inside === 'string') {
      if (HALF.test(inside)) (value as Record<string, unknown>)[name] = inside.replace(HALVES, '\ufffd')
    } else if (typeof inside === 'object' && inside !== null && !(inside instanceof Uint8Array))
      correct(inside)
  }
}
