// The hooks of an event at the end of the process, when nothing can be awaited any more: one after the other, while
// everything else stands still. What they print is not read, since nobody is left who would hear it; a helper that one
// of them leaves running holds nothing up.

import { closeSync } from 'node:fs'
import modules from 'node:module'
import { clockMs } from '../protocol/clock.js'
import type { HookDefinition } from '../protocol/config.js'
import type { Event, Exit, Plan, Run } from '../protocol/run.js'
import { commandLine } from './command.js'
import { environment } from './environment.js'
import { openInput } from './input.js'
import { signalGroup } from './kill.js'
import type { RunOptions } from './run.js'
import { overTime, startFailure } from './spawn.js'

/** Hooks that ask a model take no part: an answer takes time that there is not. */
export function runSync({ event, hooks }: Plan, options: RunOptions): Run[] {
  return hooks.flatMap(({ hook }) => {
    if (hook.type === 'prompt') return []
    const exit = hook.type === 'function' ? callSync(hook, event) : startSync(hook, event, options)
    return [{ hook, exit, ...options.read(exit, hook, event) }]
  })
}

function callSync(hook: HookDefinition, event: Event): Exit {
  const began = clockMs()
  try {
    const { signal } = new AbortController()
    void Promise.resolve(hook.run!(structuredClone(event.payload), { signal })).catch(() => {})
    return ended(began, { code: 0 })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return ended(began, { failure: { code: 'run/threw', message } })
  }
}

function startSync(hook: HookDefinition, event: Event, options: RunOptions): Exit {
  const { platform, random, host, variables } = options
  const { cwd, timeoutMs } = hook
  const env = environment(host, hook, event.payload, variables)
  const line = commandLine(hook.command!, platform)
  const input = openInput(event.payload, platform, random)
  const stdin = input.open(hook.rank)
  const began = clockMs()
  try {
    // Loaded here: it brings streams and sockets along, and few come here.
    const { spawnSync }: Children = modules.createRequire(process.execPath)('node:child_process')
    const { status, signal, error, pid } = spawnSync(line.file, line.args, {
      cwd,
      env,
      ...(stdin === undefined ? { input: input.bytes } : {}),
      stdio: [stdin ?? 'pipe', 'ignore', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
      windowsVerbatimArguments: line.verbatim === true,
      // Its own group and session, as always. It can be said here, too; only the types do not know.
      ...{ detached: platform !== 'win32' },
    })
    if (!error) return ended(began, { code: status, signal })
    const isLate = (error as NodeJS.ErrnoException).code === 'ETIMEDOUT'
    if (!isLate) return ended(began, { failure: startFailure(error, line, { cwd, env }) })
    // No grace: nobody will be there to look again.
    signalGroup(pid, 'SIGKILL')
    return ended(began, { failure: { code: 'run/timeout', message: overTime(timeoutMs) } })
  } finally {
    if (stdin !== undefined) closeSync(stdin)
    input.close()
  }
}

type Children = typeof import('node:child_process')

const ended = (began: number, exit: Partial<Exit>): Exit => ({
  code: null,
  signal: null,
  stdout: '',
  stderr: '',
  durationMs: clockMs() - began,
  ...exit,
})
