// A person is asked one thing at a time: with two questions open, a yes may be meant for the other one.

/** True only when the answer is a clear yes; false, too, when the signal says that nobody wants to know any more. */
export type Ask = (question: () => boolean | Promise<boolean>, signal?: AbortSignal) => Promise<boolean>

export function questionLine(): Ask {
  let last: Promise<unknown> = Promise.resolve()
  return async (question, signal) => {
    const before = last
    const answer = orAborted(
      before.then(() => !signal?.aborted && question()),
      signal,
    )
    // Who leaves the line early does not let the next one in before it is free.
    last = Promise.allSettled([before, answer]).then(() => {})
    return (await answer) === true
  }
}

async function orAborted(answer: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return answer
  let stop = () => {}
  const aborted = new Promise<false>(resolve => {
    stop = () => resolve(false)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    answer.catch(() => {})
  }
}
