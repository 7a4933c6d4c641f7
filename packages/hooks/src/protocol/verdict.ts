// The one merged decision, with the runs that caused it.

import type { SourceKind } from './config.js'
import type { EventName } from './events.js'
import type { ProfileName } from './profiles.js'
import type { Permission } from './response-fields.js'
import type { Note, Plan, Run, Skipped } from './run.js'

export type Decision = 'deny' | 'ask' | 'allow' | 'abstain'

export interface Overruled {
  readonly run: Run
  readonly note: Note
}

/** The decision of a hook in audit mode if it counted, by its response or by its failure. */
export interface Observed {
  readonly run: Run
  readonly decision: Decision
}

/** An input that a hook wrote and the other hooks then judged. */
export interface Rewrite {
  /** The run whose response it is. */
  readonly run: Run
  /** The keys that differ from the input of the host, from all rewrites so far. */
  readonly keys: Record<string, unknown>
  /** The complete input of the next round. */
  readonly input: Readonly<Record<string, unknown>>
}

/** Why an event is denied whatever its hooks respond. */
export interface Denial {
  readonly message: string
  readonly source: SourceKind
  readonly file: string | null
  /** The hook whose rewrite did not settle, or that could not judge one; absent when a required source is missing. */
  readonly hook?: string
}

/** What would happen to an event. */
export interface Explanation extends Plan {
  /** Not empty: it would be denied, whatever the hooks respond. */
  readonly denials: readonly Denial[]
}

export interface Verdict {
  readonly event: EventName
  readonly profile: ProfileName
  /** Null when the event has no permission, or no hook decided. */
  readonly permission: Permission | null
  /** Null when the event has no continue, or no hook decided. */
  readonly continue: boolean | null
  readonly userMessage: string | null
  readonly agentMessage: string | null
  readonly updatedInput: Record<string, unknown> | null
  /** The message to send instead of that of the user. */
  readonly updatedPrompt: string | null
  readonly updatedMcpToolOutput: Record<string, unknown> | null
  readonly additionalContext: string | null
  readonly followupMessage: string | null
  readonly env: Record<string, string> | null
  readonly pluginPaths: readonly string[] | null
  readonly durationMs: number
  /** All runs of all rounds, in the order of their rounds. */
  readonly runs: readonly Run[]
  /** The input of round n + 1 is that of the nth rewrite. */
  readonly rewrites: readonly Rewrite[]
  readonly skipped: readonly Skipped[]
  /** Reasons that are no response of a hook: a required source is missing, or rewrites did not settle. */
  readonly denials: readonly Denial[]
  /** The runs whose decision is the verdict. */
  readonly deciders: readonly Run[]
  /** Well-formed responses that do not count because of other hooks of the event. */
  readonly overruled: readonly Overruled[]
  /** The runs of hooks in audit mode, which had no part in the verdict. */
  readonly observed: readonly Observed[]
  /** The host cancelled the event or closed the engine: the call threw, and the verdict is that of the runs so far. */
  readonly isCancelled?: true
  /** Session variables by the rank of the source that set them. */
  readonly variables: readonly { readonly rank: number; readonly env: Record<string, string> }[]
}

export const isBlocked = (verdict: Verdict): boolean =>
  verdict.permission === 'deny' || verdict.continue === false
export const isAsking = (verdict: Verdict): boolean => !isBlocked(verdict) && verdict.permission === 'ask'
