// Tools with their events around them. A tool stays what it is: its schema, its output for the model and its callbacks
// are its own; only its work is walked to in order.

import type { Tool, ToolExecutionOptions, ToolSet } from 'ai'
import type { Scene } from './scene.js'
import { asInput, Call } from './tool-call.js'
import { messageOf } from './tool-errors.js'
import { modelOutput, withContext } from './tool-output.js'

type AnyTool = ToolSet[string]

/** Without a prototype: a model that calls "constructor" calls nothing. */
export const hookTools = (tools: ToolSet, scene: Scene): ToolSet =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, hookTool(name, tool, scene)])),
  )

/** A tool that runs elsewhere, at the provider or in the application, has no moment that could be hooked here. */
function hookTool(toolName: string, tool: AnyTool, scene: Scene): AnyTool {
  if (!tool.execute) return tool
  const row = rowOf(scene, toolName)
  const contexts = new Map<string, string>()
  const underWay = new Set<Promise<unknown>>()
  const own = {
    ...(scene.leavesApproval ? {} : { needsApproval: undefined }),
    execute: (input: unknown, options: ToolExecutionOptions) => {
      const beside = () => underWay.size - 1
      // Some providers count their calls anew at each answer.
      contexts.delete(options.toolCallId)
      const call = new Call(row.name ?? toolName, tool, row, scene, options, beside)
      const ending = call.walk(input, context => contexts.set(options.toolCallId, context))
      for (const list of [scene.running, underWay]) {
        list.add(ending)
        const over = () => list.delete(ending)
        ending.then(over, over)
      }
      return ending
    },
    toModelOutput: async (given: { toolCallId: string; input: unknown; output: unknown }) =>
      withContext(await modelOutput(tool as Tool<unknown, unknown>, given), contexts.get(given.toolCallId)),
  }
  // Not a copy: a tool may be an object of a class, with its schema in the prototype.
  return Object.assign(Object.create(tool), own)
}

const rowOf = ({ events }: Scene, toolName: string) =>
  Object.hasOwn(events, toolName) ? events[toolName]! : {}

interface LostCall {
  readonly toolName: string
  readonly toolCallId: string
  readonly input: unknown
}

/** A call that does not fit the tool's schema, or names no tool, never comes to a tool; it failed all the same. */
export const tellInvalidCall = (scene: Scene, call: LostCall & { error?: unknown }): Promise<void> =>
  tellLostCall(scene, call, messageOf(call.error), 'error')

export async function tellLostCall(
  scene: Scene,
  { toolName, toolCallId, input }: LostCall,
  error_message: string,
  failure_type: 'error' | 'permission_denied',
): Promise<void> {
  await scene.session.fire('postToolUseFailure', {
    tool_name: rowOf(scene, toolName).name ?? toolName,
    tool_input: { ...asInput(input) },
    tool_use_id: toolCallId,
    cwd: scene.workspace,
    error_message,
    failure_type,
  })
}
