// `run:` in a session: a command of the test, in the workspace of the case.

import { spawn } from 'node:child_process'
import type { CaseFolders } from './stage.js'

const LIMIT_MS = 60_000
const MOST_OUTPUT = 64 * 1024

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly output: string
}

export function runCommand(command: string, stage: CaseFolders, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const isWindows = process.platform === 'win32'
    const child = spawn(command, {
      shell: true,
      cwd: stage.root,
      env: stage.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that its children end with it.
      detached: !isWindows,
    })
    let output = ''
    const take = (chunk: Buffer) => {
      if (output.length < MOST_OUTPUT) output += chunk.toString('utf8')
    }
    const end = () => {
      try {
        if (isWindows) child.kill('SIGKILL')
        else process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
    const timer = setTimeout(end, LIMIT_MS)
    signal.addEventListener('abort', end, { once: true })
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', reject)
    child.once('exit', code => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      // A server that it left running serves the rest of the case, and is ended then.
      if (isRunning(child.pid!)) stage.atClose(end)
      // Its output arrives within a moment; the output of a remaining server is not awaited.
      const wait = setTimeout(done, 100)
      child.once('close', done)
      function done() {
        clearTimeout(wait)
        child.stdout.destroy()
        child.stderr.destroy()
        resolve({ code, output: output.slice(0, MOST_OUTPUT) })
      }
    })
  })
}

/** Whether a process of the group is alive. */
function isRunning(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}
