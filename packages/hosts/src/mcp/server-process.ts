// A server as a process: its stdin and stdout are ours, its stderr is the client's. It has a group of its own, so that
// it ends with all that it started.

import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { linesOf } from './lines.js'
import type { Ended, Server } from './server.js'
import { writerOf } from './writer.js'

/** Between the request to end and the end. */
const MERCY_MS = 500
/** A helper that keeps stdout open after the server has left is not waited for longer. */
const LAST_WORDS_MS = 500

export interface ProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

/** Rejects when the process cannot be started. */
export async function startServer({ command, args, env, cwd }: ProcessOptions): Promise<Server> {
  const onWindows = process.platform === 'win32'
  const child = spawn(onWindows ? quoted(command) : command, onWindows ? args.map(quoted) : args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: !onWindows,
    // npx and its like are scripts there, which only a shell can start.
    shell: onWindows,
    windowsHide: true,
    ...(env ? { env } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  return asServer(child as ChildProcess & { stdin: Writable; stdout: Readable })
}

function asServer(child: ChildProcess & { stdin: Writable; stdout: Readable }): Server {
  let isFinishing = false
  let isOver = false
  const timers: NodeJS.Timeout[] = []
  const later = (ms: number, work: () => void) => timers.push(setTimeout(work, ms))
  const write = writerOf(child.stdin)
  const end = () => {
    signalGroup(child, 'SIGTERM')
    later(MERCY_MS, () => signalGroup(child, 'SIGKILL'))
  }
  const ended = new Promise<Ended>(resolve => {
    child.once('exit', (code, signal) => {
      isOver = true
      const by = signal === null ? `with exit code ${code}` : `by ${signal}`
      const number = signal === null ? (code ?? 1) : 128 + (constants.signals[signal] ?? 0)
      // Processes that it left behind have lost their client as well.
      const isAlone = !signalGroup(child, 'SIGTERM')
      const limit = setTimeout(() => child.stdout.destroy(), LAST_WORDS_MS)
      child.once('close', () => {
        clearTimeout(limit)
        for (const timer of timers) clearTimeout(timer)
        if (!isAlone) signalGroup(child, 'SIGKILL')
        resolve({
          code: isFinishing && signal !== null ? 0 : number,
          words: `The MCP server ended ${by}.`,
          isCrash: !isFinishing,
        })
      })
    })
  })
  return {
    lines: linesOf(child.stdout),
    send: line => write(line),
    greeted: () => {},
    finish(patienceMs) {
      // Afterwards the number of the group may be somebody else's.
      if (isOver) return
      isFinishing = true
      child.stdin.end()
      if (patienceMs <= 0) end()
      else later(patienceMs, end)
    },
    ended,
  }
}

/** False when nobody is left in the group. */
function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (child.pid === undefined) return false
  if (process.platform === 'win32') {
    if (child.exitCode === null)
      spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' })
    return false
  }
  try {
    return process.kill(-child.pid, signal)
  } catch {
    return false
  }
}

/** For cmd.exe. */
const quoted = (word: string): string =>
  /^[\w.:\\/@=-]+$/.test(word) ? word : `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
