// What an application says about its agent, and the conversations that follow from it: the one with the person, and
// those of the subagents inside it.

import type { Hooks, Session, SessionOptions } from '@holdfast/hooks'
import type { ToolSet } from 'ai'
import { Compaction, type CompactionOptions } from './compaction.js'
import { Conversation, type ConversationOptions, type Listening } from './conversation.js'
import type { Model } from './hooked-model.js'
import { type Approve, newScene, type Scene } from './scene.js'
import { type SubagentOptions, type TaskTool, taskTool } from './subagent.js'
import { TOOL_EVENTS, type ToolEvents } from './tool-events.js'

export interface AgentOptions {
  /** The engine, from openHooks. Closing it stays with whoever opened it. */
  readonly hooks: Hooks
  readonly model: Model
  readonly instructions?: string
  readonly tools?: ToolSet
  /** Rows beside those of the standard tools: which events belong to which tool. */
  readonly toolEvents?: Readonly<Record<string, ToolEvents>>
  /** The folder that the agent works in; the current one when absent. */
  readonly workspace?: string
  /** Agents that the model may hand tasks to, by type. */
  readonly subagents?: Readonly<Record<string, SubagentOptions>>
  /** The application's own question about a tool call; not asked when a hook granted it. */
  readonly approve?: Approve
  readonly compaction?: CompactionOptions
  /** Model calls in a row for one message; 50 when absent. */
  readonly maxSteps?: number
  readonly settings?: ConversationOptions['settings']
  readonly session?: SessionOptions
  /** What hooks want the person to know without stopping anything. */
  readonly onNotice?: (text: string) => void
  /** Whether the session ends when the process leaves by a signal or an error; true when absent. */
  readonly endsWithProcess?: boolean
}

const MAX_STEPS = 50

/** With the person. `onPart` is who listens to the turn that is under way. */
export function openConversation(
  options: AgentOptions,
  session: Session,
  system: string,
  onPart: () => Listening['onPart'],
): Conversation {
  const { subagents = {}, tools = {}, model } = options
  if (Object.keys(subagents).length === 0) return open(options, { session, system, model, tools, type: null })
  const modelOf = (type: string) => subagents[type]?.model ?? model
  // A subagent has no Task of its own: what it starts would be nobody's.
  const task = taskTool({
    subagents,
    session,
    modelOf,
    onPart,
    openChild: (type, child, parentage) => {
      const { instructions, tools: names } = subagents[type]!
      const own = { session: child, system: instructions, model: modelOf(type), type, parentage }
      return open(options, { ...own, tools: names ? only(tools, names) : tools })
    },
  })
  return open(options, { session, system, model, tools: { ...tools, ...task.tools }, type: null, task })
}

interface Given extends Pick<ConversationOptions, 'model' | 'system' | 'tools'> {
  readonly session: Session
  readonly type: string | null
  readonly parentage?: Scene['parentage']
  readonly task?: TaskTool
}

function open(options: AgentOptions, given: Given): Conversation {
  const { session, type, parentage, task, model, system, tools } = given
  const rows = { ...TOOL_EVENTS, ...options.toolEvents }
  const events = task ? { ...rows, Task: { ...rows.Task, prepare: task.prepare } } : rows
  const { workspace = process.cwd(), approve, compaction } = options
  return new Conversation({
    scene: newScene({ session, workspace, events, approve }, parentage),
    model,
    system,
    tools,
    settings: options.settings ?? {},
    maxSteps: options.maxSteps ?? MAX_STEPS,
    compaction: compaction && new Compaction(compaction, model, text => options.onNotice?.(text)),
    subagent: type,
  })
}

const only = (tools: ToolSet, names: readonly string[]): ToolSet =>
  Object.fromEntries(Object.entries(tools).filter(([name]) => names.includes(name)))
