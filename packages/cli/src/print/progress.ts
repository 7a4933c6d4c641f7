// One line on stderr with the progress, for a user who waits. Nothing is printed to a pipe, or in the first second.

import { printError } from './terminal.js'
import { shorten, visible } from './text.js'

export interface Progress {
  say(text: string): void
  /** Removed before other output; the next update prints it again. */
  hide(): void
  end(): void
}

/** Work that takes less than a second shows no progress. */
const PATIENCE_MS = 1000
const CLEAR = '\r\x1b[K'

export function openProgress(isTerminal = process.stderr.isTTY === true): Progress {
  if (!isTerminal) return { say() {}, hide() {}, end() {} }
  let isLate = false
  let isShown = false
  let text = ''
  const show = () => {
    isShown = true
    printError(`${CLEAR}  ${shorten(visible(text), Math.max(20, (process.stderr.columns || 80) - 4))}`)
  }
  const hide = () => {
    if (isShown) printError(CLEAR)
    isShown = false
  }
  const timer = setTimeout(() => {
    isLate = true
    if (text !== '') show()
  }, PATIENCE_MS)
  timer.unref()
  return {
    say(next) {
      text = next
      if (isLate) show()
    },
    hide,
    end() {
      clearTimeout(timer)
      isLate = false
      hide()
    },
  }
}
