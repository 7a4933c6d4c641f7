// How long an aborted turn waits for a tool: not at all, since most do not look at the signal; until the end for those
// that do, so that what they started is over when the turn is.

const winding = new WeakSet<object>()

/** Says of a tool's work that it comes to its own end, soon, when the signal aborts. */
export function windsDown<F extends object>(execute: F): F {
  winding.add(execute)
  return execute
}

export const isWindingDown = (execute: object): boolean => winding.has(execute)

/** The work, or the reason why nobody waits for it any longer. */
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
