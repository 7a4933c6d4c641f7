// Calls functions of the host that have no part in the work of the engine: their errors must not reach it.

/**
 * Returns what the call returns, or undefined if it throws. A promise that rejects counts as well: an unhandled rejection
 * would end the process of the host.
 */
export function callListener<T>(call: () => T, onError: (error: unknown) => void = () => {}): T | undefined {
  try {
    const result = call()
    if (result instanceof Promise) result.catch(onError)
    return result
  } catch (error) {
    onError(error)
    return undefined
  }
}
