// A call of a tool-loop agent with hooks in its model and around its tools. `prepareCall` of the application may depend
// on outside state, so it runs once, and all rounds use its result.

import { type ModelMessage, type OutputInterface, type StepResult, ToolLoopAgent, type ToolSet } from 'ai'
import { hookModel } from '../agent/hooked-model.js'
import { tellInvalidCall } from '../agent/hooked-tool.js'
import type { Scene } from '../agent/scene.js'
import { count, noUsage, type Usage } from '../agent/usage.js'
import { anyModel } from './any-model.js'
import type { Settings } from './settings.js'

export interface PreparedCallOptions {
  readonly settings: Settings
  readonly scene: Scene
  /** The tools of a call, with hooks around them. */
  hookTools(tools: ToolSet | undefined): ToolSet
  /** The instructions that sessionStart adds. */
  readonly context: string | null
  /** The messages that may be sent; throws if hooks block them. */
  submit(messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]>
}

type Prepare = NonNullable<Settings['prepareCall']>
type Prepared = Awaited<ReturnType<Prepare>>
type Instructions = Settings['instructions']

/** Names of version 7 of the AI SDK. */
interface Later {
  readonly onStepEnd?: Settings['onStepFinish']
  readonly instructions?: Instructions
}

export class PreparedCall {
  /** Sent and received messages so far. */
  messages: readonly ModelMessage[] = []
  private prepared: Prepared | undefined
  private usage = noUsage()

  constructor(private readonly options: PreparedCallOptions) {}

  /** Hooks allowed it. */
  get isSent(): boolean {
    return this.prepared !== undefined
  }

  /** Since it was last read. */
  takeUsage(): Usage {
    const { usage } = this
    this.usage = noUsage()
    return usage
  }

  /** For one round. */
  agent(): ToolLoopAgent<never, ToolSet, OutputInterface> {
    const { settings, scene, context } = this.options
    const { prepareStep } = settings
    const own = (settings as Settings & Later).onStepEnd ?? settings.onStepFinish
    const ended = async (step: StepResult<ToolSet>) => {
      await this.heard(step)
      await own?.(step)
    }
    return new ToolLoopAgent<never, ToolSet, OutputInterface>({
      ...settings,
      prepareCall: given => this.prepare(given),
      ...(prepareStep && {
        prepareStep: async given => {
          const step = await prepareStep(given)
          if (!step) return step
          const { model, system, instructions } = step as typeof step & Later
          return {
            ...step,
            ...(model ? { model: hookModel(anyModel(model), scene) } : {}),
            ...(system === undefined ? {} : { system: withContext(system, context)! }),
            ...(instructions === undefined ? {} : { instructions: withContext(instructions, context) }),
          }
        },
      }),
      // Version 7 reads the first name if both are set, version 6 knows only the second.
      ...{ onStepEnd: ended },
      onStepFinish: ended,
    })
  }

  private async prepare(given: Parameters<Prepare>[0]): Promise<Prepared> {
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
    // The SDK takes either, not both.
    return { ...this.prepared, prompt: undefined, messages: [...this.messages] } as unknown as Prepared
  }

  private async heard({ usage, toolCalls }: StepResult<ToolSet>): Promise<void> {
    count(this.usage, usage)
    for (const call of toolCalls) if (call.invalid) await tellInvalidCall(this.options.scene, call)
  }
}

function messagesOf({ prompt, messages }: Prepared): readonly ModelMessage[] {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }]
  return prompt ?? messages ?? []
}

/** The instructions in any form, with the additions of hooks. */
function withContext(instructions: Instructions, context: string | null): Instructions {
  if (!context) return instructions
  if (instructions === undefined || instructions === '') return context
  if (typeof instructions === 'string') return `${instructions}\n\n${context}`
  const added = { role: 'system' as const, content: context }
  return [...(Array.isArray(instructions) ? instructions : [instructions]), added]
}
