// holdfast doctor: runs each hook with a canary, and lists those that fail or fail open.

import { type Hooks, openHooks } from '@holdfast/hooks'
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
import manifest from '../../package.json' with { type: 'json' }
import { flag, type Given, value } from '../arguments.js'
import { staleBundles } from '../build/stale.js'
import { nothingFound } from '../catalog.js'
import { issuesOf } from '../check/lint.js'
import type { Command } from '../command.js'
import { type Connected, connectedAgents } from '../doctor/agents.js'
import { examineDaemon } from '../doctor/daemon.js'
import { begin, type Examined, examine, openSession } from '../doctor/examine.js'
import { type Findings, hasTrouble } from '../doctor/findings.js'
import { findingsJson } from '../doctor/json.js'
import { newerVersion } from '../doctor/newer-version.js'
import { report } from '../doctor/report.js'
import { interrupted } from '../interrupt.js'
import { evaluatePrompt } from '../model.js'
import { MANAGED_ROOT, OUTPUT, WORKSPACE } from '../option-sections.js'
import { openProgress } from '../print/progress.js'
import { print, printError, printJson } from '../print/terminal.js'
import { shortHook } from '../print/words.js'
import { UsageError } from '../usage-error.js'
import { type Workspace, workspaceOf } from '../workspace.js'

export const command: Command = {
  name: 'doctor',
  summary: 'Run each hook with a harmless event, and report hooks that fail or fail open',
  description: `For each hook, doctor checks its script, execute bit, interpreter, trust and matcher. Then it runs the hook with a canary, a harmless event, and shows the response, duration, exit code and stderr, and the effect of a failure on the action.

The hooks really run, one at a time, with their side effects; prompt hooks call their model. A hook can detect a canary: HOLDFAST_CANARY is 1, and the conversation is holdfast-canary. The file that a canary names is created in the project and removed afterwards. Nothing is logged. PATH is that of this terminal; an editor can have another one.

Doctor also checks the agents in which the hooks are installed: whether every entry is present, and whether Codex trusts them. Codex skips hooks that it does not trust. With HOLDFAST_UPDATE_CHECK=1 in the environment it also asks the npm registry, at most once a day, whether a newer version exists.`,
  options: [
    {
      options: {
        'no-run': flag('run nothing, only check'),
        event: value('NAME', 'only hooks of this event; hooks that set session variables run first', {
          values: EVENT_NAMES,
        }),
        timeout: value('SECONDS', 'time limit of a hook for its canary', { default: '10' }),
        'managed-root': MANAGED_ROOT,
      },
    },
    WORKSPACE,
    OUTPUT,
  ],
  sections: [
    {
      title: 'Marks',
      rows: [
        ['✓', 'works'],
        ['!', 'failed, or never runs'],
        ['✗', 'cannot run'],
        ['?', 'responds, but its matcher matches no sample'],
        ['–', 'not run'],
      ],
    },
  ],
  exitCodes: {
    0: 'no problems; there can be notes, fail-open hooks and hooks with the mark ?',
    1: 'a hook cannot run, failed, never runs or is not trusted; a file has errors; a required source is missing; an agent lacks or skips entries; there are no hooks; or the call is wrong',
  },
  examples: [
    'holdfast doctor',
    'holdfast doctor --event beforeShellExecution --json',
    'holdfast doctor --no-run --trust-all',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  const event = given.value('event') as EventName | undefined
  const limitMs = limitOf(given)
  const workspace = workspaceOf(given)
  const newer = newerVersion(manifest.version, workspace.home)
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
    const latest = await newer
    if (latest !== undefined)
      printError(
        `Holdfast ${latest} is available; this is ${manifest.version}. Install it: npm install -g holdfast\n`,
      )
    return hasTrouble(findings) ? 1 : 0
  } finally {
    hooks.close()
  }
}

interface ExamineOptions {
  readonly event: EventName | undefined
  readonly limitMs: number
  readonly env: NodeJS.ProcessEnv
  readonly issues: readonly Issue[]
  readonly runs: boolean
}

/** One at a time, so that durations do not depend on other hooks. */
async function examineAll(hooks: Hooks, workspace: Workspace, wanted: ExamineOptions): Promise<Findings> {
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
  const daemon = await examineDaemon(home)
  return { examined, ran: wanted.runs, missing, errors, failed, agents, ...(daemon ? { daemon } : {}) }
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
  const text = given.value('timeout')!
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= 3600)) {
    throw new UsageError(`--timeout is "${text}"; expected seconds above 0, at most 3600.`)
  }
  return seconds * 1000
}

function nothing(hooks: Hooks, event: EventName | undefined, workspace: Workspace): string {
  const { layers } = hooks.catalog()
  const elsewhere = layers.some(layer => layer.hooks.length > 0)
  if (event !== undefined && elsewhere) return `\n  No hook is configured for ${event}.\n\n`
  return nothingFound(layers, workspace)
}
