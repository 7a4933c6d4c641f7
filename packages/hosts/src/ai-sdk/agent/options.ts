// The options of an agent, and the conversations that they create: the one with the user, and those of the subagents.

import type { Session } from '@holdfast/hooks'
import type { ToolSet } from 'ai'
import { Compaction, type CompactionOptions } from './compaction.js'
import { Conversation, type ConversationOptions, type Listening } from './conversation.js'
import type { Model } from './hooked-model.js'
import type { LifeOptions } from './life.js'
import { openScene, type SceneOptions } from './scene.js'
import { runSubagent, type SubagentOptions } from './subagent.js'
import { TASK, taskTool } from './task-tool.js'

export interface AgentOptions extends SceneOptions, LifeOptions {
  readonly model: Model
  readonly instructions?: string
  readonly tools?: ToolSet
  /** Agents that the model may delegate tasks to, by type. */
  readonly subagents?: Readonly<Record<string, SubagentOptions>>
  readonly compaction?: CompactionOptions
  /** Model calls in a row for one message (default: 50). */
  readonly maxSteps?: number
  readonly settings?: ConversationOptions['settings']
  /** Messages of hooks for the user that block nothing. */
  readonly onNotice?: (text: string) => void
}

const MAX_STEPS = 50
/** Limits nested subagents; each level is a conversation that waits. */
const MAX_DEPTH = 5

/** Mistakes that would otherwise appear only when a model reaches them. */
export function checkOptions({ tools = {}, subagents = {} }: AgentOptions): void {
  const types = Object.entries(subagents)
  if (types.length > 0 && Object.hasOwn(tools, TASK)) {
    throw new TypeError(
      `"tools" has a ${TASK}, which is the tool that "subagents" adds: give yours another name.`,
    )
  }
  for (const [type, { tools: names = [] }] of types) {
    const missing = names.find(name => name !== TASK && !Object.hasOwn(tools, name))
    if (missing !== undefined) {
      const known = [...Object.keys(tools), TASK].join(', ')
      throw new TypeError(`The subagent "${type}" names the tool "${missing}"; there are ${known}.`)
    }
  }
}

/** With the user. `listening` receives the parts of the running turn. */
export const openConversation = (
  options: AgentOptions,
  session: Session,
  system: string,
  listening: () => Listening,
): Conversation =>
  open(options, listening, {
    session,
    system,
    model: options.model,
    tools: options.tools ?? {},
    type: null,
    depth: Object.keys(options.subagents ?? {}).length > 0 ? 0 : MAX_DEPTH,
  })

interface Given extends Pick<ConversationOptions, 'model' | 'system' | 'tools'> {
  readonly session: Session
  readonly type: string | null
  /** The number of agents around it. At the greatest depth there is no Task tool. */
  readonly depth: number
}

function open(options: AgentOptions, listening: () => Listening, given: Given): Conversation {
  const { session, type, model, system, depth } = given
  const { compaction } = options
  const task = depth < MAX_DEPTH ? taskOf(options, listening, given) : undefined
  const notice = (text: string) => options.onNotice?.(text)
  return new Conversation({
    scene: openScene(options, { session, task, leavesApproval: false }),
    model,
    system,
    tools: { ...given.tools, ...task?.tools },
    settings: options.settings ?? {},
    maxSteps: options.maxSteps ?? MAX_STEPS,
    compaction: compaction && new Compaction(compaction, model, notice),
    subagent: type,
    notice,
  })
}

/** The tool that starts subagents of the given agent. */
function taskOf(options: AgentOptions, listening: () => Listening, { session, depth }: Given) {
  const { subagents = {}, tools = {} } = options
  const modelOf = (type: string) => subagents[type]?.model ?? options.model
  const kinds = Object.entries(subagents).map(([type, { description }]) => {
    return [type, { description, modelId: modelOf(type).modelId }] as const
  })
  return taskTool(Object.fromEntries(kinds), (input, { toolCallId, abortSignal }) => {
    const { subagent_type: type } = input
    const { instructions, tools: names } = subagents[type]!
    const model = modelOf(type)
    const child = open(options, listening, {
      session: session.subagent({ model: model.modelId, subagentId: toolCallId }),
      system: instructions,
      model,
      tools: names ? only(tools, names) : tools,
      type,
      depth: names?.includes(TASK) ? depth + 1 : MAX_DEPTH,
    })
    return runSubagent(child, input, { ...listening(), signal: abortSignal })
  })
}

const only = (tools: ToolSet, names: readonly string[]): ToolSet =>
  Object.fromEntries(Object.entries(tools).filter(([name]) => names.includes(name)))
