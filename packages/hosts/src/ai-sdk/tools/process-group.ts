// A command with everything that it started: ended as a whole, and never left behind.

import { type ChildProcess, spawn } from 'node:child_process'

const GRACE_MS = 500
const LOOK_MS = 20

const living = new Set<number>()
let watchesExit = false

/** Of a child that leads a group of its own. */
export function startedGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  living.add(pid)
  if (watchesExit) return
  watchesExit = true
  process.on('exit', () => {
    for (const group of living) signalGroup(group, 'SIGKILL')
  })
}

/** The command is over. What it left running on purpose may go on. */
export function finishedGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) living.delete(pid)
}

/** SIGTERM, and SIGKILL after a grace. Resolves when nobody is left. */
export async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  if (process.platform === 'win32') return endWindowsTree(pid)
  const deadline = performance.now() + GRACE_MS
  let isThere = signalGroup(pid, 'SIGTERM')
  while (isThere) {
    await new Promise(wait => setTimeout(wait, LOOK_MS))
    const isLate = performance.now() >= deadline
    isThere = signalGroup(pid, isLate ? 'SIGKILL' : 0) && !isLate
  }
  living.delete(pid)
}

/** False when nobody is in the group. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

const endWindowsTree = (pid: number): Promise<void> =>
  new Promise(resolve => {
    const child = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' })
    for (const end of ['error', 'close']) child.once(end, () => resolve())
    living.delete(pid)
  })
