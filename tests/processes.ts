// Every process that a test starts ends with its test file, also if a test fails or times out; and with vitest, also
// if that is killed. A watchdog process receives the id of each, and ends them when its input closes.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/** Reads +pid and -pid; when its input ends, it kills all processes that are still listed. */
const WATCHDOG = `
const pids = new Set()
require('node:readline').createInterface({ input: process.stdin })
  .on('line', line => (line[0] === '+' ? pids.add(Number(line)) : pids.delete(-Number(line))))
  .on('close', () => { for (const pid of pids) try { process.kill(pid, 'SIGKILL') } catch {} })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
`

let watchdog: Writable | undefined
const tell = (line: string): void => {
  if (!watchdog) {
    const dog = spawn(process.execPath, ['-e', WATCHDOG], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    dog.unref()
    watchdog = dog.stdin
    // It must not keep this process alive.
    ;(watchdog as unknown as { unref(): void }).unref()
    watchdog.on('error', () => {})
  }
  watchdog.write(`${line}\n`)
}

/** A process that another process started and ends; it does not outlive this one. */
export function guard(pid: number): () => void {
  tell(`+${pid}`)
  return () => tell(`-${pid}`)
}

const running = new Set<ChildProcess>()

/** The same child, which ends with the test file at the latest. */
export function watched<T extends ChildProcess>(child: T): T {
  if (child.pid === undefined) return child
  const release = guard(child.pid)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    release()
  })
  return child
}

const PATIENCE_MS = 5000

/** Remaining processes get SIGTERM, then SIGKILL. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async child => {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      await ended
      clearTimeout(late)
    }),
  )
}

let isTied = false

/** Vitest runs tests in separate processes, which would continue without it. */
export function endWithVitest(): void {
  if (!isTied) process.once('disconnect', () => process.exit(1))
  isTied = true
}
