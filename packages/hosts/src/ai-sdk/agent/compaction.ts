// When the context is nearly full, a summary replaces the older messages. Hooks are called before it happens.

import { generateText, type ModelMessage } from 'ai'
import type { Conversation } from './conversation.js'
import type { Model } from './hooked-model.js'
import { messageOf } from './tool-errors.js'
import { transcript } from './transcript.js'

export interface CompactionOptions {
  /** Tokens that fit into the model's context. */
  readonly contextWindow: number
  /** The share of it at which older messages are summarised. */
  readonly at?: number
  /** Makes the summary (default: the agent's own model). */
  readonly summarise?: (messages: readonly ModelMessage[], signal?: AbortSignal) => Promise<string>
}

const AT = 0.8
/** The last messages stay, because the model is working with them. */
const KEPT = 4

const ASKED =
  'Summarise the conversation below for the agent that continues it: what the user wants, what was decided, which files were read and changed and their state, what failed, and what is left to do. EventFields only, no greeting.'

export class Compaction {
  private tokens = 0
  private times = 0

  constructor(
    private readonly options: CompactionOptions,
    private readonly model: Model,
    private readonly notice: (text: string) => void,
  ) {}

  measured(tokens: number): void {
    this.tokens = tokens
  }

  async whenFull(conversation: Conversation, signal: AbortSignal | undefined): Promise<void> {
    const { contextWindow, at = AT } = this.options
    if (this.tokens < contextWindow * at) return
    try {
      await this.compact(conversation, 'auto', signal)
    } catch (error) {
      if (signal?.aborted) throw error
      // The conversation continues; if it no longer fits, the model fails with an error.
      this.notice(`The conversation could not be summarised: ${messageOf(error)}`)
    }
  }

  /** False if there was nothing old enough to summarise. */
  async compact(
    conversation: Conversation,
    trigger: 'auto' | 'manual',
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { messages } = conversation
    const cut = cutOf(messages)
    if (cut === 0) return false
    const { contextWindow } = this.options
    const { userMessage } = await conversation.options.scene.session.fire('preCompact', {
      trigger,
      context_usage_percent: Math.min(100, Math.round((100 * this.tokens) / contextWindow)),
      context_tokens: this.tokens,
      context_window_size: contextWindow,
      message_count: messages.length,
      messages_to_compact: cut,
      is_first_compaction: this.times === 0,
    })
    if (userMessage) this.notice(userMessage)
    const summary = await this.summarise(messages.slice(0, cut), signal)
    const first: ModelMessage = { role: 'user', content: `Summary of the conversation so far:\n\n${summary}` }
    conversation.messages = [first, ...messages.slice(cut)]
    this.tokens = 0
    this.times++
    return true
  }

  private async summarise(messages: ModelMessage[], signal?: AbortSignal): Promise<string> {
    if (this.options.summarise) return this.options.summarise(messages, signal)
    const { text } = await generateText({
      model: this.model,
      prompt: `${ASKED}\n\n${transcript(messages)}`,
      ...(signal ? { abortSignal: signal } : {}),
    })
    if (text.trim() === '') throw new Error('the model gave no summary')
    return text
  }
}

/** A tool result needs its call, so the rest begins with a message of the user or the model. */
function cutOf(messages: readonly ModelMessage[]): number {
  let cut = messages.length - KEPT
  while (cut > 0 && messages[cut]?.role === 'tool') cut--
  return Math.max(0, cut)
}
