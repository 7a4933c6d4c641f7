// Remembering waits until the verdict has been handed over: nobody should wait for the log. What waits is written
// at the next turn of the event loop, when somebody asks for the log, and at the end of the process.

import type { Event } from '../protocol/run.js'
import type { Verdict } from '../protocol/verdict.js'
import type { Recorder } from './record.js'

/** A host that never comes back to its event loop must not fill the memory. */
const MOST_WAITING = 64

export interface Later {
  add(event: Event, verdict: Verdict): void
  flush(): void
  close(): void
}

export function recordLater(recorder: Recorder): Later {
  let waiting: { event: Event; verdict: Verdict }[] = []
  const flush = () => {
    const now = waiting
    waiting = []
    for (const { event, verdict } of now) recorder.record(event, verdict)
  }
  let watchesExit = false
  return {
    add(event, verdict) {
      if (!watchesExit) {
        watchesExit = true
        process.on('exit', flush)
      }
      if (waiting.push({ event, verdict }) === 1) setImmediate(flush)
      else if (waiting.length >= MOST_WAITING) flush()
    },
    flush,
    close() {
      flush()
      process.off('exit', flush)
    },
  }
}
