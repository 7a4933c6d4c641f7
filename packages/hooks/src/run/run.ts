// Runs the hooks of a plan and collects an Exit of each. All at once where the plan allows it; the results are always in
// configured order.

import { clockMs } from '../protocol/clock.js'
import type { FailureCode } from '../protocol/codes.js'
import type { HookDefinition, SourceKind } from '../protocol/config.js'
import { payloadCopy } from '../protocol/payload.js'
import type { EvaluatePrompt } from '../protocol/prompt.js'
import {
  type Event,
  type Exit,
  exitWith,
  type Plan,
  type Planned,
  type Ran,
  type ReadExit,
  type Run,
  type Skipped,
} from '../protocol/run.js'
import { type CommandLine, commandLine } from './command.js'
import { environment, type HostInfo, type SessionVariables } from './environment.js'
import { sendRequest } from './http.js'
import { askModel, callFunction, within } from './in-process.js'
import { type Input, openInput } from './input.js'
import { CANCELLED } from './limit.js'
import { type StartOptions, start, startSync } from './spawn.js'

export interface RunOptions {
  readonly host: HostInfo
  readonly platform: NodeJS.Platform
  readonly variables: readonly SessionVariables[]
  readonly evaluatePrompt?: EvaluatePrompt | undefined
  /** The servers to which hooks of a source may send payloads; undefined for all. */
  readonly allowedHosts: (source: SourceKind) => readonly string[] | undefined
  readonly startCommand?: StartCommand | undefined
  readonly signal?: AbortSignal | undefined
  readonly read: ReadExit
  /** Calls `start` once and returns its result, for observers. */
  readonly observe?: (<T>(hook: HookDefinition, start: () => T) => T) | undefined
  /**
   * Called before a hook starts that had to wait for others: the hook as it is now, since its scripts may have changed
   * meanwhile. Undefined when it is gone or cannot be examined.
   */
  readonly current?: (
    hook: HookDefinition,
  ) => Promise<HookDefinition | undefined> | HookDefinition | undefined
}

/** What a process would have got, and when its result is no longer waited for. */
export interface StartedCommand {
  /** The program and its arguments. */
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdin: string
}

/**
 * Does the work of a command without a process of its own: a host may have it in memory. Undefined for all other commands.
 * The work ends when its signal aborts. Its exit is read like that of a process.
 */
export type StartCommand = (
  command: StartedCommand,
) => ((signal: AbortSignal) => Promise<Pick<Exit, 'code' | 'stdout' | 'stderr'>>) | undefined

export async function run(plan: Plan, options: RunOptions): Promise<Ran> {
  const { event, hooks } = plan
  if (hooks.length === 0) return NOTHING
  const input = inputOf(plan, options)
  try {
    const { observe, signal } = options
    const runOne = async (hook: HookDefinition) => {
      if (signal?.aborted) return runOf(hook, failed('run/signal', CANCELLED), event, options)
      const start = () => execute(hook, event, input, options)
      return runOf(hook, await (observe ? observe(hook, start) : start()), event, options)
    }
    const runLater = async (hook: HookDefinition): Promise<Run | Skipped> => {
      const current = options.current ? await options.current(hook) : hook
      if (!current) return runOf(hook, changed(), event, options)
      return current.trusted ? runOne(current) : { hook: current, reason: 'untrusted' }
    }
    if (plan.concurrent && hooks.length > 1) return sorted(await runTogether(hooks, runOne, runLater))
    const all: (Run | Skipped)[] = []
    for (const { hook } of hooks) {
      const one = all.length === 0 ? await runOne(hook) : await runLater(hook)
      all.push(one)
      if (!plan.untilAnswered || 'reason' in one) continue
      if (one.outcome.kind === 'answered' && hook.mode === 'enforce') break
    }
    const rest = hooks.slice(all.length).map(({ hook }) => ({ hook, reason: 'not-needed' as const }))
    return sorted([...all, ...rest])
  } finally {
    input?.close()
  }
}

/**
 * The same at the end of the process, when nothing can be awaited: one hook after the other, while the event loop is
 * blocked. Output is not read, since nothing can use it; a helper that a hook leaves running delays nothing. A model
 * cannot be asked.
 */
export function runSync(plan: Plan, options: RunOptions): Ran {
  const { event, hooks } = plan
  if (hooks.length === 0) return NOTHING
  const input = inputOf(plan, options)
  try {
    const runs = hooks.map(({ hook }) => {
      const isCurrent = !options.current || options.current(hook) === hook
      if (!isCurrent) return runOf(hook, changed(), event, options)
      const start = () => executeSync(hook, event, input, options)
      return runOf(hook, options.observe ? options.observe(hook, start) : start(), event, options)
    })
    return { runs, skipped: [] }
  } finally {
    input?.close()
  }
}

