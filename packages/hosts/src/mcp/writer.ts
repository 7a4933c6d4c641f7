// Writing that waits while the other side does not read, and ends quietly when it has left.

import type { Writable } from 'node:stream'

export type Write = (data: Buffer | string) => Promise<void> | undefined

export function writerOf(stream: Writable): Write {
  let waiting: Promise<void> | undefined
  // A closed connection shows elsewhere: at the end of its input.
  stream.on('error', () => {})
  return data => {
    if (!stream.writable) return undefined
    if (stream.write(data)) return undefined
    waiting ??= new Promise(resolve => {
      const go = () => {
        for (const name of WHEN) stream.off(name, go)
        waiting = undefined
        resolve()
      }
      for (const name of WHEN) stream.once(name, go)
    })
    return waiting
  }
}

const WHEN = ['drain', 'close', 'error'] as const
