// Starts one process and waits until it is over: by its exit, at its time limit or when the host cancels. The first
// cause counts.

import type { ChildProcess } from 'node:child_process'
import { closeSync, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onAbort } from '../protocol/abort.js'
import { clockMs } from '../protocol/clock.js'
import type { FailureCode } from '../protocol/codes.js'
import { type Exit, exitWith, type Failure, type Note } from '../protocol/run.js'
import { children } from './children.js'
import type { CommandLine } from './command.js'
import type { Input } from './input.js'
import { endGroup, finishedGroup, signalGroup, startedGroup } from './kill.js'
import { CANCELLED, overTime, startLimit } from './limit.js'
import { Collector, overflowOf, stdoutCollector } from './output.js'

export const STDERR_LIMIT = 64 * 1024

/** Turns of the event loop without a byte, after which the pipe of an ended process counts as empty. */
const IDLE_TURNS = 2
/** A child left behind may keep printing; the hook itself has ended. */
const MOST_TURNS = 64
/**
 * After the exit, for a response that another process passes on, such as the `cat` of `exec > >(cat)`. That takes about
 * 2 ms, and more on a busy machine, where looking takes longer, too. A hook that has responded is not delayed.
 */
export const LATE_LOOKS = 20
export const LOOK_MS = 5

export interface StartOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly input: Input
  readonly rank: number
  readonly platform: NodeJS.Platform
  readonly signal?: AbortSignal | undefined
}

export function start(line: CommandLine, options: StartOptions): Promise<Exit> {
  return new Promise(resolve => {
    const began = clockMs()
    const stdout = stdoutCollector()
    const stderr = new Collector(STDERR_LIMIT, 0)
    let over = false
    let ended: { code: number | null; signal: string | null } | undefined
    let endLimit = () => {}
    let stopListening = () => {}

    const finish = (code: number | null, signal: string | null, failure?: Failure) => {
      if (over) return
      over = true
      endLimit()
      stopListening()
      const durationMs = clockMs() - began
      const exit = { code, signal, stdout: stdout.text(), stderr: stderr.text(), durationMs }
      resolve(
        Object.assign(
          exit,
          stderr.count > STDERR_LIMIT && { notes: [STDERR_CUT] },
          failure && { failure },
          overflowOf(stdout),
        ),
      )
    }
    const fail = (code: FailureCode, message: string) => {
      if (over) return
      finish(null, null, { code, message })
      releaseOutput(child, true)
      if (child?.pid !== undefined) endGroup(child.pid, options.platform)
    }
    const cancel = () => fail('run/signal', CANCELLED)

    const child = open(line, options, error => finish(null, null, startFailure(error, line, options)))
    if (!child) return
    const timeOut = () => {
      if (!ended) fail('run/timeout', overTime(options.timeoutMs))
    }
    endLimit = startLimit(options.timeoutMs, timeOut)
    stopListening = onAbort(options.signal, cancel)
    if (over) return

    // A hook that prints too much is not ended: its deny may come last.
    child.stdout?.on('data', (chunk: Buffer) => stdout.take(chunk))
    child.stderr?.on('data', (chunk: Buffer) => stderr.take(chunk))

    const settle = () => {
      if (!ended || over) return
      finish(ended.code, ended.signal)
      releaseOutput(child, false)
    }
    child.once('close', finish)
    child.once('exit', (code, signal) => {
      ended = { code, signal }
      if (child.pid !== undefined && !over) finishedGroup(child.pid)
      // Another process may hold the pipe open. What the hook itself printed is already there to be read.
      let looks = 0
      let idle = 0
      let turns = 0
      let seen = stdout.count + stderr.count
      const turn = () => {
        if (over) return
        const now = stdout.count + stderr.count
        idle = now === seen ? idle + 1 : 0
        seen = now
        if (idle < IDLE_TURNS && ++turns < MOST_TURNS) setImmediate(turn)
        else if (hasResponded(code, stdout, stderr) || ++looks > LATE_LOOKS) settle()
        else setTimeout(turn, LOOK_MS)
      }
      // Nearly always all is read already, and the end of the streams settles it in the same turn.
      process.nextTick(() => {
        if (!over) setImmediate(turn)
      })
    })
  })
}

