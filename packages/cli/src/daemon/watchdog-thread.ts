// The thread of watchdog.ts. It counts its own waits instead of reading a clock: a machine that slept is not a stuck daemon.

import { workerData } from 'node:worker_threads'

const WAIT_MS = 5000
const MOST_MISSED = 3

const beats = workerData as Int32Array
const never = new Int32Array(new SharedArrayBuffer(4))

let seen = Atomics.load(beats, 0)
for (let missed = 0; missed < MOST_MISSED; ) {
  Atomics.wait(never, 0, 0, WAIT_MS)
  const now = Atomics.load(beats, 0)
  missed = now === seen ? missed + 1 : 0
  seen = now
}
process.kill(process.pid, 'SIGKILL')
