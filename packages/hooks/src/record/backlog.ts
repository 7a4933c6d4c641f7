// Records are written after the verdict was returned, so that the host does not wait for the log: at the next turn of the
// event loop, when the host reads the log, and at the end of the process.

import type { Issue } from '../protocol/config.js'
import type { TimedEvent } from '../protocol/run.js'
import type { Verdict } from '../protocol/verdict.js'
import type { Recorder } from './record.js'

/** Bounds the memory of a host that does not return to its event loop. */
const MOST_WAITING = 64

export interface Backlog {
  add(event: TimedEvent, verdict: Verdict, issues?: readonly Issue[]): void
  flush(): void
  close(): void
}

export function openBacklog(recorder: Recorder): Backlog {
  let waiting: { event: TimedEvent; verdict: Verdict; issues: readonly Issue[] }[] = []
  const flush = () => {
    const now = waiting
    waiting = []
    for (const { event, verdict, issues } of now) recorder.record(event, verdict, issues)
  }
  return {
    add(event, verdict, issues = []) {
      flushAtExit(flush)
      if (waiting.push({ event, verdict, issues }) === 1) setImmediate(flush)
      else if (waiting.length >= MOST_WAITING) flush()
    },
    flush,
    close() {
      flush()
      cancelAtExit(flush)
    },
  }
}

/** The engines of the process share one exit listener. */
const atExit = new Set<() => void>()
const flushAll = () => {
  for (const flush of atExit) flush()
}

function flushAtExit(flush: () => void): void {
  if (atExit.size === 0) process.on('exit', flushAll)
  atExit.add(flush)
}

function cancelAtExit(flush: () => void): void {
  if (atExit.delete(flush) && atExit.size === 0) process.off('exit', flushAll)
}
