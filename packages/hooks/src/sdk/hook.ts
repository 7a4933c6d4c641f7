// The entry point of a hook program: read stdin, respond once, exit.

import { fstatSync, readSync, writeSync } from 'node:fs'
import {
  createProgram,
  describeError,
  type Handlers,
  type HookOptions,
  type HookProgram,
  type ProgramResult,
} from './program.js'

/** Set by the test kit: a program that a test imports must not wait for stdin. */
const TESTING = Symbol.for('holdfast.testing')

/** Declares the events that a program handles. The program starts when its file has been loaded. */
export function hook(handlers: Handlers, options?: HookOptions): HookProgram {
  const program = createProgram(handlers, options)
  if (isTesting()) return program
  const end = endOnce()
  // A monitor, not a handler: a test that loads the kit later still gets its own errors.
  process.once('uncaughtExceptionMonitor', error => {
    if (!isTesting()) end(program.fail(`the program failed: ${describeError(error)}`), error)
  })
  // The handler ended the process, or waits for something that never happens.
  process.once('exit', () => {
    if (!isTesting() && !hasBlockCode()) end(program.fail('the program ended before it responded.'))
  })
  setImmediate(() => {
    if (!isTesting()) void respond(program, end)
  })
  return program
}

const BLOCK_EXIT = 2

/** Exit code 2 is a deny of the author, whatever is printed. Node also accepts it as a string. */
const hasBlockCode = (): boolean => Number(process.exitCode) === BLOCK_EXIT

const isDeny = ({ permission, continue: goesOn }: ProgramResult['response']) =>
  permission === 'deny' || goesOn === false

const isTesting = (): boolean => Boolean((globalThis as Record<symbol, unknown>)[TESTING])

type End = (result: ProgramResult, error?: unknown) => void

/** Prints the result and exits. Only the first call has an effect. */
function endOnce(): End {
  let hasEnded = false
  return ({ response, problem }, error) => {
    if (hasEnded) return
    hasEnded = true
    if (problem !== null) write(2, `${problem}\n`)
    if (error instanceof Error && process.env.HOLDFAST_DEBUG) write(2, `${error.stack}\n`)
    // Other agents ignore hook_error; Holdfast records the run as failed.
    const printed = problem === null ? response : { ...response, hook_error: problem }
    const isWritten = write(1, `${JSON.stringify(printed)}\n`)
    // A deny that cannot be written is expressed by the exit code.
    const blocks = hasBlockCode() || (!isWritten && isDeny(response))
    process.exit(blocks ? BLOCK_EXIT : isWritten ? 0 : 1)
  }
}

async function respond(program: HookProgram, end: End): Promise<void> {
  // Output of a handler must not mix with the response. The getter avoids opening the stream, which takes 1 ms.
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr })
  // A console that has printed before keeps its stream here.
  Object.defineProperty(console, '_stdout', { configurable: true, get: () => process.stderr })
  try {
    end(await program.respondTo(await readStdin()))
  } catch (error) {
    end(program.fail(`stdin could not be read: ${describeError(error)}`), error)
  }
}

/** Reads synchronously where possible: loading streams takes longer than most hooks run. */
async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 65_536
  try {
    const stats = fstatSync(0)
    if (stats.isFile()) size = Math.max(size, stats.size + 1)
    if (process.platform === 'win32' && !stats.isFile()) return await readStream(chunks)
    for (;;) {
      const chunk = Buffer.allocUnsafe(size)
      const length = readSync(0, chunk)
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(chunk.subarray(0, length))
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EOF') return Buffer.concat(chunks).toString('utf8')
    if (code !== 'EAGAIN') throw error
    // stdin is non-blocking: the stream reads the rest.
    return readStream(chunks)
  }
}

async function readStream(chunks: Buffer[]): Promise<string> {
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Writes synchronously, so that nothing is lost when the process exits. Returns whether all of it was written. */
function write(fd: number, text: string): boolean {
  let bytes = Buffer.from(text)
  const deadline = Date.now() + 5000
  while (bytes.length > 0 && Date.now() < deadline) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      // A full pipe is retried.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false
    }
  }
  return bytes.length === 0
}
