// Ends a daemon whose event loop does not turn, such as one that parses forever. Its callers have started Node by then, and
// the next event starts another daemon. The thread sleeps, and receives no message, so it costs no call any time.

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** Of this bundle. */
declare const __dirname: string

const BEAT_MS = 2000

export function openWatchdog(): void {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  new Worker(join(__dirname, 'watchdog-thread.cjs'), {
    workerData: beats,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  })
    .on('error', () => {})
    .unref()
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref()
}
