// The user is asked one question at a time: with two open, a yes may be meant for the other one.

import { onAbort } from '../protocol/abort.js'

/** True only when the answer is a clear yes. False when the signal aborts first. */
export type Ask = (question: () => boolean | Promise<boolean>, signal?: AbortSignal) => Promise<boolean>

export function questionLine(): Ask {
  let last: Promise<unknown> = Promise.resolve()
  return async (question, signal) => {
    const before = last
    const answer = orAborted(
      before.then(() => !signal?.aborted && question()),
      signal,
    )
    // A question that was aborted does not let the next one start before its turn.
    last = Promise.allSettled([before, answer]).then(() => {})
    return (await answer) === true
  }
}

async function orAborted(answer: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  let forgetSignal = () => {}
  const aborted = new Promise<false>(resolve => {
    forgetSignal = onAbort(signal, () => resolve(false))
  })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    forgetSignal()
    answer.catch(() => {})
  }
}
