// Shell: one command in its own process group, ended completely at its time limit or when the turn is aborted.

import { spawn } from 'node:child_process'
import { tool } from 'ai'
import type { ToolExecutionOptions } from '../agent/tool-call.js'
import { ToolTimeoutError } from '../agent/tool-errors.js'
import { windsDown } from '../agent/until-aborted.js'
import { Bounded } from './bounded.js'
import { insideWorkspace } from './files.js'
import { inputOf, maybe, text, whole } from './input.js'
import { endGroup, finishedGroup, startedGroup } from './process-group.js'

const DEFAULT_MS = 120_000
const LONGEST_MS = 600_000
const PIPES_MS = 500

export interface ShellOutput {
  readonly output: string
  /** Null if a signal ended it. */
  readonly exitCode: number | null
}

interface ShellInput {
  readonly command: string
  readonly cwd?: string | undefined
  readonly timeout?: number | undefined
}

export const shellTool = (workspace: string, env: NodeJS.ProcessEnv) =>
  tool({
    description:
      'Runs a command in a shell, in the workspace, and returns what it printed and its exit code.',
    inputSchema: inputOf({
      command: text('The command.'),
      cwd: maybe(text('Folder to run it in; the workspace when absent.')),
      timeout: maybe(
        whole(`Milliseconds until it is stopped; ${DEFAULT_MS} when absent, at most ${LONGEST_MS}.`),
      ),
    }),
    execute: windsDown(
      async ({ command, cwd, timeout }: ShellInput, { abortSignal }: ToolExecutionOptions) => {
        const folder = await insideWorkspace(workspace, cwd ?? '.')
        const limitMs = Math.min(timeout || DEFAULT_MS, LONGEST_MS)
        return runShell(command, { folder, env, limitMs, signal: abortSignal })
      },
    ),
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
    startedGroup(child)
    const printed = new Bounded()
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => printed.add(chunk))
    }
    const leave = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    let isStopped = false
    // The result is reported after the group has ended.
    const end = (error: () => unknown) => {
      isStopped = true
      leave()
      void endGroup(child).then(() => reject(error()))
    }
    const onAbort = () => end(() => signal?.reason)
    const timer = setTimeout(() => {
      end(() => {
        const said = printed.toString()
        const words = `The command did not end within ${limitMs} ms and was stopped.`
        return new ToolTimeoutError(said ? `${words} It had printed:\n${said}` : words)
      })
    }, limitMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    child.on('error', error => {
      leave()
      reject(error)
    })
    // A background process keeps the pipes open; the command has ended when it exits.
    child.on('exit', exitCode => {
      if (isStopped) return
      finishedGroup(child)
      const done = () => {
        leave()
        resolve({ output: printed.toString(), exitCode })
      }
      const late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        done()
      }, PIPES_MS)
      child.on('close', () => {
        clearTimeout(late)
        done()
      })
    })
  })
}
