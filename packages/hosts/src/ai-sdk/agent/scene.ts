// What the parts of one conversation have in common: whose events they are, and what has happened so far.

import type { Session } from '@holdfast/hooks'
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
  /** Tools that need an approval get it from the AI SDK, before they come here. */
  readonly leavesApproval: boolean
  /** Tool calls that have not ended; a step is over when none is left. */
  readonly running: Set<Promise<unknown>>
  readonly changedFiles: Set<string>
  toolCalls: number
  /** What the model said before its tool calls. */
  said: string
}

export const newScene = (
  given: Pick<Scene, 'session' | 'workspace' | 'events' | 'approve' | 'leavesApproval'>,
): Scene => ({ ...given, running: new Set(), changedFiles: new Set(), toolCalls: 0, said: '' })
