// Task: an agent inside the agent. It is a conversation of its own, with the same hooks around everything it does.

import type { Session } from '@holdfast/hooks'
import { jsonSchema, type ToolSet, tool } from 'ai'
import type { Conversation, Listening } from './conversation.js'
import type { Model } from './hooked-model.js'
import type { PreparedOptions } from './hooked-tool.js'
import { runLoop } from './loop.js'
import { fire, type Scene } from './scene.js'
import { ToolCallError } from './tool-errors.js'
import type { ToolEvents } from './tool-events.js'

export interface SubagentOptions {
  /** When the model should use it. */
  readonly description: string
  readonly instructions: string
  /** Names of the agent's tools; all but Task when absent. */
  readonly tools?: readonly string[]
  readonly model?: Model
}

/** The child's conversation for one Task call. */
export type OpenChild = (type: string, session: Session, parentage: Scene['parentage']) => Conversation

export interface TaskSetting {
  readonly subagents: Readonly<Record<string, SubagentOptions>>
  readonly session: Session
  readonly modelOf: (type: string) => Model
  readonly openChild: OpenChild
  readonly onPart: () => Listening['onPart']
}

export interface TaskTool {
  readonly tools: ToolSet
  readonly prepare: NonNullable<ToolEvents['prepare']>
}

interface TaskInput {
  readonly description: string
  readonly prompt: string
  readonly subagent_type: string
}

export function taskTool(setting: TaskSetting): TaskTool {
  const { subagents, modelOf } = setting
  const types = Object.keys(subagents)
  const list = types.map(type => `- ${type}: ${subagents[type]!.description}`).join('\n')
  const Task = tool({
    description: `Hands a task to a subagent, which works on its own and reports once. Types:\n${list}`,
    inputSchema: jsonSchema<TaskInput>(
      {
        type: 'object',
        properties: {
          description: { type: 'string', description: 'The task in a few words.' },
          prompt: { type: 'string', description: 'The whole task; the subagent knows nothing else.' },
          subagent_type: { type: 'string', enum: types },
        },
        required: ['description', 'prompt', 'subagent_type'],
        additionalProperties: false,
      },
      { validate: value => validTask(value, types) },
    ),
    execute: (input: TaskInput, options: PreparedOptions) => runTask(setting, input, options),
  })
  return {
    tools: { Task } as ToolSet,
    prepare: ({ input }) => ({ subagent_model: modelOf(String(input.subagent_type)).modelId }),
  }
}

async function runTask(setting: TaskSetting, input: TaskInput, options: PreparedOptions): Promise<string> {
  const { toolCallId: id, abortSignal } = options
  const { session, openChild } = setting
  const began = performance.now()
  const parentage = { parent_conversation_id: session.conversationId, subagent_id: id }
  const child = session.subagent({ model: setting.modelOf(input.subagent_type).modelId })
  const conversation = openChild(input.subagent_type, child, parentage)
  const { scene } = conversation.options
  conversation.hear(input.prompt)
  const listening = { signal: abortSignal, onPart: setting.onPart() }
  const turned = await runLoop(conversation, listening, async ({ status, text, error }) => {
    const { followupMessage } = await fire(scene, 'subagentStop', {
      subagent_type: input.subagent_type,
      status,
      task: input.prompt,
      description: input.description,
      summary: text,
      duration_ms: performance.now() - began,
      message_count: conversation.messages.length,
      tool_call_count: scene.toolCalls,
      modified_files: [...scene.changedFiles],
      ...(error === undefined ? {} : { error_message: messageOf(error) }),
    })
    return followupMessage
  })
  if (turned.status === 'error') throw new ToolCallError(`The subagent failed: ${messageOf(turned.error)}`)
  abortSignal?.throwIfAborted()
  return turned.text || 'The subagent ended without a report.'
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function validTask(value: unknown, types: readonly string[]) {
  const { description, prompt, subagent_type } = Object(value) as Partial<Record<keyof TaskInput, unknown>>
  const wrong = (message: string) => ({ success: false as const, error: new Error(message) })
  if (typeof prompt !== 'string' || prompt === '') return wrong('"prompt" must be text.')
  if (description !== undefined && typeof description !== 'string')
    return wrong('"description" must be text.')
  if (typeof subagent_type !== 'string' || !types.includes(subagent_type)) {
    return wrong(`"subagent_type" must be one of ${types.join(', ')}.`)
  }
  return { success: true as const, value: { description: description ?? '', prompt, subagent_type } }
}
