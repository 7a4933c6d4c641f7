// What an engine did, with the keys of the cases. Both runners use it.

import { decisionOf } from '../packages/hooks/src/decide/decide.js'
import type { Event, Run } from '../packages/hooks/src/protocol/run.js'
import { isAsking, isBlocked, type Verdict } from '../packages/hooks/src/protocol/verdict.js'

export interface HookObservation {
  outcome: 'answered' | 'silent' | 'failed'
  failure: string | null
  notes: string[]
  permission: 'allow' | 'ask' | 'deny' | null
  payload?: Record<string, unknown> | undefined
  env?: Record<string, string | undefined> | undefined
  cwd?: string | undefined
  asked?: string | undefined
}

export interface GuardObservation {
  goes: boolean
  granted: boolean
  user: string | null
  agent: string | null
  code: string | undefined
  asked: string | null
  payload: Record<string, unknown>
  follows: { event: string; payload: Record<string, unknown> }[]
}

export interface Observation {
  permission: string | null
  continue: boolean | null
  proceeds: boolean | 'asks'
  user_message: string | null
  agent_message: string | null
  updated_input: Record<string, unknown> | null
  updated_prompt: string | null
  updated_mcp_tool_output: Record<string, unknown> | null
  additional_context: string | null
  followup_message: string | null
  env: Record<string, string> | null
  plugin_paths: readonly string[] | null
  ran: number[]
  rewritten_by: number[]
  skipped: Record<string, string>
  decided_by: number[]
  hooks: Map<number, HookObservation>
  at_once?: boolean
  issues?: string[]
  guard?: GuardObservation
}

/** The index of a run's hook in the case; hooks of the runner have none. */
export type PlaceOf = (run: { hook: Run['hook'] }) => number | undefined

export function observe(verdict: Verdict, event: Event, placeOf: PlaceOf): Observation {
  const places = (runs: readonly { hook: Run['hook'] }[]) =>
    runs.map(placeOf).filter((place): place is number => place !== undefined)
  const hooks = new Map<number, HookObservation>()
  for (const run of verdict.runs) {
    const place = placeOf(run)
    if (place !== undefined) hooks.set(place, observeRun(run, event))
  }
  for (const { run, note } of verdict.overruled) {
    const place = placeOf(run)
    if (place !== undefined) hooks.get(place)?.notes.push(bare(note.code))
  }
  return {
    permission: verdict.permission,
    continue: verdict.continue,
    proceeds: isBlocked(verdict) ? false : isAsking(verdict) ? 'asks' : true,
    user_message: verdict.userMessage,
    agent_message: verdict.agentMessage,
    updated_input: verdict.updatedInput,
    updated_prompt: verdict.updatedPrompt,
    updated_mcp_tool_output: verdict.updatedMcpToolOutput,
    additional_context: verdict.additionalContext,
    followup_message: verdict.followupMessage,
    env: verdict.env,
    plugin_paths: verdict.pluginPaths,
    ran: places(verdict.runs),
    rewritten_by: places(verdict.rewrites.map(({ run }) => run)),
    skipped: Object.fromEntries(
      verdict.skipped.flatMap(one => {
        const place = placeOf(one)
        return place === undefined ? [] : [[String(place), one.reason]]
      }),
    ),
    decided_by: places(verdict.deciders),
    hooks,
  }
}

function observeRun(run: Run, event: Event): HookObservation {
  const { outcome } = run
  const failure = outcome.kind === 'silent' ? undefined : outcome.failure
  const decision = decisionOf(run, event)
  return {
    outcome: outcome.kind,
    failure: failure ? bare(failure.code) : null,
    notes: run.notes.map(note => bare(note.code)),
    permission: decision === 'abstain' ? null : decision,
  }
}

/** The cases leave out the family of a code. */
export const bare = (code: string): string => code.slice(code.indexOf('/') + 1)
