// The time limit of a run, and the messages of runs that were ended.

export const CANCELLED = 'The host cancelled the event.'

export const overTime = (ms: number): string =>
  `It did not finish within ${ms / 1000} ${ms === 1000 ? 'second' : 'seconds'}.`

/** Of the event loop. One reads 64 KiB of a pipe or socket. */
const TURNS = 16

/**
 * Calls `end` after this time; returns the function that prevents it. After a host was busy past the limit, timers fire
 * before the output that arrived in time is read, so that output is read first.
 */
export function startLimit(ms: number, end: () => void): () => void {
  let isEnded = false
  const wait = (turns: number): void => {
    if (isEnded) return
    if (turns === 0) end()
    else setImmediate(wait, turns - 1)
  }
  const timer = setTimeout(wait, Math.min(ms, 2 ** 31 - 1), TURNS)
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}
