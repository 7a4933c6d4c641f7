// holdfast doctor: runs each hook with a canary, and lists those that fail or fail open.

import { type Hooks, HooksError, openHooks } from '@holdfast/hooks'
import {
  EVENT_NAMES,
  type EventName,
  type EventSpec,
  eventsUnder,
  findEvent,
  findProfile,
  type HookDefinition,
  type Issue,
} from '@holdfast/hooks/protocol'
import { staleBundles } from '../build/stale.js'
import { nothingFound } from '../catalog.js'
import { issuesOf } from '../check/lint.js'
import { Complaint } from '../complaint.js'
import { type Connected, connectedAgents } from '../doctor/agents.js'
import { begin, type Examined, examine, openSession } from '../doctor/examine.js'
import { type Findings, hasTrouble } from '../doctor/findings.js'
import { findingsJson } from '../doctor/json.js'
import { report } from '../doctor/report.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { evaluatePrompt } from '../model.js'
import { type Given, known, noMore, parse, SHARED } from '../options.js'
import { openProgress } from '../print/progress.js'
import { print, printJson } from '../print/terminal.js'
import { shortHook } from '../print/words.js'
import { type Workspace, workspaceOf } from '../workspace.js'

const OPTIONS = {
  ...SHARED,
  event: 'value',
  timeout: 'value',
  'no-run': 'flag',
  'managed-root': 'value',
} as const
const LIMIT_S = 10

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('doctor', argv, OPTIONS)
  if (given.has('help')) return showHelp('doctor')
  noMore('doctor', given.positionals, 0)
  const only = given.value('event')
  const event = only === undefined ? undefined : known('event', only, EVENT_NAMES)
  const limitMs = limitOf(given)
  const workspace = workspaceOf(given)
  const env = { ...process.env, HOLDFAST_CANARY: '1' }
  const hooks = await openHooks({
    ...workspace.host,
    env,
    evaluatePrompt,
    log: { file: null },
    rehearsal: true,
  })
  try {
    const stale = await staleBundles(hooks.catalog().layers.flatMap(layer => layer.hooks))
    const issues = [...issuesOf(hooks, env), ...stale]
    const wanted = { event, limitMs, env, issues, runs: !given.has('no-run') }
    const findings = await examineAll(hooks, workspace, wanted)
    if (given.has('json')) printJson(findingsJson(findings, workspace.profile, issues))
    else if (findings.examined.length > 0 || findings.errors > 0) print(report(findings, workspace.screen))
    else print(nothing(hooks, event, workspace))
    return hasTrouble(findings) ? 1 : 0
  } catch (error) {
    if (HooksError.isInstance(error) && error.code === 'use/aborted')
      throw new Complaint('Interrupted; the hooks were ended, too.')
    throw error
  } finally {
    hooks.close()
  }
}

interface Wanted {
  readonly event: EventName | undefined
  readonly limitMs: number
  readonly env: NodeJS.ProcessEnv
  readonly issues: readonly Issue[]
  readonly runs: boolean
}

/** One at a time, so that durations do not depend on other hooks. */
async function examineAll(hooks: Hooks, workspace: Workspace, wanted: Wanted): Promise<Findings> {
  const { profile: name, home, roots } = workspace
  const profile = findProfile(name)!
  const all = configured(hooks, wanted.event, eventsUnder(profile))
  const session = openSession(hooks)
  const work = { ...wanted, hooks, profile, home, signal: interrupted() }
  const progress = openProgress()
  const examined: Examined[] = []
  const agents: Connected[] = []
  try {
    if (wanted.runs && wanted.event !== undefined && all.length > 0 && !setsVariables(wanted.event)) {
      await begin(session, work, roots[0]!)
    }
    for (const [hook, spec] of all) {
      progress.say(`hook ${examined.length + 1} of ${all.length}: ${shortHook(hook)}`)
      examined.push(await examine(hook, spec, session, work))
    }
    progress.say('agents that call them')
    if (wanted.event === undefined) agents.push(...(await connectedAgents(workspace, work)))
  } finally {
    progress.end()
  }
  const errors = wanted.issues.filter(({ severity }) => severity === 'error').length
  const { missing, layers } = hooks.catalog()
  const failed = layers.filter(({ state }) => state === 'failed')
  return { examined, ran: wanted.runs, missing, errors, failed, agents }
}

const setsVariables = (event: EventName): boolean => 'env' in findEvent(event)!.answer

function configured(
  hooks: Hooks,
  only: EventName | undefined,
  specs: ReadonlyMap<EventName, EventSpec>,
): (readonly [HookDefinition, EventSpec])[] {
  const { byEvent } = hooks.catalog()
  return EVENT_NAMES.filter(name => only === undefined || name === only).flatMap(name =>
    (byEvent.get(name) ?? []).map(hook => [hook, specs.get(name) ?? findEvent(name)!] as const),
  )
}

function limitOf(given: Given): number {
  const text = given.value('timeout') ?? String(LIMIT_S)
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= 3600)) {
    throw new Complaint(`--timeout is "${text}"; expected seconds above 0, at most 3600.`)
  }
  return seconds * 1000
}

function nothing(hooks: Hooks, event: EventName | undefined, workspace: Workspace): string {
  const { layers } = hooks.catalog()
  const elsewhere = layers.some(layer => layer.hooks.length > 0)
  if (event !== undefined && elsewhere) return `\n  No hook is configured for ${event}.\n\n`
  return nothingFound(layers, workspace)
}
