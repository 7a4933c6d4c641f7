// What became of each configured hook: ready, not allowed to run, never matched, last run.

import type { HookDefinition } from './protocol/config.js'
import type { EventName } from './protocol/events.js'
import type { Outcome } from './protocol/run.js'
import type { Verdict } from './protocol/verdict.js'

export interface LastRun {
  readonly time: number
  readonly outcome: Outcome['kind']
  readonly durationMs: number
}

export interface HookStatus {
  readonly hook: HookDefinition
  /** invalid: its matcher cannot be compiled. never-matched: its event came, and it was never chosen. */
  readonly state: 'ready' | 'untrusted' | 'invalid' | 'never-matched'
  readonly runs: number
  readonly lastRun: LastRun | null
}

export interface Tally {
  count(verdict: Verdict, time: number): void
  eventsSeen(event: EventName): number
  of(hook: HookDefinition): { runs: number; last: LastRun } | undefined
}

/** Counted by event and by hook that ran, so that a thousand hooks that do not match cost nothing. */
export function tallies(): Tally {
  const events = new Map<EventName, number>()
  const hooks = new Map<string, { runs: number; last: LastRun }>()
  return {
    count(verdict, time) {
      events.set(verdict.event, (events.get(verdict.event) ?? 0) + 1)
      for (const { hook, outcome, exit } of verdict.runs) {
        const last = { time, outcome: outcome.kind, durationMs: exit.durationMs }
        hooks.set(hook.id, { runs: (hooks.get(hook.id)?.runs ?? 0) + 1, last })
      }
    },
    eventsSeen: event => events.get(event) ?? 0,
    of: hook => hooks.get(hook.id),
  }
}

export function statusOf(hook: HookDefinition, tally: Tally): HookStatus {
  const ran = tally.of(hook)
  return {
    hook,
    state: stateOf(hook, tally, ran !== undefined),
    runs: ran?.runs ?? 0,
    lastRun: ran?.last ?? null,
  }
}

function stateOf(hook: HookDefinition, tally: Tally, hasRun: boolean): HookStatus['state'] {
  if (!hook.trusted) return 'untrusted'
  if (hook.matcher.kind === 'invalid') return 'invalid'
  return !hasRun && tally.eventsSeen(hook.event) > 0 ? 'never-matched' : 'ready'
}
