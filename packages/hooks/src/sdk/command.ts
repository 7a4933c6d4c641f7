// Another program, with an end: a hook that waits for ever is a hook that fails.

import type { ChildProcess } from 'node:child_process'

export interface CommandOptions {
  /** 10 seconds unless told. */
  readonly timeoutMs?: number
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** For its stdin; empty unless told. */
  readonly input?: string
}

export interface CommandResult {
  /** Null when it was ended by a signal, or could not be started. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Why it could not be started. */
  readonly error: string | null
}

/** A timer that is set for longer ends at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Of each stream this much is kept. */
const MOST = 1_048_576

/** How a host ends a hook. The group of its own, which a command has, does not hear of it. */
const ENDS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Never throws; what went wrong is in the result. At the limit the program and all it started are ended. */
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
      for (const name of ENDS) process.off(name, endWithHook)
      resolve({ code, signal, ...out, timedOut, error })
    }
    let child: ChildProcess
    const endWithHook = (signal: NodeJS.Signals) => {
      kill(child)
      process.kill(process.pid, signal)
    }
    // Before it starts: afterwards there would be a moment in which the hook ends and the command does not.
    for (const name of ENDS) process.once(name, endWithHook)
    try {
      child = spawn(command, [...args], {
        stdio: 'pipe',
        // A group of its own, so that nothing it started is left behind.
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
        out[name] = (out[name] + text).slice(0, MOST)
      })
    }
    child.once('error', problem => {
      error = problem.message
      if (child.pid === undefined) done(null, null)
    })
    child.once('exit', (code, signal) => {
      // Helpers that it left running may hold the streams open; they are not waited for.
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
      Math.min(timeoutMs, LONGEST_MS),
    )
  })
}

function kill(child: ChildProcess): void {
  try {
    process.kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL')
  } catch {
    // it has just ended by itself
  }
}
