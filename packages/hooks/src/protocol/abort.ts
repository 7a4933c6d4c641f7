// Calls on the abort of a signal. Many events and hooks share the signal of a host, and one listener for each of them
// would pass the number from which Node warns of a leak.

interface Calls {
  readonly all: Set<() => void>
  readonly listener: () => void
}

const callsOf = new WeakMap<AbortSignal, Calls>()

/** Calls `stop` when the signal aborts, or now if it has. Returns the function that cancels this. */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) {
    stop()
    return () => {}
  }
  const calls = callsOf.get(signal) ?? listen(signal)
  // A new function, because the same one may be passed twice.
  const call = () => stop()
  calls.all.add(call)
  return () => {
    if (!calls.all.delete(call) || calls.all.size > 0) return
    signal.removeEventListener('abort', calls.listener)
    callsOf.delete(signal)
  }
}

/**
 * Resolves with the work, or with undefined if the signal aborts first. The work continues; its error is dropped then.
 */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  let takeBack = () => {}
  const aborted = new Promise<undefined>(resolve => {
    takeBack = onAbort(signal, () => resolve(undefined))
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    takeBack()
  }
}

/**
 * Passes the work a signal that aborts after this time, or with the other signal. Not AbortSignal.any with
 * AbortSignal.timeout: Node 20 can collect that pair as garbage, and then it never aborts.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new DOMException('It took too long.', 'TimeoutError')),
    limitMs,
  )
  const takeBack = onAbort(signal, () => controller.abort(signal?.reason))
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    takeBack()
  }
}

function listen(signal: AbortSignal): Calls {
  const all = new Set<() => void>()
  const listener = () => {
    for (const call of [...all]) call()
  }
  const calls = { all, listener }
  callsOf.set(signal, calls)
  signal.addEventListener('abort', listener, { once: true })
  return calls
}
