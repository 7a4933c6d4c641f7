// One line on stderr that says how far it is, for a person who waits. Whoever pipes or does not wait sees nothing.

import { printError } from './terminal.js'
import { shorten, visible } from './text.js'

export interface Progress {
  say(text: string): void
  /** Takes the line away. */
  end(): void
}

/** What is done within a second needs no words. */
const PATIENCE_MS = 1000
const CLEAR = '\r\x1b[K'

export function openProgress(isTerminal = process.stderr.isTTY === true): Progress {
  if (!isTerminal) return { say() {}, end() {} }
  let shown = false
  let text = ''
  const show = () => {
    shown = true
    printError(`${CLEAR}  ${shorten(visible(text), Math.max(20, (process.stderr.columns || 80) - 4))}`)
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
