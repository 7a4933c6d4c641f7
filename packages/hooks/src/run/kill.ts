// Ends a hook with everything it started. The verdict never waits for this.

import { win32 } from 'node:path'
import { clockMs } from '../protocol/clock.js'

const GRACE_MS = 500
const LOOK_MS = 20

/** Groups that were started and not yet seen to be over. */
const living = new Set<number>()
let watchesExit = false

export function startedGroup(pid: number): void {
  living.add(pid)
  if (watchesExit) return
  watchesExit = true
  // A host that leaves in the middle of an event must not leave its hooks behind.
  process.on('exit', () => {
    for (const group of living) signalGroup(group, 'SIGKILL')
  })
}

/** The hook ended by itself. What it left running on purpose may go on. */
export function finishedGroup(pid: number): void {
  living.delete(pid)
}

/** SIGTERM now, SIGKILL after a grace. Looks at the group itself: a signal that was sent says nothing about it. */
export function endGroup(pid: number, platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    void endWindowsTree(pid)
    living.delete(pid)
    return
  }
  if (!signalGroup(pid, 'SIGTERM')) {
    living.delete(pid)
    return
  }
  const deadline = clockMs() + GRACE_MS
  const look = setInterval(() => {
    const over = clockMs() >= deadline
    if (signalGroup(pid, over ? 'SIGKILL' : 0) && !over) return
    clearInterval(look)
    living.delete(pid)
  }, LOOK_MS)
}

/** False when nobody is left in the group. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

export const taskkill = (pid: number, systemRoot: string | undefined) => ({
  file: win32.join(systemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe'),
  args: ['/pid', String(pid), '/t', '/f'],
})

async function endWindowsTree(pid: number): Promise<void> {
  const { spawn } = await import('node:child_process')
  const { file, args } = taskkill(pid, process.env.SystemRoot)
  spawn(file, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {})
}
