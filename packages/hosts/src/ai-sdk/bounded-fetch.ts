// The SDK reads a response of up to two gigabytes and follows redirects. A yes or no needs neither.

import { PromptError } from './explain.js'

type Fetch = typeof globalThis.fetch

export const MAX_REPLY_BYTES = 1024 * 1024

export function boundedFetch(inner: Fetch, maxBytes = MAX_REPLY_BYTES): Fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: 'manual' })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      // On a redirect to another host fetch removes Authorization, but not the header with Anthropic's key.
      throw new PromptError(
        `the model's address answered ${response.status}, a redirect, which is not followed because it would receive the key: set HOLDFAST_MODEL_URL to the final address`,
      )
    }
    if (response.body === null) return response
    return new Response(response.body.pipeThrough(counter(maxBytes)), response)
  }
}

// Counts after decompression, so a small reply cannot unfold into a large one. Failing the transform cancels the
// body it reads from, which closes the socket.
function counter(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= maxBytes) controller.enqueue(chunk)
      else controller.error(new PromptError(`the reply is larger than ${maxBytes} bytes`))
    },
  })
}
