// A tool-loop agent of the AI SDK, with hooks. generate and stream work as before, inside a session.

import type { Session } from '@holdfast/hooks'
import type {
  Agent,
  AgentCallParameters,
  GenerateTextResult,
  ModelMessage,
  OutputInterface,
  StreamTextResult,
  ToolSet,
} from 'ai'
import { hookTools } from '../agent/hooked-tool.js'
import { beginSession, type EndReason, Life, type LifeOptions } from '../agent/life.js'
import { openScene, type Scene, type SceneOptions } from '../agent/scene.js'
import { TASK } from '../agent/task-tool.js'
import { stopped } from '../agent/turn.js'
import { anyModel } from './any-model.js'
import { tellDeniedApprovals } from './denied-approvals.js'
import { joinedResult } from './joined-result.js'
import { joinedStream } from './joined-stream.js'
import { type LoopSubagent, loopTask } from './loop-subagent.js'
import { LoopTurn, type Params, type Round } from './loop-turn.js'
import { PromptGate } from './prompt-gate.js'
import { type GivenAgent, type Settings, settingsOf } from './settings.js'

export interface HookedOptions extends SceneOptions, LifeOptions {
  /** Agents that the model may delegate tasks to, by type. */
  readonly subagents?: Readonly<Record<string, LoopSubagent>>
  /** Messages of hooks for the user that block nothing. */
  readonly onNotice?: (text: string) => void
}

export interface HookedAgent<O, T extends ToolSet, P extends OutputInterface> extends Agent<O, T, P> {
  readonly session: Session
  /** The conversation after the last call as the model receives it, with the messages that hooks added. */
  readonly messages: readonly ModelMessage[]
  /** Ends the session, once; a running call is aborted first. */
  end(reason?: EndReason, error?: unknown): Promise<void>
}

/** Starts a session. Throws HookBlockedError if hooks block it. */
export async function withHooks<
  O = never,
  // biome-ignore lint/complexity/noBannedTypes: as the AI SDK has it
  T extends ToolSet = {},
  P extends OutputInterface = never,
>(agent: GivenAgent<O, T, P>, options: HookedOptions): Promise<HookedAgent<O, T, P>> {
  const settings = settingsOf(agent)
  if (options.subagents && Object.hasOwn(settings.tools ?? {}, TASK)) {
    throw new TypeError(
      `The agent has a ${TASK}, which is the tool that "subagents" adds: give yours another name.`,
    )
  }
  const session = await beginSession(options, anyModel(settings.model).modelId)
  return new HookedLoop(settings, options, session) as unknown as HookedAgent<O, T, P>
}

type Called = AgentCallParameters<never, ToolSet>

class HookedLoop implements Agent<never, ToolSet, OutputInterface> {
  readonly version = 'agent-v1'
  readonly id: string | undefined
  readonly tools: ToolSet
  messages: readonly ModelMessage[] = []
  private readonly scene: Scene
  private readonly hookTools: (tools: ToolSet | undefined) => ToolSet
  private readonly gate: PromptGate
  private readonly life: Life

  constructor(
    private readonly settings: Settings,
    private readonly options: HookedOptions,
    readonly session: Session,
  ) {
    this.id = settings.id
    const task = options.subagents && loopTask(options, options.subagents, session)
    const leavesApproval = options.approve === undefined
    this.scene = openScene(options, { session, task, leavesApproval })
    this.hookTools = tools => hookTools({ ...tools, ...task?.tools }, this.scene)
    this.tools = this.hookTools(settings.tools)
    this.gate = new PromptGate(this.scene)
    this.life = new Life(session, options)
  }

  generate(params: Called): Promise<GenerateTextResult<ToolSet, OutputInterface>> {
    return this.life.during(params.abortSignal, async signal => {
      const turn = this.turn(signal)
      return joinedResult(await turn.generate(params as Params).finally(() => this.remember(turn)))
    })
  }

  stream(params: Params): Promise<StreamTextResult<ToolSet, OutputInterface>> {
    return new Promise((resolve, reject) => {
      const whole = this.life.during(params.abortSignal, async signal => {
        const turn = this.turn(signal)
        try {
          const first = await turn.stream(params)
          resolve(joinedStream(first))
          for (let round: Round | null = first; round; round = await round.next);
        } finally {
          this.remember(turn)
        }
      })
      // After the first part the result is known: readers of the stream get the error there.
      whole.catch(reject)
    })
  }

  end(reason?: EndReason, error?: unknown): Promise<void> {
    return this.life.end(reason, error)
  }

  private remember(turn: LoopTurn): void {
    if (turn.messages.length > 0) this.messages = turn.messages
  }

  private turn(signal: AbortSignal): LoopTurn {
    const { settings, scene, session, hookTools, gate, options } = this
    const notice = (text: string) => options.onNotice?.(text)
    return new LoopTurn({
      settings,
      scene,
      hookTools,
      context: session.started?.additionalContext ?? null,
      signal,
      notice,
      submit: async messages => {
        await tellDeniedApprovals(scene, messages)
        return gate.pass(messages, signal)
      },
      ending: worked => stopped(scene, worked, signal, notice),
    })
  }
}
