// Task: the tool by which a model delegates work to another agent. The caller passes the available agents and the
// function that runs one.

import { jsonSchema, type ToolSet, tool } from 'ai'
import type { PreparedOptions } from './tool-call.js'
import type { ToolEvents } from './tool-events.js'
import { windsDown } from './until-aborted.js'

export const TASK = 'Task'

export interface TaskInput {
  readonly description: string
  readonly prompt: string
  readonly subagent_type: string
}

/** The description of a subagent type for the model and hooks. */
export interface SubagentKind {
  /** When the model should use it. */
  readonly description: string
  readonly modelId: string
}

export type RunTask = (input: TaskInput, options: PreparedOptions) => Promise<string>

export interface TaskTool {
  readonly tools: ToolSet
  readonly prepare: NonNullable<ToolEvents['prepare']>
}

export function taskTool(kinds: Readonly<Record<string, SubagentKind>>, run: RunTask): TaskTool {
  const types = Object.keys(kinds)
  const list = types.map(type => `- ${type}: ${kinds[type]!.description}`).join('\n')
  const Task = tool({
    description: `Hands a task to a subagent, which works on its own and reports once. Types:\n${list}`,
    inputSchema: jsonSchema<TaskInput>(
      {
        type: 'object',
        properties: {
          description: { type: 'string', description: 'The task in a few words.' },
          prompt: { type: 'string', description: 'The complete task; the subagent receives nothing else.' },
          subagent_type: { type: 'string', enum: types },
        },
        required: ['description', 'prompt', 'subagent_type'],
        additionalProperties: false,
      },
      { validate: value => validTask(value, types) },
    ),
    // It ends with the inner conversation, which handles an abort and calls its hooks.
    execute: windsDown(run),
  })
  return {
    tools: { [TASK]: Task } as ToolSet,
    prepare: ({ input }) => ({ subagent_model: kinds[String(input.subagent_type)]?.modelId ?? '' }),
  }
}

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
