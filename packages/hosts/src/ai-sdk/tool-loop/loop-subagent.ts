// A tool-loop agent inside another one: started by the Task tool, with the same hooks.

import type { Session } from '@holdfast/hooks'
import { hookTools } from '../agent/hooked-tool.js'
import { openScene, type SceneOptions } from '../agent/scene.js'
import { reportOf, subagentEnding } from '../agent/subagent.js'
import { type TaskTool, taskTool } from '../agent/task-tool.js'
import { anyModel } from './any-model.js'
import { LoopTurn, type Params } from './loop-turn.js'
import { type GivenAgent, settingsOf } from './settings.js'

export interface LoopSubagent {
  /** When the model should use it. */
  readonly description: string
  /** A ToolLoopAgent, or the settings of one; it takes no call options. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever its tools and its output are
  readonly agent: GivenAgent<never, any, any>
  /** Agents that this one may delegate tasks to. */
  readonly subagents?: Readonly<Record<string, LoopSubagent>>
}

interface Around extends SceneOptions {
  readonly onNotice?: (text: string) => void
}

export function loopTask(
  options: Around,
  subagents: Readonly<Record<string, LoopSubagent>>,
  session: Session,
): TaskTool {
  const kinds = Object.entries(subagents).map(([type, { description, agent }]) => {
    const settings = settingsOf(agent)
    return [type, { description, settings, modelId: anyModel(settings.model).modelId }] as const
  })
  const known = Object.fromEntries(kinds)
  return taskTool(known, async (input, { toolCallId, abortSignal }) => {
    const { settings, modelId } = known[input.subagent_type]!
    const inner = subagents[input.subagent_type]!.subagents
    const child = session.subagent({ model: modelId, subagentId: toolCallId })
    const task = inner && loopTask(options, inner, child)
    const scene = openScene(options, { session: child, task, leavesApproval: false })
    const signal = abortSignal ?? new AbortController().signal
    const turn = new LoopTurn({
      settings,
      scene,
      hookTools: tools => hookTools({ ...tools, ...task?.tools }, scene),
      context: null,
      signal,
      notice: text => options.onNotice?.(text),
      submit: async messages => messages,
      ending: subagentEnding(scene, input),
    })
    try {
      const results = await turn.generate({ prompt: input.prompt } as Params)
      return reportOf({ status: 'completed', text: results.at(-1)!.text }, signal)
    } catch (error) {
      signal.throwIfAborted()
      return reportOf({ status: 'error', text: '', error }, signal)
    }
  })
}
