// Work at the end of the test process. Test frameworks end their workers with a signal, so `exit` alone is not enough.

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tasks: (() => void)[] = []

export function onProcessEnd(task: () => void): void {
  tasks.push(task)
  if (tasks.length > 1) return
  process.once('exit', runTasks)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      runTasks()
      // Without another listener the signal must still end the process.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
    })
  }
}

function runTasks(): void {
  for (const task of tasks.splice(0)) task()
}

let stateFolder: string | undefined

/** Hooks under test do not read or write the state of real hooks. All cases of a process share one folder. */
export function isolateState(): void {
  if (stateFolder !== undefined || process.env.HOLDFAST_STATE) return
  const folder = join(tmpdir(), `holdfast-testing-state-${process.pid}-${Date.now().toString(36)}`)
  stateFolder = folder
  process.env.HOLDFAST_STATE = folder
  onProcessEnd(() => rmSync(folder, { recursive: true, force: true }))
}
