// A subagent: a conversation of its own, with the same hooks.

import type { Conversation, Listening, Worked } from './conversation.js'
import type { Model } from './hooked-model.js'
import { runLoop } from './loop.js'
import type { Scene } from './scene.js'
import type { TaskInput } from './task-tool.js'
import { messageOf, ToolCallError } from './tool-errors.js'

export interface SubagentOptions {
  /** When the model should use it. */
  readonly description: string
  readonly instructions: string
  /** Names of the agent's tools (default: all but Task). With Task it may start subagents of its own. */
  readonly tools?: readonly string[]
  readonly model?: Model
}

/** From the task to the report. */
export async function runSubagent(
  conversation: Conversation,
  input: TaskInput,
  listening: Listening,
): Promise<string> {
  const tell = subagentEnding(conversation.options.scene, input)
  conversation.hear(input.prompt)
  const turned = await runLoop(conversation, listening, worked => tell(worked, conversation.messages.length))
  return reportOf(turned, listening.signal)
}

/** The end of the subagent, in the words of the events; the message to continue with is returned. */
export function subagentEnding(scene: Scene, input: TaskInput) {
  const began = performance.now()
  return async ({ status, text, error }: Pick<Worked, 'status' | 'text' | 'error'>, messages: number) => {
    await scene.session.settled()
    const { followupMessage } = await scene.session.fire('subagentStop', {
      subagent_type: input.subagent_type,
      status,
      task: input.prompt,
      description: input.description,
      summary: text,
      duration_ms: performance.now() - began,
      message_count: messages,
      tool_call_count: scene.toolCalls,
      modified_files: [...scene.changedFiles],
      ...(error === undefined ? {} : { error_message: messageOf(error) }),
    })
    return followupMessage
  }
}

/** The text that the parent agent reads. */
export function reportOf(
  { status, text, error }: Pick<Worked, 'status' | 'text' | 'error'>,
  signal: AbortSignal | undefined,
): string {
  if (status === 'error') throw new ToolCallError(`The subagent failed: ${messageOf(error)}`)
  signal?.throwIfAborted()
  return text || 'The subagent ended without a report.'
}
