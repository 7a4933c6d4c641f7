// The output to the client. Node writes to a pipe synchronously, which would block forever if the client waits for a
// read first. A socket stream on the pipe waits without blocking.

import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

export function clientOutput(): Writable {
  const stats = fstatSync(1)
  return stats.isFIFO() || stats.isSocket()
    ? new Socket({ fd: 1, readable: false, writable: true })
    : process.stdout
}
