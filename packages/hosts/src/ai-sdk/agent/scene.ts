// What the parts of one conversation have in common: whose events they are, and what has happened so far.

import type { EventName, Facts, FireOptions, Guarded, Session, Verdict } from '@holdfast/hooks'
import type { ToolEvents } from './tool-events.js'

/** A tool call for which the host has a question of its own. */
export interface ApprovalQuestion {
  readonly toolName: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

export type Approve = (question: ApprovalQuestion) => boolean | Promise<boolean>

export interface Scene {
  readonly session: Session
  readonly workspace: string
  readonly events: Readonly<Record<string, ToolEvents>>
  readonly approve: Approve | undefined
  /** What every event of a subagent carries beside its own facts: who started it. */
  readonly parentage: Readonly<Record<string, string>>
  /** Tool calls that have not ended; a step is over when none is left. */
  readonly running: Set<Promise<unknown>>
  readonly changedFiles: Set<string>
  toolCalls: number
  /** What the model said before its tool calls. */
  said: string
}

export const newScene = (
  given: Pick<Scene, 'session' | 'workspace' | 'events' | 'approve'>,
  parentage: Scene['parentage'] = {},
): Scene => ({ ...given, parentage, running: new Set(), changedFiles: new Set(), toolCalls: 0, said: '' })

/** Tells of an event of this conversation. */
export const fire = <E extends EventName>(
  { session, parentage }: Scene,
  event: E,
  facts: Facts<E>,
  options?: FireOptions,
): Promise<Verdict> => session.fire(event, { ...parentage, ...facts }, options)

/** The same, enforced. */
export const guard = <E extends EventName>(
  { session, parentage }: Scene,
  event: E,
  facts: Facts<E>,
  options?: FireOptions,
): Promise<Guarded<E>> => session.guard(event, { ...parentage, ...facts }, options)
