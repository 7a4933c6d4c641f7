// Ends a hook with everything it started. The verdict never waits for this.

import { win32 } from 'node:path'
import { clockMs } from '../protocol/clock.js'
import { children } from './children.js'
import { openWatcher, type Watcher } from './watcher.js'

const GRACE_MS = 500
const LOOK_MS = 20

/** Groups that were started and have not been seen to end. */
const running = new Set<number>()
const ending = new Set<Promise<void>>()
let watcher: Watcher | undefined

export function startedGroup(pid: number): void {
  running.add(pid)
  watcher ??= watchHost()
  watcher?.add(pid)
}

/** The hook ended by itself. Processes that it left running on purpose may continue. */
export function finishedGroup(pid: number): void {
  running.delete(pid)
  watcher?.remove(pid)
}

/** A host that exits in the middle of an event leaves no hook behind. */
function watchHost(): Watcher {
  const opened = openWatcher()
  process.on('exit', () => {
    for (const group of running) signalGroup(group, 'SIGKILL')
  })
  return opened
}

/** SIGTERM now, SIGKILL after a grace. Looks at the group itself: a signal that was sent does not mean that it ended. */
export function endGroup(pid: number, platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    endWindowsTree(pid)
    finishedGroup(pid)
    return
  }
  if (!signalGroup(pid, 'SIGTERM')) {
    finishedGroup(pid)
    return
  }
  const deadline = clockMs() + GRACE_MS
  const ended = new Promise<void>(resolve => {
    const look = setInterval(() => {
      const over = clockMs() >= deadline
      if (signalGroup(pid, over ? 'SIGKILL' : 0) && !over) return
      clearInterval(look)
      finishedGroup(pid)
      ending.delete(ended)
      resolve()
    }, LOOK_MS)
  })
  ending.add(ended)
}

/** Resolves when the groups that are being ended are gone. */
export const endedGroups = async (): Promise<void> => void (await Promise.all(ending))

/** False when the group is empty. */
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

function endWindowsTree(pid: number): void {
  const { file, args } = taskkill(pid, process.env.SystemRoot)
  children()
    .spawn(file, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => {})
}
