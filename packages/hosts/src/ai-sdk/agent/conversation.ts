// One conversation with a model: its messages, and the work between a message of the user and the final response. Each
// step is one call of the model with its tool calls. The loop is here, so that earlier steps are kept if a later one
// fails, and messages can be summarised between steps.

import {
  type CallSettings,
  type ModelMessage,
  stepCountIs,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai'
import type { Compaction } from './compaction.js'
import { hookModel, type Model } from './hooked-model.js'
import { hookTools, tellInvalidCall } from './hooked-tool.js'
import type { Scene } from './scene.js'
import { withAnswers } from './unanswered.js'
import { count, noUsage, type Usage } from './usage.js'

export type Part = TextStreamPart<ToolSet>

/** The conversation that a part of the stream belongs to. */
export interface Speaker {
  readonly conversationId: string
  /** The type of the subagent; null in the conversation with the user. */
  readonly subagent: string | null
}

export interface Listening {
  readonly signal?: AbortSignal | undefined
  readonly onPart?: ((part: Part, speaker: Speaker) => void) | undefined
  /** A hook continues with this message, as if the user had sent it. */
  readonly onFollowup?: ((message: string, speaker: Speaker) => void) | undefined
}

export interface ConversationOptions {
  readonly scene: Scene
  readonly model: Model
  readonly system: string
  readonly tools: ToolSet
  readonly settings: Omit<CallSettings, 'abortSignal'>
  readonly maxSteps: number
  readonly compaction: Compaction | undefined
  readonly subagent: string | null
  readonly notice: (text: string) => void
}

export interface Worked {
  readonly status: 'completed' | 'aborted' | 'error'
  /** The final message of the model. */
  readonly text: string
  readonly usage: Usage
  /** The cause, if the status is error. */
  readonly error?: unknown
}

export class Conversation {
  messages: ModelMessage[] = []
  readonly speaker: Speaker
  private readonly model: Model
  private readonly tools: ToolSet

  constructor(readonly options: ConversationOptions) {
    const { scene, model, tools, subagent } = options
    this.model = hookModel(model, scene)
    this.tools = hookTools(tools, scene)
    this.speaker = { conversationId: scene.session.conversationId, subagent }
  }

  hear(text: string): void {
    this.messages = [...withAnswers(this.messages), { role: 'user', content: text }]
  }

  /** Runs until the model is done. Does not throw: the result contains the error. */
  async work(listening: Listening): Promise<Worked> {
    const { scene, maxSteps, compaction, notice } = this.options
    const usage = noUsage()
    let text = ''
    const worked = (status: Worked['status'], error?: unknown): Worked =>
      error === undefined ? { status, text, usage } : { status, text, usage, error }
    for (let step = 0; step < maxSteps; step++) {
      try {
        listening.signal?.throwIfAborted()
        await compaction?.whenFull(this, listening.signal)
        const ended = await this.step(listening, usage)
        if (ended.text) text = ended.text
        if (!ended.goesOn) return worked('completed')
      } catch (error) {
        return listening.signal?.aborted ? worked('aborted') : worked('error', error)
      } finally {
        // After an abort, hooks of failed tools may still be running.
        await Promise.allSettled(scene.running)
      }
    }
    notice(`The agent was stopped after ${maxSteps} calls of the model in a row.`)
    return worked('completed')
  }

  private async step({ signal, onPart }: Listening, usage: Usage) {
    const { scene, system, settings, compaction } = this.options
    const inner = new AbortController()
    const result = streamText({
      ...settings,
      model: this.model,
      ...(system ? { system } : {}),
      messages: this.messages,
      tools: this.tools,
      stopWhen: stepCountIs(1),
      abortSignal: signal ? AbortSignal.any([signal, inner.signal]) : inner.signal,
      // The stream below reports errors; the SDK would print them.
      onError: () => {},
    })
    try {
      for await (const part of result.fullStream) {
        onPart?.(part, this.speaker)
        if (part.type === 'error') throw part.error
        if (part.type === 'tool-call' && part.invalid) await tellInvalidCall(scene, part)
        if (part.type === 'abort') throw signal?.reason ?? new Error('The turn was aborted.')
      }
    } catch (error) {
      inner.abort(error)
      throw error
    }
    const [response, spent, text, calls, results] = await Promise.all([
      result.response,
      result.totalUsage,
      result.text,
      result.toolCalls,
      result.content,
    ])
    this.messages.push(...response.messages)
    count(usage, spent)
    compaction?.measured((spent.inputTokens ?? 0) + (spent.outputTokens ?? 0))
    const answered = new Set(
      results.flatMap(part =>
        part.type === 'tool-result' || part.type === 'tool-error' ? [part.toolCallId] : [],
      ),
    )
    // The application answers calls that have no tool here.
    const goesOn = calls.length > 0 && calls.every(({ toolCallId }) => answered.has(toolCallId))
    return { text, goesOn }
  }
}
