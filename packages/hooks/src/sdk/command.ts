// Runs another program with a time limit, so that a hook does not wait forever.

import type { ChildProcess } from 'node:child_process'

export interface CommandOptions {
  /** (default: 10,000) */
  readonly timeoutMs?: number
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** Written to its stdin (default: empty). */
  readonly input?: string
}

export interface CommandResult {
  /** Null if a signal ended it, or if it could not be started. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Why it could not be started. */
  readonly error: string | null
}

/** Node fires a timer at once if its delay is longer. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Characters that are kept of each stream. */
const MAX_OUTPUT = 1_048_576

/** Signals that end a hook. They do not reach the command, which has its own process group. */
const END_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Never throws; the result has the error. At the time limit, kills the program and all processes it started. */
export async function runCommand(
  command: string,
  args: readonly string[] = [],
  { timeoutMs = 10_000, cwd, env, input = '' }: CommandOptions = {},
): Promise<CommandResult> {
  const { spawn } = await import('node:child_process')
  return new Promise(resolve => {
    const out = { stdout: '', stderr: '' }
    let timedOut = false
    let error: string | null = null
    let timer: NodeJS.Timeout | undefined
    const done = (code: number | null, signal: string | null) => {
      clearTimeout(timer)
      for (const name of END_SIGNALS) process.off(name, endWithHook)
      resolve({ code, signal, ...out, timedOut, error })
    }
    let child: ChildProcess
    const endWithHook = (signal: NodeJS.Signals) => {
      kill(child)
      process.kill(process.pid, signal)
    }
    // Registered before the start, so that no signal ends the hook without the command.
    for (const name of END_SIGNALS) process.once(name, endWithHook)
    try {
      child = spawn(command, [...args], {
        stdio: 'pipe',
        // Its own process group, so that its child processes can be killed with it.
        detached: process.platform !== 'win32',
        ...(cwd === undefined ? {} : { cwd }),
        ...(env === undefined ? {} : { env }),
      })
    } catch (problem) {
      error = (problem as Error).message
      done(null, null)
      return
    }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]!.setEncoding('utf8').on('data', (text: string) => {
        out[name] = (out[name] + text).slice(0, MAX_OUTPUT)
      })
    }
    child.once('error', problem => {
      error = problem.message
      if (child.pid === undefined) done(null, null)
    })
    child.once('exit', (code, signal) => {
      // Background processes may keep the streams open; their output is not awaited.
      setTimeout(
        () => done(code, signal),
        child.stdout!.readableEnded && child.stderr!.readableEnded ? 0 : 50,
      )
    })
    child.once('close', done)
    child.stdin!.on('error', () => {}).end(input)
    timer = setTimeout(
      () => {
        timedOut = true
        kill(child)
      },
      Math.min(timeoutMs, MAX_DELAY_MS),
    )
  })
}

function kill(child: ChildProcess): void {
  try {
    process.kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
