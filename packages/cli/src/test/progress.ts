// How far it is, for a person who has waited a second. On a terminal only, and gone before anything else is printed.

import { writeSync } from 'node:fs'

export interface Progress {
  count(): void
  clear(): void
  close(): void
}

const PATIENCE_MS = 1_000
const AGAIN_MS = 200

export function openProgress(total: number): Progress {
  if (process.stderr.isTTY !== true) return { count: () => {}, clear: () => {}, close: () => {} }
  const began = performance.now()
  let done = 0
  let isShown = false
  const clear = () => {
    if (isShown) write('\r\x1b[2K')
    isShown = false
  }
  const timer = setInterval(() => {
    if (performance.now() - began < PATIENCE_MS || done === total) return
    write(`\r\x1b[2K  ${done} of ${total} cases done`)
    isShown = true
  }, AGAIN_MS)
  return {
    count: () => {
      done++
    },
    clear,
    close: () => {
      clearInterval(timer)
      clear()
    },
  }
}

function write(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // Nobody looks.
  }
}
