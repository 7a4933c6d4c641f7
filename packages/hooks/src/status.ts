// The state of each hook for lists: ready, untrusted, never matched, and its last run.

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
  /** invalid: its matcher cannot be compiled. never-matched: its event occurred, and it never ran. */
  readonly state: 'ready' | 'untrusted' | 'invalid' | 'never-matched'
  readonly runs: number
  readonly lastRun: LastRun | null
}

export interface Tally {
  count(verdict: Verdict, time: number): void
  eventsSeen(event: EventName): number
  of(hook: HookDefinition): Counted | undefined
}

interface Counted {
  readonly runs: number
  readonly last: LastRun
}

/** Counted by event and by hook that ran: hooks that do not match cost nothing. */
export function tallies(): Tally {
  const events = new Map<EventName, number>()
  /** By id, which stays the same after a reload. A hook of the host is counted until it is removed. */
  const configured = new Map<string, Counted>()
  const given = new WeakMap<HookDefinition, Counted>()
  const of = (hook: HookDefinition) => (hook.file === null ? given.get(hook) : configured.get(hook.id))
  return {
    count(verdict, time) {
      events.set(verdict.event, (events.get(verdict.event) ?? 0) + 1)
      for (const { hook, outcome, exit } of verdict.runs) {
        const last = { time, outcome: outcome.kind, durationMs: exit.durationMs }
        const counted = { runs: (of(hook)?.runs ?? 0) + 1, last }
        if (hook.file === null) given.set(hook, counted)
        else configured.set(hook.id, counted)
      }
    },
    eventsSeen: event => events.get(event) ?? 0,
    of,
  }
}

export function statusOf(hook: HookDefinition, tally: Tally): HookStatus {
  const { runs = 0, last = null } = tally.of(hook) ?? {}
  return { hook, state: stateOf(hook, runs, tally), runs, lastRun: last }
}

function stateOf(hook: HookDefinition, runs: number, tally: Tally): HookStatus['state'] {
  if (!hook.trusted) return 'untrusted'
  if (hook.matcher.kind === 'invalid') return 'invalid'
  return runs === 0 && tally.eventsSeen(hook.event) > 0 ? 'never-matched' : 'ready'
}
