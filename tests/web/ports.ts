// Reuses ports between the servers of a worker. The browser caches processes, files and compiled scripts by origin, so a
// page of a known origin loads in half the time.

import { setImmediate } from 'node:timers/promises'

const free: number[] = []

/** Starts a server on a released port, or on any other if that one is taken. */
export async function listenAgain<T>(start: (port: number) => Promise<T>): Promise<T> {
  const port = free.pop()
  return port === undefined ? start(0) : start(port).catch(() => start(0))
}

/** Releases the port of a closed server, once the clients in this process have seen their connections close. */
export async function release(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  free.push(port)
}
