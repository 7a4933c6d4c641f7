// One run of a hook, from the end of its process to the meaning of its response.

import type { FailureCode, NoteCode } from './codes.js'
import type { HookDefinition, Remark } from './config.js'
import type { EventSpec } from './events.js'
import type { AnyFields } from './payload.js'
import type { Profile } from './profiles.js'
import type { Response } from './response-fields.js'

/** One occurrence of an event. */
export interface Event {
  readonly spec: EventSpec
  readonly profile: Profile
  /** The payload for hooks, in the form of the profile. */
  readonly payload: AnyFields
  /** The same in current terms: matchers and limits use it. */
  readonly fields: AnyFields
}

/** An event of a host; events that only explain or compare have no time. */
export interface TimedEvent extends Event {
  /** Of the wall clock, in milliseconds. */
  readonly startedAt: number
}

export type SkipReason =
  | 'matcher'
  | 'matcher-slow'
  | 'bad-matcher'
  | 'untrusted'
  | 'first-only'
  | 'loop-limit'
  | 'not-in-version'
  | 'not-needed'
  /** It runs, and nothing waits for it. */
  | 'background'

export interface Skipped {
  readonly hook: HookDefinition
  readonly reason: SkipReason
}

export interface Planned {
  readonly hook: HookDefinition
  readonly why: 'all' | 'matched' | 'matcher-slow' | 'bad-matcher'
}

export interface Plan {
  readonly event: Event
  readonly subject: string | null
  readonly hooks: readonly Planned[]
  /** Of the skipped hooks, those that nothing waits for. */
  readonly background: readonly Planned[]
  readonly skipped: readonly Skipped[]
  /** Stop after the first valid response. Implies one after the other. */
  readonly untilAnswered: boolean
  readonly concurrent: boolean
}

/** How a process, a function or a model ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  /** The dropped part of stdout mentions a decision that denies. */
  readonly omitsDeny?: boolean
  /** Remarks about the run that are no part of its response. */
  readonly notes?: readonly Note[]
  /** Why the run ended early, or never began; the first cause counts. */
  readonly failure?: Failure
}

/** An exit with these parts: with exit code 0 and no output, or without an exit code if it failed. */
export const exitWith = (parts: Partial<Exit>): Exit => ({
  code: parts.failure ? null : 0,
  signal: null,
  stdout: '',
  stderr: '',
  durationMs: 0,
  ...parts,
})

export type Failure = Remark<FailureCode>
export type Note = Remark<NoteCode>

export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Response; readonly failure?: Failure }
  | { readonly kind: 'silent' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** The meaning of an Exit. */
export interface Reading {
  readonly outcome: Outcome
  readonly notes: readonly Note[]
}

/** The stage `read/`, as passed to the stage `run/`: some versions stop running hooks after the first response. */
export type ReadExit = (exit: Exit, hook: HookDefinition, event: Event) => Reading

export interface Run {
  readonly hook: HookDefinition
  readonly exit: Exit
  readonly outcome: Outcome
  readonly notes: readonly Note[]
  /** From 2 on: it ran on an input that another hook had rewritten. */
  readonly round?: number
}

/** The results of the hooks of a plan. */
export interface Ran {
  readonly runs: readonly Run[]
  /** Hooks that were planned and not needed after an earlier response. */
  readonly skipped: readonly Skipped[]
}