const NOTHING: Ran = Object.freeze({ runs: [], skipped: [] })

const inputOf = ({ event, hooks }: Plan, { platform }: RunOptions): Input | undefined =>
  hooks.some(({ hook }) => hook.type === 'command') ? openInput(event.payload, platform) : undefined

function runOf(hook: HookDefinition, exit: Exit, event: Event, { read }: RunOptions): Run {
  const { outcome, notes } = read(exit, hook, event)
  return { hook, exit, outcome, notes }
}

const sorted = (all: readonly (Run | Skipped)[]): Ran => ({
  runs: all.filter(one => 'exit' in one),
  skipped: all.filter(one => 'reason' in one),
})

/** Starting a process blocks the event loop, so the cost of many lower hooks must not delay the higher ones. */
const AT_ONCE = 16

async function runTogether(
  hooks: readonly Planned[],
  runFirst: (hook: HookDefinition) => Promise<Run>,
  runLater: (hook: HookDefinition) => Promise<Run | Skipped>,
): Promise<(Run | Skipped)[]> {
  const running: Promise<Run | Skipped>[] = []
  for (const { hook } of hooks) {
    if (running.length > 0 && running.length % AT_ONCE === 0)
      await new Promise(resolve => setImmediate(resolve))
    running.push(running.length < AT_ONCE ? runFirst(hook) : runLater(hook))
  }
  return Promise.all(running)
}

function execute(
  hook: HookDefinition,
  event: Event,
  input: Input | undefined,
  options: RunOptions,
): Promise<Exit> {
  const { evaluatePrompt, signal } = options
  if (hook.type === 'function') return callFunction(hook, event, { signal })
  if (hook.type === 'prompt') return askModel(hook, event, { evaluatePrompt, signal })
  if (hook.type === 'http') {
    const allowedHosts = options.allowedHosts(hook.source)
    return sendRequest(hook, event, { env: options.host.env, allowedHosts, signal })
  }
  const line = cachedLine(hook, options.platform)
  const starting = startOptions(hook, event, input!, options)
  const { cwd, env } = starting
  const work = options.startCommand?.({ words: [line.file, ...line.args], cwd, env, stdin: input!.text })
  return work ? within(starting, { signal }, 'run/threw', work) : start(line, starting)
}

function executeSync(
  hook: HookDefinition,
  event: Event,
  input: Input | undefined,
  options: RunOptions,
): Exit {
  if (hook.type === 'prompt')
    return failed('run/no-evaluator', 'No model can be called while the process ends.')
  if (hook.type === 'http') return failed('run/http', 'No request can be sent while the process ends.')
  if (hook.type === 'command')
    return startSync(cachedLine(hook, options.platform), startOptions(hook, event, input!, options))
  const began = clockMs()
  try {
    const { signal } = new AbortController()
    void Promise.resolve(hook.run!(payloadCopy(event.payload), { signal })).catch(() => {})
    return exitWith({ durationMs: clockMs() - began })
  } catch (error) {
    return failed('run/threw', error instanceof Error ? error.message : String(error), clockMs() - began)
  }
}

function startOptions(hook: HookDefinition, event: Event, input: Input, options: RunOptions): StartOptions {
  const isTimed = event.profile.config.keys.includes('timeout')
  return {
    cwd: hook.cwd,
    env: environment(options.host, hook, event.payload, options.variables),
    timeoutMs: isTimed ? hook.timeoutMs : DEFAULT_TIMEOUT_MS,
    input,
    rank: hook.rank,
    platform: options.platform,
    signal: options.signal,
  }
}

const DEFAULT_TIMEOUT_MS = 60_000

const failed = (code: FailureCode, message: string, durationMs = 0): Exit =>
  exitWith({ durationMs, failure: { code, message } })

const changed = (): Exit =>
  failed('run/spawn', 'It changed after it was verified, and could not be verified again before its start.')

/** A command is split once, not at each event. */
const lines = new WeakMap<HookDefinition, CommandLine>()

function cachedLine(hook: HookDefinition, platform: NodeJS.Platform): CommandLine {
  let line = lines.get(hook)
  if (!line) {
    line = commandLine(hook.command!, platform)
    lines.set(hook, line)
  }
  return line
}
