// Runs the hooks of a plan and collects an Exit of each. All at once where the plan says so; the results always come
// in configured order.

import { setMaxListeners } from 'node:events'
import type { HookDefinition } from '../protocol/config.js'
import type { EvaluatePrompt } from '../protocol/prompt.js'
import type { Event, Exit, Plan, Planned, Ran, ReadExit, Run } from '../protocol/run.js'
import { type CommandLine, commandLine } from './command.js'
import { environment, type HostFacts, type SessionVariables } from './environment.js'
import { type Input, openInput } from './input.js'
import { askModel, callFunction } from './inside.js'
import { start } from './spawn.js'

export interface RunOptions {
  readonly host: HostFacts
  readonly platform: NodeJS.Platform
  readonly random: () => string
  readonly variables: readonly SessionVariables[]
  readonly evaluatePrompt?: EvaluatePrompt | undefined
  readonly signal?: AbortSignal | undefined
  readonly read: ReadExit
}

export async function run(plan: Plan, options: RunOptions): Promise<Ran> {
  const { event, hooks } = plan
  if (hooks.length === 0) return NOTHING
  const needsInput = hooks.some(({ hook }) => hook.type === 'command')
  const input = needsInput ? openInput(event.payload, options.platform, options.random) : undefined
  const cancel = fanOut(options.signal)
  const own = cancel ? { ...options, signal: cancel.signal } : options
  const runOne = async (hook: HookDefinition): Promise<Run> => {
    const exit = await execute(hook, event, input, own)
    return { hook, exit, ...options.read(exit, hook, event) }
  }
  try {
    if (hooks.length === 1) return { runs: [await runOne(hooks[0]!.hook)], skipped: [] }
    if (plan.concurrent) {
      return { runs: await runTogether(hooks, runOne), skipped: [] }
    }
    const runs: Run[] = []
    for (const [index, { hook }] of hooks.entries()) {
      const one = await runOne(hook)
      runs.push(one)
      if (plan.untilAnswered && one.outcome.kind === 'answered' && hook.mode === 'enforce') {
        const skipped = hooks
          .slice(index + 1)
          .map(rest => ({ hook: rest.hook, reason: 'not-needed' as const }))
        return { runs, skipped }
      }
    }
    return { runs, skipped: [] }
  } finally {
    input?.close()
    cancel?.release()
  }
}

/** Starting a process holds up the event loop, so that what many lower hooks cost must not fall on the higher ones. */
const AT_ONCE = 16

async function runTogether(
  hooks: readonly Planned[],
  runOne: (hook: HookDefinition) => Promise<Run>,
): Promise<Run[]> {
  const running: Promise<Run>[] = []
  for (const { hook } of hooks) {
    if (running.length > 0 && running.length % AT_ONCE === 0)
      await new Promise(resolve => setImmediate(resolve))
    running.push(runOne(hook))
  }
  return Promise.all(running)
}

/** Many hooks hear of one cancellation; the host's own signal gets one listener. */
function fanOut(signal: AbortSignal | undefined) {
  if (!signal) return undefined
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const pass = () => controller.abort(signal.reason)
  if (signal.aborted) pass()
  else signal.addEventListener('abort', pass, { once: true })
  return { signal: controller.signal, release: () => signal.removeEventListener('abort', pass) }
}

const NOTHING: Ran = Object.freeze({ runs: [], skipped: [] })

function execute(
  hook: HookDefinition,
  event: Event,
  input: Input | undefined,
  options: RunOptions,
): Promise<Exit> {
  const { platform, evaluatePrompt, signal } = options
  if (hook.type === 'function') return callFunction(hook, event, { evaluatePrompt, signal })
  if (hook.type === 'prompt') return askModel(hook, event, { evaluatePrompt, signal })
  const timed = event.profile.config.keys.includes('timeout')
  return start(cachedLine(hook, platform), {
    cwd: hook.cwd,
    env: environment(options.host, hook, event.payload, options.variables),
    timeoutMs: timed ? hook.timeoutMs : DEFAULT_TIMEOUT_MS,
    input: input!,
    rank: hook.rank,
    platform,
    signal,
  })
}

const DEFAULT_TIMEOUT_MS = 60_000

/** A command is taken apart once, not at each event. */
const lines = new WeakMap<HookDefinition, CommandLine>()

function cachedLine(hook: HookDefinition, platform: NodeJS.Platform): CommandLine {
  let line = lines.get(hook)
  if (!line) {
    line = commandLine(hook.command!, platform)
    lines.set(hook, line)
  }
  return line
}
