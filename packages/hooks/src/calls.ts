// The calls of the host that have not returned. Closing the engine cancels them and waits for them.

import { onAbort } from './protocol/abort.js'

export class Calls {
  private readonly closing = new AbortController()
  private readonly pending = new Set<Promise<unknown>>()

  constructor() {
    // Keeps the one listener of the signal, which each call would otherwise add and remove.
    onAbort(this.closing.signal, () => {})
  }

  get isClosed(): boolean {
    return this.closing.signal.aborted
  }

  /** Gives the work a signal that aborts with that of the host, and when the engine is closed. */
  run<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = given ? new AbortController() : this.closing
    const abort = () => controller.abort(given?.reason)
    const takeBack = given ? [onAbort(given, abort), onAbort(this.closing.signal, abort)] : []
    const call = work(controller.signal)
    this.pending.add(call)
    const end = () => {
      this.pending.delete(call)
      for (const each of takeBack) each()
    }
    call.then(end, end)
    return call
  }

  /** Cancels all calls at once; resolves when they have returned. */
  async close(): Promise<void> {
    this.closing.abort()
    while (this.pending.size > 0) await Promise.allSettled(this.pending)
  }
}
