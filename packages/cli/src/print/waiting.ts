// One line on stderr for who waits: only on a terminal, only after a second, and gone when it is over.

import { printError } from './terminal.js'
import { visible } from './text.js'

const PATIENCE_MS = 1000
const CLEAR = '\r\x1b[K'

export interface Waiting {
  /** What is being done now. */
  say(text: string): void
  end(): void
}

export function waiting(): Waiting {
  if (!process.stderr.isTTY) return { say: () => {}, end: () => {} }
  let text = ''
  let shown = false
  const show = () => {
    shown = true
    printError(`${CLEAR}  ${visible(text)} \u2026`)
  }
  const timer = setTimeout(show, PATIENCE_MS)
  timer.unref()
  return {
    say(next) {
      text = next
      if (shown) show()
    },
    end() {
      clearTimeout(timer)
      if (shown) printError(CLEAR)
      shown = false
    },
  }
}
