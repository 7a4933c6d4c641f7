// What the parts of one conversation have in common: whose events they are, and what has happened so far.

import type { Hooks, Session } from '@holdfast/hooks'
import { TASK, type TaskTool } from './task-tool.js'
import { TOOL_EVENTS, type ToolEvents } from './tool-events.js'

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

export interface SceneOptions {
  /** The engine, from openHooks. Closing it stays with whoever opened it. */
  readonly hooks: Hooks
  /** Rows beside those of the standard tools: which events belong to which tool. */
  readonly toolEvents?: Readonly<Record<string, ToolEvents>>
  /** The folder that the agent works in; the current one when absent. */
  readonly workspace?: string
  /** The application's own question about a tool call; not asked when a hook granted it. */
  readonly approve?: Approve
}

export function openScene(
  { hooks, toolEvents, workspace = process.cwd(), approve }: SceneOptions,
  {
    session,
    task,
    leavesApproval,
  }: { session: Session; task: TaskTool | undefined; leavesApproval: boolean },
): Scene {
  const rows = { ...TOOL_EVENTS, ...toolEvents }
  return {
    session,
    workspace,
    events: task ? { ...rows, [TASK]: { ...rows[TASK], prepare: task.prepare } } : rows,
    approve: approve && (question => hooks.ask(() => approve(question), question.signal)),
    leavesApproval,
    running: new Set(),
    changedFiles: new Set(),
    toolCalls: 0,
    said: '',
  }
}
