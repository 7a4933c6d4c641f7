// An agent with hooks, from the start of its session to its end.

import { HookBlockedError, type Session } from '@holdfast/hooks'
import type { ModelMessage } from 'ai'
import type { Conversation, Listening } from './conversation.js'
import { beginSession, type EndReason, Life } from './life.js'
import { runLoop, type Turned } from './loop.js'
import { type AgentOptions, checkOptions, openConversation } from './options.js'
import { stopped, submit } from './turn.js'
import { noUsage } from './usage.js'

export interface SendOptions extends Listening {
  readonly attachments?: readonly { readonly type: 'file' | 'rule'; readonly file_path: string }[]
}

export interface Turn extends Omit<Turned, 'status'> {
  readonly status: Turned['status'] | 'blocked'
  /** What hooks tell the user when they block a message. */
  readonly blocked?: string
}

export interface Agent {
  readonly session: Session
  readonly messages: readonly ModelMessage[]
  /** Runs one message of the user until the agent is done. Throws what the model throws. */
  send(prompt: string, options?: SendOptions): Promise<Turn>
  /** Summarises older messages now; false if there are too few. Needs the option `compaction`. */
  compact(signal?: AbortSignal): Promise<boolean>
  /** Ends the session, once; a running turn is aborted first. */
  end(reason?: EndReason, error?: unknown): Promise<void>
}

/** Starts a session. Throws HookBlockedError if hooks block it. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  checkOptions(options)
  const session = await beginSession(options, options.model.modelId)
  return new RunningAgent(options, session)
}

/** Runs `work` with an agent whose session always ends. */
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
  private readonly life: Life
  private listening: Listening = {}

  constructor(
    private readonly options: AgentOptions,
    readonly session: Session,
  ) {
    const system = [options.instructions, session.started?.additionalContext].filter(Boolean).join('\n\n')
    this.conversation = openConversation(options, session, system, () => this.listening)
    this.life = new Life(session, options)
  }

  get messages(): readonly ModelMessage[] {
    return this.conversation.messages
  }

  send(prompt: string, options: SendOptions = {}): Promise<Turn> {
    return this.life.during(options.signal, signal => this.take(prompt, { ...options, signal }))
  }

  private async take(prompt: string, { attachments = [], ...listening }: SendOptions): Promise<Turn> {
    const { conversation } = this
    const { scene, notice } = conversation.options
    const { signal } = listening
    const unsent = { text: '', followups: [], usage: noUsage() }
    let text: string
    try {
      text = await submit(scene, { prompt, attachments: attachments.map(each => ({ ...each })) }, signal)
    } catch (error) {
      if (HookBlockedError.isInstance(error))
        return { status: 'blocked', blocked: error.userMessage, ...unsent }
      if (signal?.aborted) return { status: 'aborted', ...unsent }
      throw error
    }
    conversation.hear(text)
    this.listening = listening
    const turned = await runLoop(conversation, listening, worked => stopped(scene, worked, signal, notice))
    if (turned.status === 'error') throw turned.error
    return turned
  }

  async compact(signal?: AbortSignal): Promise<boolean> {
    const { compaction } = this.conversation.options
    if (!compaction) throw new Error('The agent was started without "compaction".')
    return this.life.during(signal, both => compaction.compact(this.conversation, 'manual', both))
  }

  end(reason?: EndReason, error?: unknown): Promise<void> {
    return this.life.end(reason, error)
  }
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
