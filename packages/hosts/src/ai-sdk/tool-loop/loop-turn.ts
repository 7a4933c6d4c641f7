// One message through a tool-loop agent, in as many rounds as hooks request. Each round is a call of the agent.

import type {
  AgentStreamParameters,
  GenerateTextResult,
  ModelMessage,
  OutputInterface,
  StreamTextResult,
  ToolSet,
} from 'ai'
import type { Worked } from '../agent/conversation.js'
import { hasOpenCalls } from '../agent/unanswered.js'
import { messagesOf, streamedMessages } from './joined-result.js'
import { PreparedCall, type PreparedCallOptions } from './prepared-call.js'

export type Params = AgentStreamParameters<never, ToolSet>
export type Generated = GenerateTextResult<ToolSet, OutputInterface>
export type Streamed = StreamTextResult<ToolSet, OutputInterface>

export interface LoopTurnOptions extends PreparedCallOptions {
  readonly signal: AbortSignal
  /** Fires the stop event; returns the message to continue with. */
  ending(worked: Worked, messageCount: number): Promise<string | null>
  notice(text: string): void
}

/** A stream, followed by the next one if hooks continue. */
export interface Round {
  readonly result: Streamed
  readonly next: Promise<Round | null>
}

/** How a round ended. */
interface Ended {
  readonly status: Worked['status']
  readonly text?: string
  readonly content?: readonly { readonly type: string }[]
  readonly said?: readonly ModelMessage[]
  readonly error?: unknown
}

export class LoopTurn {
  private readonly call: PreparedCall

  constructor(private readonly options: LoopTurnOptions) {
    this.call = new PreparedCall(options)
  }

  get messages(): readonly ModelMessage[] {
    return this.call.messages
  }

  /** The results of all rounds. */
  async generate(params: Params): Promise<Generated[]> {
    const results: Generated[] = []
    for (;;) {
      const result = await this.generateOnce(params)
      results.push(result)
      const { text, content } = result
      if (!(await this.goesOn({ status: 'completed', text, content, said: messagesOf(result) })))
        return results
    }
  }

  private async generateOnce(params: Params): Promise<Generated> {
    const { signal } = this.options
    try {
      return await this.call.agent().generate({ ...params, abortSignal: signal })
    } catch (error) {
      // A message that was never sent has no stop event.
      if (this.call.isSent) await this.goesOn({ status: signal.aborted ? 'aborted' : 'error', error })
      throw error
    }
  }

  async stream(params: Params): Promise<Round> {
    const { signal } = this.options
    const result = await this.call.agent().stream({ ...params, abortSignal: signal })
    const next = this.endOf(result)
      .then(ended => this.goesOn(ended))
      .then(goesOn => (goesOn ? this.stream(params) : null))
    // A caller that reads the stream to its end gets the error there.
    next.catch(() => {})
    return { result, next }
  }

  /** Reads the stream in parallel, even if the application does not, so that hooks receive its end. */
  private async endOf(result: Streamed): Promise<Ended> {
    let ended: Ended = { status: 'completed' }
    try {
      for await (const part of result.fullStream) {
        if (part.type === 'abort') ended = { status: 'aborted' }
        if (part.type === 'error') ended = { status: 'error', error: part.error }
      }
      if (ended.status !== 'completed') return ended
      const [text, content, said] = await Promise.all([result.text, result.content, streamedMessages(result)])
      return { ...ended, text, content, said }
    } catch (error) {
      return { status: this.options.signal.aborted ? 'aborted' : 'error', error }
    }
  }

  /** Fires the events at the end of a round; true if hooks request another one, which then has their message. */
  private async goesOn({ status, text = '', content = [], said = [], error }: Ended): Promise<boolean> {
    const { scene, ending, notice } = this.options
    const { call } = this
    // After an abort, hooks of failed tools may still be running.
    await Promise.allSettled(scene.running)
    call.messages = [...call.messages, ...said]
    // Not stopped: the application has a question first, and continues then.
    if (content.some(({ type }) => type === 'tool-approval-request')) return false
    const worked = { status, text, usage: call.takeUsage(), ...(error === undefined ? {} : { error }) }
    const followup = await ending(worked, call.messages.length)
    if (followup === null || status !== 'completed') return false
    if (hasOpenCalls(call.messages)) {
      notice(`A hook asks to continue, but a tool call is waiting for the application: ${followup}`)
      return false
    }
    call.messages = [...call.messages, { role: 'user', content: followup }]
    return true
  }
}
