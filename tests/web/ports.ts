// Servers of a worker listen on the port of the one before, as long as it is free: a browser keeps its process, its files
// and its compiled scripts for each origin, and a page of an origin that it knows loads in half the time.

import { setImmediate } from 'node:timers/promises'

const free: number[] = []

/** Starts a server on a port that an earlier one has left; on any other when that cannot be had any more. */
export async function listenAgain<T>(start: (port: number) => Promise<T>): Promise<T> {
  const port = free.pop()
  return port === undefined ? start(0) : start(port).catch(() => start(0))
}

/** For a server of this process that has closed. Returns when the clients here know that their connections are gone. */
export async function release(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  free.push(port)
}
