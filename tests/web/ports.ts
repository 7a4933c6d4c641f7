// Servers of a worker listen on the port of the one before, as long as it is free: a browser keeps its process, its files
// and its compiled scripts for each origin, and a page of an origin that it knows loads in half the time.

import { setImmediate } from 'node:timers/promises'

const free: number[] = []

/** Starts a server on a port that an earlier one has left; on any other when that is taken meanwhile. */
export async function listenAgain<T>(start: (port: number) => Promise<T>): Promise<T> {
  const port = free.pop()
  if (port === undefined) return start(0)
  return start(port).catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return start(0)
    throw error
  })
}

/** For a server of this process that has closed. Returns when the clients here know that their connections are gone. */
export async function release(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  free.push(port)
}
