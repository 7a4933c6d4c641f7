// A command with all its child processes, which end together.

import { type ChildProcess, spawn } from 'node:child_process'

const GRACE_MS = 500
const LOOK_MS = 20

const living = new Set<number>()
let watchesExit = false

/** For the leader of a process group. */
export function startedGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  living.add(pid)
  if (watchesExit) return
  watchesExit = true
  process.on('exit', () => {
    for (const group of living) signalGroup(group, 'SIGKILL')
  })
}

/** The command has ended. Processes that it left running on purpose may continue. */
export function finishedGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) living.delete(pid)
}

/** SIGTERM, and SIGKILL after a grace period. Resolves when the group is empty. */
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

/** False if the group is empty. */
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
