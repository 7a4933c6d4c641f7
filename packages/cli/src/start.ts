// Runs one command of the process: its exit code, and its errors as messages.

import { printError } from './print/terminal.js'
import { visible } from './print/text.js'
import { isUsageError } from './usage-error.js'

/** `run` resolves to the exit code. */
export function start(run: () => Promise<number>): void {
  process.once('uncaughtException', fail)
  run().then(code => {
    process.exitCode ||= code
  }, fail)
}

function fail(error: unknown): void {
  process.exitCode ||= 1
  if (isUsageError(error)) {
    printError(`${visible(error.message)}\n`)
    return
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: '' }
  const rest = process.env.HOLDFAST_DEBUG ? `\n${stack}\n` : '\n'
  printError(`Internal error in holdfast: ${visible(message)}${rest}`)
}
