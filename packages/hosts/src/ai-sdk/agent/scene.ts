// State that the parts of one conversation share: the session of its events, and its progress.

import type { Hooks, Session } from '@holdfast/hooks'
import { TASK, type TaskTool } from './task-tool.js'
import { TOOL_EVENTS, type ToolEvents } from './tool-events.js'

/** A tool call that needs the approval of the host. */
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
  /** The AI SDK handles tools that need an approval before they reach this point. */
  readonly leavesApproval: boolean
  /** Tool calls that have not ended; a step ends when none is left. */
  readonly running: Set<Promise<unknown>>
  readonly changedFiles: Set<string>
  toolCalls: number
  /** The text of the model before its tool calls. */
  said: string
}

export interface SceneOptions {
  /** The engine, from openHooks. The caller closes it. */
  readonly hooks: Hooks
  /** Rows in addition to those of the standard tools: which events belong to which tool. */
  readonly toolEvents?: Readonly<Record<string, ToolEvents>>
  /** The folder that the agent works in (default: the current one). */
  readonly workspace?: string
  /** The application's own question about a tool call; skipped if a hook allows the call. */
  readonly approve?: Approve
}

export function openScene(
  { hooks, toolEvents, workspace = process.cwd(), approve }: Partial<SceneOptions>,
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
    approve: approve && hooks ? question => hooks.ask(() => approve(question), question.signal) : approve,
    leavesApproval,
    running: new Set(),
    changedFiles: new Set(),
    toolCalls: 0,
    said: '',
  }
}
