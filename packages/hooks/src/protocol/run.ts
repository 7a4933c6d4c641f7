// One execution, from how the process ended to what it means.

import type { FailureCode, NoteCode } from './codes.js'
import type { HookDefinition, Remark } from './config.js'
import type { EventSpec } from './events.js'
import type { AnyFields } from './payload.js'
import type { Profile } from './profiles.js'
import type { Response } from './response-fields.js'

/** One thing happening now. */
export interface Event {
  readonly spec: EventSpec
  readonly profile: Profile
  /** What hooks read, in the words of the profile. */
  readonly payload: AnyFields
  /** The same in today's words: matchers and limits look here. */
  readonly fields: AnyFields
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
  /** The part of stdout that is not kept mentions a decision that denies. */
  readonly omitsDeny?: boolean
  /** Remarks about the run that are no part of its response. */
  readonly notes?: readonly Note[]
  /** Why the run was over before it ended by itself, or never began; the first cause wins. */
  readonly failure?: Failure
}

export type Failure = Remark<FailureCode>
export type Note = Remark<NoteCode>

export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Response; readonly failure?: Failure }
  | { readonly kind: 'silent' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** What an Exit means. */
export interface Reading {
  readonly outcome: Outcome
  readonly notes: readonly Note[]
}

/** The stage `read/`, as the stage `run/` is given it: some versions stop running hooks after the first response. */
export type ReadExit = (exit: Exit, hook: HookDefinition, event: Event) => Reading

export interface Run {
  readonly hook: HookDefinition
  readonly exit: Exit
  readonly outcome: Outcome
  readonly notes: readonly Note[]
  /** From 2 on: it ran on an input that another hook had rewritten. */
  readonly round?: number
}

/** How the hooks of a plan ended. */
export interface Ran {
  readonly runs: readonly Run[]
  /** Hooks that were planned and not needed after an earlier response. */
  readonly skipped: readonly Skipped[]
}
