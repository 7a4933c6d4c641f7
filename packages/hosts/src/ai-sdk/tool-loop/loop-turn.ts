// One message through a tool-loop agent: prepared once, then in as many rounds as hooks want. Each round is a call of
// an agent with the same settings, with hooks in its model and around its tools.

import {
  type AgentStreamParameters,
  type GenerateTextResult,
  type ModelMessage,
  type OutputInterface,
  type StepResult,
  type StreamTextResult,
  ToolLoopAgent,
  type ToolSet,
} from 'ai'
import type { Worked } from '../agent/conversation.js'
import { hookModel } from '../agent/hooked-model.js'
import { tellInvalidCall } from '../agent/hooked-tool.js'
import type { Scene } from '../agent/scene.js'
import { hasOpenCalls } from '../agent/unanswered.js'
import { count, noUsage } from '../agent/usage.js'
import { anyModel } from './any-model.js'
import { withContext } from './context.js'
import type { Settings } from './settings.js'

export type Params = AgentStreamParameters<never, ToolSet>
export type Generated = GenerateTextResult<ToolSet, OutputInterface>
export type Streamed = StreamTextResult<ToolSet, OutputInterface>

export interface LoopTurnOptions {
  readonly settings: Settings
  readonly scene: Scene
  /** The tools of a call, with hooks around them. */
  hookTools(tools: ToolSet | undefined): ToolSet
  /** What sessionStart adds to the instructions. */
  readonly context: string | null
  readonly signal: AbortSignal
  /** The messages that may be sent; throws when they may not. */
  submit(messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]>
  /** Tells that the agent stopped; returns the message to go on with. */
  ending(worked: Worked, messageCount: number): Promise<string | null>
  notice(text: string): void
}

/** A stream, and the next one when hooks go on. */
export interface Round {
  readonly result: Streamed
  readonly next: Promise<Round | null>
}

type Prepare = NonNullable<Settings['prepareCall']>
type Prepared = Awaited<ReturnType<Prepare>>

export class LoopTurn {
  private prepared: Prepared | undefined
  /** What was sent and what came back, so far. */
  messages: readonly ModelMessage[] = []
  private usage = noUsage()

  constructor(private readonly options: LoopTurnOptions) {}

  /** The results of all rounds. */
  async generate(params: Params): Promise<Generated[]> {
    const results: Generated[] = []
    for (;;) {
      const result = await this.generateOnce(params)
      results.push(result)
      const { text, response, content } = result
      const followup = await this.settle('completed', { text, content, said: response.messages })
      if (followup === null) return results
    }
  }

  private async generateOnce(params: Params): Promise<Generated> {
    const { signal } = this.options
    try {
      return await this.agent().generate({ ...params, abortSignal: signal })
    } catch (error) {
      // What was never sent has not stopped.
      if (this.prepared) await this.settle(signal.aborted ? 'aborted' : 'error', { error })
      throw error
    }
  }

  async stream(params: Params): Promise<Round> {
    const { signal } = this.options
    const result = await this.agent().stream({ ...params, abortSignal: signal })
    const next = this.follow(result).then(followup => (followup === null ? null : this.stream(params)))
    // Who reads the stream to its end hears of it.
    next.catch(() => {})
    return { result, next }
  }

  /** Reads along to the end, whether or not the application does: hooks hear how it ended. */
  private async follow(result: Streamed): Promise<string | null> {
    let status: Worked['status'] = 'completed'
    let error: unknown
    try {
      for await (const part of result.fullStream) {
        if (part.type === 'abort') status = 'aborted'
        if (part.type === 'error') [status, error] = ['error', part.error]
      }
      if (status === 'completed') {
        const [text, content, response] = await Promise.all([result.text, result.content, result.response])
        return await this.settle(status, { text, content, said: response.messages })
      }
    } catch (thrown) {
      ;[status, error] = [this.options.signal.aborted ? 'aborted' : 'error', thrown]
    }
    return this.settle(status, { error })
  }

  private async settle(status: Worked['status'], ended: Ended): Promise<string | null> {
    const { scene, ending, notice } = this.options
    const { usage } = this
    this.usage = noUsage()
    // After an abort, tools may still be telling their hooks that they failed.
    await Promise.allSettled(scene.running)
    this.messages = [...this.messages, ...(ended.said ?? [])]
    // It has not stopped: the application has a question first, and goes on then.
    if (ended.content?.some(({ type }) => type === 'tool-approval-request')) return null
    const { text = '', error } = ended
    const worked = { status, text, usage, ...(error === undefined ? {} : { error }) }
    const followup = await ending(worked, this.messages.length)
    if (followup === null || status !== 'completed') return null
    if (hasOpenCalls(this.messages)) {
      notice(`A hook wants to go on, but a tool call waits for the application: ${followup}`)
      return null
    }
    this.messages = [...this.messages, { role: 'user', content: followup }]
    return followup
  }

  private agent(): ToolLoopAgent<never, ToolSet, OutputInterface> {
    const { settings, scene, context } = this.options
    const { prepareStep } = settings
    return new ToolLoopAgent<never, ToolSet, OutputInterface>({
      ...settings,
      prepareCall: given => this.prepareCall(given),
      ...(prepareStep && {
        prepareStep: async given => {
          const step = await prepareStep(given)
          if (!step) return step
          const { model, system } = step
          return {
            ...step,
            ...(model ? { model: hookModel(anyModel(model), scene) } : {}),
            ...(system === undefined ? {} : { system: withContext(system, context)! }),
          }
        },
      }),
      onStepFinish: async step => {
        await this.heard(step)
        await settings.onStepFinish?.(step)
      },
    })
  }

  /** Once for all rounds: what the application makes of a call may depend on more than the call. */
  private async prepareCall(given: Parameters<Prepare>[0]): Promise<Prepared> {
    const { settings, scene, context, hookTools, submit } = this.options
    if (!this.prepared) {
      const prepared: Prepared = (await settings.prepareCall?.(given)) ?? given
      this.messages = await submit(messagesOf(prepared))
      const instructions = withContext(prepared.instructions, context)
      this.prepared = {
        ...prepared,
        model: hookModel(anyModel(prepared.model), scene),
        tools: hookTools(prepared.tools),
        ...(instructions === undefined ? {} : { instructions }),
      }
    }
    // Either is allowed, not both.
    return { ...this.prepared, prompt: undefined, messages: [...this.messages] } as unknown as Prepared
  }

  private async heard({ usage, toolCalls }: StepResult<ToolSet>): Promise<void> {
    count(this.usage, usage)
    for (const call of toolCalls) if (call.invalid) await tellInvalidCall(this.options.scene, call)
  }
}

interface Ended {
  readonly text?: string
  readonly content?: readonly { readonly type: string }[]
  readonly said?: readonly ModelMessage[]
  readonly error?: unknown
}

function messagesOf({ prompt, messages }: Prepared): readonly ModelMessage[] {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }]
  return prompt ?? messages ?? []
}
