// Half a letter, as a command that was cut may hold, is no text to protobuf: one of them would cost a page its whole
// list. Every answer is mended on its way out.

import type { Interceptor } from '@connectrpc/connect'

export const wellFormed: Interceptor = next => async request => {
  const response = await next(request)
  if (response.stream) return { ...response, message: eachMended(response.message) }
  mend(response.message)
  return response
}

async function* eachMended<Message extends object>(messages: AsyncIterable<Message>) {
  for await (const message of messages) {
    mend(message)
    yield message
  }
}

const HALF = /\p{Surrogate}/u
const HALVES = /\p{Surrogate}/gu

function mend(value: object): void {
  // Sessions have lists of ten thousands of numbers.
  if (Array.isArray(value) && typeof value[0] === 'number') return
  for (const [name, inside] of Object.entries(value)) {
    if (typeof inside === 'string') {
      if (HALF.test(inside)) (value as Record<string, unknown>)[name] = inside.replace(HALVES, '\ufffd')
    } else if (typeof inside === 'object' && inside !== null && !(inside instanceof Uint8Array)) mend(inside)
  }
}
