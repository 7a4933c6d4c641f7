// The entry of a hook program: read stdin, answer once, end.

import { fstatSync, readSync, writeSync } from 'node:fs'
import { type Handlers, type HookOptions, type HookProgram, programOf, type Spoken, said } from './program.js'

/** The test kit sets it: a program that a test imports must not wait for a payload. */
const TESTING = Symbol.for('holdfast.testing')

/** Names the events that a program handles. The program starts by itself as soon as its file has been read. */
export function hook(handlers: Handlers, options?: HookOptions): HookProgram {
  const program = programOf(handlers, options)
  if (isTesting()) return program
  const end = ending()
  // From here on, also for what fails below in its own file. To watch is enough: a test that loads the kit later must
  // not lose its own errors.
  process.once('uncaughtExceptionMonitor', error => {
    if (!isTesting()) end(program.giveUp(`the program failed: ${said(error)}`), error)
  })
  // The handler ended the process, or waited for something that never came. Exit code 2 is a deny of its own.
  process.once('exit', code => {
    if (!isTesting() && code !== BLOCK_EXIT) end(program.giveUp('the program ended before it had answered.'))
  })
  setImmediate(() => {
    if (!isTesting()) void serve(program, end)
  })
  return program
}

const BLOCK_EXIT = 2
const isDeny = ({ permission, continue: goesOn }: Spoken['answer']) =>
  permission === 'deny' || goesOn === false

const isTesting = (): boolean => Boolean((globalThis as Record<symbol, unknown>)[TESTING])

type End = (spoken: Spoken, error?: unknown) => void

/** Answers and ends the process, the first time that it is called. */
function ending(): End {
  let isOver = false
  return ({ answer, problem }, error) => {
    if (isOver) return
    isOver = true
    if (problem !== null) write(2, `${problem}\n`)
    if (error instanceof Error && process.env.HOLDFAST_DEBUG) write(2, `${error.stack}\n`)
    // Agents ignore the second field; Holdfast records the run as failed.
    const printed = problem === null ? answer : { ...answer, hook_error: problem }
    const isWritten = write(1, `${JSON.stringify(printed)}\n`)
    // The handler may have set it. A deny that cannot be written is expressed by it, too.
    const blocks = process.exitCode === BLOCK_EXIT || (!isWritten && isDeny(answer))
    process.exit(blocks ? BLOCK_EXIT : isWritten ? 0 : 1)
  }
}

async function serve(program: HookProgram, end: End): Promise<void> {
  // What a handler prints would spoil the answer. Not by touching the stream: to open it takes a millisecond.
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr })
  // Who has printed before keeps the stream that it had then.
  Object.defineProperty(console, '_stdout', { configurable: true, get: () => process.stderr })
  try {
    end(await program.answerTo(await readAll()))
  } catch (error) {
    end(program.giveUp(`stdin could not be read: ${said(error)}`), error)
  }
}

/** Without streams where it can be: they cost a hook more than its own work. */
async function readAll(): Promise<string> {
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
    // Somebody made it non-blocking; what is there already has been read.
    return readStream(chunks)
  }
}

async function readStream(chunks: Buffer[]): Promise<string> {
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** All of it, at once: nothing is left to be lost when the process ends. Says whether it was taken. */
function write(fd: number, text: string): boolean {
  let bytes = Buffer.from(text)
  const until = Date.now() + 5000
  while (bytes.length > 0 && Date.now() < until) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      // Full for a moment; anything else cannot be mended from here.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false
    }
  }
  return bytes.length === 0
}
