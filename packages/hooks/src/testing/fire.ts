// Fires one event at one target through the real engine. It reads and writes nothing of the machine: no home, no
// enterprise folder, no log. The workspace is trusted.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type EvaluatePrompt, type FunctionHook, type Hooks, openHooks, SESSION_FIELDS } from '../index.js'
import { type EventName, type EventSpec, findEvent } from '../protocol/events.js'
import type { AnyFields } from '../protocol/payload.js'
import type { ProfileName } from '../protocol/profiles.js'
import type { Verdict } from '../protocol/verdict.js'
import { normalise } from '../sdk/normalise.js'
import { isolateState } from './cleanup.js'
import { type Decision, decisionOf } from './expectations.js'
import { isProgram, type Target } from './target.js'

export interface CaseOptions {
  /** The version to simulate (default: holdfast). */
  profile?: ProfileName
  /** Variables for scripts, added to those of this process. */
  env?: Readonly<Record<string, string>>
  /** The workspace, in which scripts run (default: the current folder; for functions, a folder that does not exist). */
  root?: string
  /** A home folder whose hooks also run (default: an empty folder, which is removed afterwards). */
  home?: string
  /** Cancels the event after this time, whatever the limits of the hooks are. */
  timeoutMs?: number
  /** Answers for the model of prompt hooks. */
  evaluatePrompt?: EvaluatePrompt
}

export interface Result extends Verdict {
  readonly decision: Decision
  /** Of all hooks, in their order. */
  readonly stderr: string
}

export async function fireAt(
  event: EventName,
  payload: AnyFields,
  target: Target<never>,
  options: CaseOptions,
): Promise<Result> {
  isolateState()
  const isFunction = typeof target === 'function' || isProgram(target)
  if (isFunction && options.env)
    throw new TypeError('env is for scripts: a function reads the variables of the test process.')
  const base = isFunction ? undefined : realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-testing-')))
  // Paths that do not exist are enough if no process is started.
  const own = base ?? join(tmpdir(), `holdfast-testing-nothing-${process.pid}`)
  const root = rootOf(target, isFunction, options)
  const home = options.home === undefined ? (base ?? join(own, 'home')) : resolve(options.home)
  try {
    const hooks = await openHooks({
      workspaceRoots: !isFunction && target.kind === 'hooks.json' ? [root] : [],
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
      const complete = { workspace_roots: [root], ...completePayload(event, payload, root) }
      const signal = options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs)
      const verdict = await hooks.fire(event, complete as never, signal ? { signal } : {})
      const lines = problems.map(problem => `${problem}\n`)
      const stderr = [...lines, ...verdict.runs.map(({ exit }) => exit.stderr)].join('')
      return { ...verdict, decision: decisionOf(verdict), stderr }
    } finally {
      hooks.close()
    }
  } finally {
    if (base) rmSync(base, { recursive: true, force: true })
  }
}

function rootOf(target: Target<never>, isFunction: boolean, { root }: CaseOptions): string {
  if (typeof target === 'object' && 'kind' in target && target.kind === 'hooks.json') return target.root
  if (root !== undefined) return resolve(root)
  return isFunction ? SAMPLE_ROOT : process.cwd()
}

/** Returns a list to which an SDK program adds the lines that it would print on stderr. */
function register(hooks: Hooks, event: EventName, target: Target<never>, root: string): string[] {
  const problems: string[] = []
  if (isProgram(target)) {
    const run = async (payload: Record<string, unknown>) => {
      const { response, problem } = await target.respondTo(JSON.stringify(payload))
      if (problem === null) return response
      problems.push(problem)
      return { ...response, hook_error: problem }
    }
    hooks.register({ event, run: run as FunctionHook['run'], name: 'program', source: 'project' })
  } else if (typeof target === 'function') {
    // As in a program of the SDK, the payload has the same shape in every version.
    const run = (payload: Record<string, unknown>) => target(normalise(event, payload).payload as never)
    hooks.register({
      event,
      run: run as FunctionHook['run'],
      name: target.name || 'function',
      source: 'project',
    })
  } else if (target.kind === 'script') {
    const { loop_limit, ...entry } = target.entry
    const limit = loop_limit === undefined ? {} : { loopLimit: loop_limit }
    hooks.register({ event, command: target.command, root, source: 'project', ...entry, ...limit })
  }
  return problems
}

/** The workspace in the samples of the event table. */
const SAMPLE_ROOT = '/project'

/** The payload of a test, with the event's sample for fields that are missing. The session adds its own fields. */
export function completePayload(event: EventName, payload: AnyFields, root: string): AnyFields {
  const spec = findEvent(event)!
  const sample = Object.entries(spec.sample).filter(([name]) => !SESSION_FIELDS.includes(name))
  const cwd = Object.hasOwn(spec.payload, 'cwd') ? { cwd: root } : {}
  return { ...movePaths(Object.fromEntries(sample), root), ...cwd, ...renameFields(spec, payload) }
}

/** Old names → current names: otherwise the sample's value would be sent beside the test's value. */
const renameFields = ({ accepts = {}, payload: fields }: EventSpec, payload: AnyFields): AnyFields =>
  Object.fromEntries(
    Object.entries(payload)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        Object.hasOwn(accepts, name) && !Object.hasOwn(fields, name) ? accepts[name]! : name,
        value,
      ]),
  )

/** Moves paths of the sample into the workspace of the test. */
function movePaths<T>(value: T, root: string): T {
  if (root === SAMPLE_ROOT) return value
  if (typeof value === 'string') {
    const isPath = value === SAMPLE_ROOT || value.startsWith(`${SAMPLE_ROOT}/`)
    return (isPath ? `${root}${value.slice(SAMPLE_ROOT.length)}` : value) as T
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(part => movePaths(part, root)) as T
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, movePaths(part, root)])) as T
}