/** Whether the output can be a complete response: an object is not open, or the reason of exit code 2 is there. */
function hasResponded(code: number | null, stdout: Collector, stderr: Collector): boolean {
  if (code === 2 && stderr.count > 0) return true
  const text = stdout.text().trimEnd()
  return text.endsWith('}') && text.split('{').length === text.split('}').length
}

/** For the end of the process, when nothing can be awaited. The output is not read. */
export function startSync(line: CommandLine, options: StartOptions): Exit {
  const { cwd, env, timeoutMs, input, platform } = options
  const stdin = input.open(options.rank)
  const began = clockMs()
  const ended = (exit: Partial<Exit>) => exitWith({ ...exit, durationMs: clockMs() - began })
  try {
    const { status, signal, error, pid } = children().spawnSync(line.file, line.args, {
      cwd,
      env,
      ...(stdin === undefined ? { input: input.text } : {}),
      stdio: [stdin ?? 'pipe', 'ignore', 'ignore'],
      timeout: Math.min(timeoutMs, 2 ** 31 - 1),
      killSignal: 'SIGKILL',
      windowsHide: true,
      windowsVerbatimArguments: line.verbatim === true,
      // Its own group and session, as in `open`. The types lack the option.
      ...{ detached: platform !== 'win32' },
    })
    if (!error) return ended({ code: status, signal: signal })
    const isLate = (error as NodeJS.ErrnoException).code === 'ETIMEDOUT'
    if (!isLate) return ended({ failure: startFailure(error, line, options) })
    // No grace: the host is gone before it would end.
    signalGroup(pid, 'SIGKILL')
    return ended({ failure: { code: 'run/timeout', message: overTime(timeoutMs) } })
  } finally {
    if (stdin !== undefined) closeSync(stdin)
  }
}

function open(
  line: CommandLine,
  options: StartOptions,
  onError: (error: unknown) => void,
): ChildProcess | undefined {
  const stdin = options.input.open(options.rank)
  try {
    const child = children().spawn(line.file, line.args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [stdin ?? 'pipe', 'pipe', 'pipe'],
      // Its own group and session: no terminal, and one signal reaches all that it starts.
      detached: options.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: line.verbatim === true,
    })
    child.once('error', onError)
    if (child.pid !== undefined) startedGroup(child.pid)
    if (stdin === undefined && child.stdin) {
      // A hook need not read; its closed pipe is not an error.
      child.stdin.on('error', () => {})
      child.stdin.end(options.input.text)
    }
    return child
  } catch (error) {
    onError(error)
    return undefined
  } finally {
    if (stdin !== undefined) closeSync(stdin)
  }
}

/**
 * A hook that succeeded may leave helpers running on purpose: their output is read and dropped, so that a closed pipe
 * does not end them, and they do not keep the host alive. Helpers of a failed hook are ended.
 */
function releaseOutput(child: ChildProcess | undefined, destroy: boolean): void {
  for (const stream of [child?.stdout, child?.stderr]) {
    if (!stream || stream.destroyed) continue
    stream.removeAllListeners('data')
    stream.on('error', () => {})
    if (destroy) stream.destroy()
    else {
      stream.resume()
      ;(stream as { unref?: () => void }).unref?.()
    }
  }
  child?.unref()
}

export const STDERR_CUT: Note = Object.freeze({
  code: 'note/stderr-cut',
  message: 'Only the first part of stderr is kept.',
})

const isInPath = (file: string, env: NodeJS.ProcessEnv): boolean =>
  file.includes('/') || (env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, file)))

export function startFailure(
  error: unknown,
  line: CommandLine,
  { cwd, env }: Pick<StartOptions, 'cwd' | 'env'>,
): Failure {
  const { code, message } = error as NodeJS.ErrnoException
  // The system reports "not found" for the folder and for the program alike.
  if (!existsSync(cwd)) return { code: 'run/bad-folder', message: `The folder ${cwd} does not exist.` }
  if (code === 'ENOENT') return { code: 'run/not-found', message: `${line.file} was not found from ${cwd}.` }
  // The system reports a folder of PATH that may not be read, although the program does not exist.
  if (code === 'EACCES' && !isInPath(line.file, env)) {
    return { code: 'run/not-found', message: `${line.file} was not found.` }
  }
  if (code === 'EACCES') return { code: 'run/not-executable', message: `${line.file} could not be executed.` }
  return { code: 'run/spawn', message: `It could not be started: ${message}` }
}
