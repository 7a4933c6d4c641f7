// Records are written after the verdict was returned, so that no event waits for the log: at the next turn of the event
// loop, when the log is read, and at the end of the process.

import type { Event } from '../protocol/run.js'
import type { Verdict } from '../protocol/verdict.js'
import type { Recorder } from './record.js'

/** Bounds the memory of a host that does not return to its event loop. */
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
  return {
    add(event, verdict) {
      flushAtExit(flush)
      if (waiting.push({ event, verdict }) === 1) setImmediate(flush)
      else if (waiting.length >= MOST_WAITING) flush()
    },
    flush,
    close() {
      flush()
      atExit.delete(flush)
    },
  }
}

/** One exit listener for all engines of the process. */
const atExit = new Set<() => void>()
let isListening = false

function flushAtExit(flush: () => void): void {
  atExit.add(flush)
  if (isListening) return
  isListening = true
  process.on('exit', () => {
    for (const each of atExit) each()
  })
}
