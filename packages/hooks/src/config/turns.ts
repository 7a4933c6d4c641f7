// Divides long work into turns of the event loop. Files of an untrusted project must not block the host.

import { clockMs } from '../protocol/clock.js'

const TURN_MS = 8

export class Turns {
  private began = clockMs()

  /** Call between two short pieces of work. */
  async giveWay(): Promise<void> {
    if (clockMs() - this.began < TURN_MS) return
    await new Promise(resolve => setImmediate(resolve))
    this.began = clockMs()
  }
}
