// How long an aborted turn waits for a tool. Most tools ignore the signal, so it does not wait. For those that handle
// it, it waits until they end, so that their processes end with the turn.

const winding = new WeakSet<object>()

/** Marks the work of a tool as ending soon after an abort. */
export function windsDown<F extends object>(execute: F): F {
  winding.add(execute)
  return execute
}

export const isWindingDown = (execute: object): boolean => winding.has(execute)

/** The work, or the reason why it is no longer awaited. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    work.catch(() => {})
  }
}
