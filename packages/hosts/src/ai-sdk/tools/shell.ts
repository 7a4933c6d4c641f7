// Shell: one command in a process group of its own, ended as a whole at its time limit or when the turn is aborted.

import { type ChildProcess, spawn } from 'node:child_process'
import { tool } from 'ai'
import { ToolTimeoutError } from '../agent/tool-errors.js'
import { Bounded } from './bounded.js'
import { insideWorkspace } from './files.js'
import { inputOf, maybe, text, whole } from './input.js'

const DEFAULT_MS = 120_000
const LONGEST_MS = 600_000
const GRACE_MS = 500

export interface ShellOutput {
  readonly output: string
  /** Null when a signal ended it. */
  readonly exitCode: number | null
}

export const shellTool = (workspace: string, env: NodeJS.ProcessEnv) =>
  tool({
    description:
      'Runs a command in a shell, in the workspace, and returns what it printed and its exit code.',
    inputSchema: inputOf({
      command: text('The command.'),
      cwd: maybe(text('Folder to run it in; the workspace when absent.')),
      timeout: maybe(
        whole(`Milliseconds until it is ended; ${DEFAULT_MS} when absent, at most ${LONGEST_MS}.`),
      ),
    }),
    execute: async ({ command, cwd, timeout }, { abortSignal }) => {
      const folder = await insideWorkspace(workspace, cwd ?? '.')
      const limitMs = Math.min(timeout || DEFAULT_MS, LONGEST_MS)
      return runShell(command, { folder, env, limitMs, signal: abortSignal })
    },
  })

interface RunOptions {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly limitMs: number
  readonly signal: AbortSignal | undefined
}

function runShell(command: string, { folder, env, limitMs, signal }: RunOptions): Promise<ShellOutput> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const isWindows = process.platform === 'win32'
    const [file, args] = isWindows
      ? (['powershell.exe', ['-NoProfile', '-Command', command]] as const)
      : (['/bin/sh', ['-c', command]] as const)
    const child = spawn(file, args, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: !isWindows,
    })
    const printed = new Bounded()
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => printed.add(chunk))
    }
    const leave = (finish: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      finish()
    }
    const onAbort = () => {
      endTree(child)
      leave(() => reject(signal?.reason))
    }
    const timer = setTimeout(() => {
      endTree(child)
      const said = printed.toString()
      const words = `The command did not end within ${limitMs} ms and was stopped.`
      leave(() => reject(new ToolTimeoutError(said ? `${words} It had printed:\n${said}` : words)))
    }, limitMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    child.on('error', error => leave(() => reject(error)))
    // A helper that was left running keeps the pipes open; the command itself is over when it exits.
    child.on('exit', exitCode => {
      const done = () => leave(() => resolve({ output: printed.toString(), exitCode }))
      const late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        done()
      }, GRACE_MS)
      child.on('close', () => {
        clearTimeout(late)
        done()
      })
    })
  })
}

function endTree(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => {})
    return
  }
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal)
    } catch {
      // It is over.
    }
  }
  signalGroup('SIGTERM')
  setTimeout(() => signalGroup('SIGKILL'), GRACE_MS)
}
