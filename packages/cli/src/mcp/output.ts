// Where the client reads. Node writes to a pipe without letting anything else happen until it is read; a client that
// waits for us to read first would wait for ever. So the pipe gets a stream that can wait.

import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

export function clientOutput(): Writable {
  const stats = fstatSync(1)
  return stats.isFIFO() || stats.isSocket()
    ? new Socket({ fd: 1, readable: false, writable: true })
    : process.stdout
}
