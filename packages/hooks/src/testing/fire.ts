// One event at one target, through the real engine. Nothing of the machine is read or written: no home, no
// enterprise folder, no log; what is in the workspace is trusted.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type EvaluatePrompt, type FunctionHook, type Hooks, openHooks } from '../index.js'
import type { EventName } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'
import type { ProfileName } from '../protocol/profiles.js'
import type { Verdict } from '../protocol/verdict.js'
import { type Decision, decisionOf } from './decision.js'
import { completeFacts, SAMPLE_ROOT } from './facts.js'
import { handlerRun, programRun } from './inside.js'
import { keepStateApart } from './state.js'
import { isProgram, type Target } from './target.js'

export interface GivenOptions {
  /** Behave like this version. */
  profile?: ProfileName
  /** Variables that scripts see besides those of this process. */
  env?: Readonly<Record<string, string>>
  /** The workspace; scripts run in it. The current folder unless given; for functions a folder that is not there. */
  root?: string
  /** A home folder whose hooks run, too. Otherwise scripts get an empty one that is gone afterwards. */
  home?: string
  /** Cancels everything after so many milliseconds, whatever the limits of the hooks are. */
  timeoutMs?: number
  /** Answers for the model of prompt hooks. */
  evaluatePrompt?: EvaluatePrompt
}

export interface Result extends Verdict {
  readonly decision: Decision
  /** Of all hooks together, in their order. */
  readonly stderr: string
  /** What went wrong inside a program of the SDK that answered nevertheless, by its policy. */
  readonly problem: string | null
}

export async function fireAt(
  event: EventName,
  facts: LooseFacts,
  target: Target<never>,
  options: GivenOptions,
): Promise<Result> {
  keepStateApart()
  const isInside = typeof target === 'function' || isProgram(target)
  if (isInside && options.env)
    throw new TypeError('env is for scripts: a function sees the variables of the process that tests it.')
  const base = isInside ? undefined : realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-testing-')))
  // Names that do not exist are enough where no process is started.
  const own = base ?? join(tmpdir(), `holdfast-testing-nothing-${process.pid}`)
  const root = rootOf(target, isInside, options)
  const home = options.home === undefined ? (base ?? join(own, 'home')) : resolve(options.home)
  try {
    const hooks = await openHooks({
      workspaceRoots: !isInside && target.kind === 'hooks.json' ? [root] : [],
      home,
      enterpriseDir: join(own, 'enterprise'),
      env: { ...process.env, ...(base ? { HOME: home, USERPROFILE: home } : {}), ...options.env },
      trustAll: true,
      watch: false,
      log: { file: null },
      rehearsal: true,
      ...(options.profile ? { profile: options.profile } : {}),
      ...(options.evaluatePrompt ? { evaluatePrompt: options.evaluatePrompt } : {}),
    })
    try {
      const problems = register(hooks, event, target, root)
      const whole = { workspace_roots: [root], ...completeFacts(event, facts, root) }
      const signal = options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs)
      const verdict = await hooks.fire(event, whole as never, signal ? { signal } : {})
      const lines = problems.map(problem => `${problem}\n`)
      const stderr = [...lines, ...verdict.runs.map(({ exit }) => exit.stderr)].join('')
      return { ...verdict, decision: decisionOf(verdict), stderr, problem: problems[0] ?? null }
    } finally {
      hooks.close()
    }
  } finally {
    if (base) rmSync(base, { recursive: true, force: true })
  }
}

function rootOf(target: Target<never>, isInside: boolean, { root }: GivenOptions): string {
  if (typeof target === 'object' && 'kind' in target && target.kind === 'hooks.json') return target.root
  if (root !== undefined) return resolve(root)
  return isInside ? SAMPLE_ROOT : process.cwd()
}

/** What a program of the SDK finds wrong comes back in the list. */
function register(hooks: Hooks, event: EventName, target: Target<never>, root: string): string[] {
  const problems: string[] = []
  if (isProgram(target)) {
    hooks.register({ event, run: programRun(target, problems), name: 'program', source: 'project' })
  } else if (typeof target === 'function') {
    const name = target.name || 'function'
    const run = handlerRun(event, target) as FunctionHook['run']
    hooks.register({ event, run, name, source: 'project' })
  } else if (target.kind === 'script') {
    const { loop_limit, ...entry } = target.entry
    const limit = loop_limit === undefined ? {} : { loopLimit: loop_limit }
    hooks.register({ event, command: target.command, root, source: 'project', ...entry, ...limit })
  }
  return problems
}
