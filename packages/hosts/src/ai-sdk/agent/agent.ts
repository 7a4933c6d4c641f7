// An agent with hooks, from the first event of its session to the last.

import { HookBlockedError, isBlocked, type Session } from '@holdfast/hooks'
import { findEvent } from '@holdfast/hooks/protocol'
import type { ModelMessage } from 'ai'
import type { Conversation, Listening } from './conversation.js'
import { endWhenLeaving } from './leaving.js'
import { runLoop, type Turned } from './loop.js'
import { type AgentOptions, openConversation } from './options.js'
import { fire, guard, type Scene } from './scene.js'

export interface SendOptions extends Listening {
  readonly attachments?: readonly { readonly type: 'file' | 'rule'; readonly file_path: string }[]
}

export interface Turn extends Omit<Turned, 'status'> {
  readonly status: Turned['status'] | 'blocked'
  /** What hooks told the person, when they kept the message from being sent. */
  readonly blocked?: string
}

export interface Agent {
  readonly session: Session
  readonly messages: readonly ModelMessage[]
  /** One message of the person, until the agent is done with it. Throws what the model threw. */
  send(prompt: string, options?: SendOptions): Promise<Turn>
  /** Summarises older messages now; false when there are too few. Needs the option `compaction`. */
  compact(signal?: AbortSignal): Promise<boolean>
  /** Ends the session, once; a turn that is under way is aborted first. */
  end(reason?: EndReason, error?: unknown): Promise<void>
}

export type EndReason = 'completed' | 'aborted' | 'error' | 'window_close' | 'user_close'

/** Begins a session. Throws HookBlockedError when hooks do not let it begin. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { hooks, model } = options
  const session = await hooks.startSession({ model: model.modelId, ...options.session })
  const { started } = session
  if (started && isBlocked(started)) {
    const words = findEvent(started.event)?.blocked?.user ?? ''
    const said = started.userMessage ? `${words}: ${started.userMessage}` : words
    throw new HookBlockedError(started, said, said)
  }
  return new RunningAgent(options, session)
}

/** Runs `work` with an agent whose session ends on every way out of it. */
export async function withAgent<T>(options: AgentOptions, work: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = await startAgent(options)
  try {
    const result = await work(agent)
    await agent.end('completed')
    return result
  } catch (error) {
    await agent.end(isAbort(error) ? 'aborted' : 'error', error)
    throw error
  }
}

class RunningAgent implements Agent {
  private readonly conversation: Conversation
  private readonly scene: Scene
  private readonly stay: () => void
  private turn: { readonly controller: AbortController; readonly over: Promise<unknown> } | undefined
  private onPart: Listening['onPart']
  private ending: Promise<void> | undefined

  constructor(
    private readonly options: AgentOptions,
    readonly session: Session,
  ) {
    const system = [options.instructions, session.started?.additionalContext].filter(Boolean).join('\n\n')
    this.conversation = openConversation(options, session, system, () => this.onPart)
    this.scene = this.conversation.options.scene
    const watches = options.endsWithProcess ?? true
    this.stay = watches ? endWhenLeaving((reason, error) => this.end(reason, error)) : () => {}
  }

  get messages(): readonly ModelMessage[] {
    return this.conversation.messages
  }

  async send(prompt: string, options: SendOptions = {}): Promise<Turn> {
    if (this.ending) throw new Error('The session has ended: start another agent.')
    if (this.turn) throw new Error('A message is being worked on: wait for its turn to end.')
    const controller = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal
    const over = this.take(prompt, { ...options, signal })
    this.turn = { controller, over }
    try {
      return await over
    } finally {
      this.turn = undefined
    }
  }

  private async take(prompt: string, { attachments = [], ...listening }: SendOptions): Promise<Turn> {
    const { conversation, scene } = this
    const facts = { prompt, attachments: attachments.map(each => ({ ...each })) }
    const blocked = await this.blocked(facts, false, listening.signal)
    const unsent = { text: '', followups: [], usage: noUsage() }
    if (blocked === 'aborted') return { status: 'aborted', ...unsent }
    if (blocked !== null) return { status: 'blocked', blocked: blocked.words, ...unsent }
    conversation.hear(prompt)
    this.onPart = listening.onPart
    const turned = await runLoop(conversation, listening, async ({ status, usage }) => {
      const { followupMessage } = await fire(scene, 'stop', { status, ...usage })
      if (followupMessage === null || status !== 'completed') return null
      const refused = await this.blocked({ prompt: followupMessage }, true, listening.signal)
      if (refused === null) return followupMessage
      if (refused !== 'aborted') this.options.onNotice?.(refused.words)
      return null
    })
    if (turned.status === 'error') throw turned.error
    return turned
  }

  /** Why a message is not sent, in words for the person; null when it may be. */
  private async blocked(
    facts: { prompt: string; attachments?: { type: 'file' | 'rule'; file_path: string }[] },
    automatic: boolean,
    signal: AbortSignal | undefined,
  ): Promise<{ words: string } | 'aborted' | null> {
    try {
      await guard(this.scene, 'beforeSubmitPrompt', facts, { automatic, ...(signal ? { signal } : {}) })
      return null
    } catch (error) {
      if (HookBlockedError.isInstance(error)) return { words: (error as HookBlockedError).userMessage }
      if (signal?.aborted) return 'aborted'
      throw error
    }
  }

  compact(signal?: AbortSignal): Promise<boolean> {
    const { compaction } = this.conversation.options
    if (!compaction) throw new Error('The agent was started without "compaction".')
    if (this.turn) throw new Error('A message is being worked on: wait for its turn to end.')
    return compaction.compact(this.conversation, 'manual', signal)
  }

  end(reason: EndReason = 'completed', error?: unknown): Promise<void> {
    this.ending ??= this.finish(reason, error)
    return this.ending
  }

  private async finish(reason: EndReason, error: unknown): Promise<void> {
    this.turn?.controller.abort(new Error('The session is ending.'))
    await this.turn?.over.catch(() => {})
    const message = error instanceof Error ? error.message : error === undefined ? undefined : String(error)
    const told = reason === 'error' && message !== undefined ? { error_message: message } : {}
    try {
      await this.session.end({ reason, ...told })
    } finally {
      this.stay()
    }
  }
}

const noUsage = () => ({ input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 })

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
