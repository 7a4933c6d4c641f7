// Adds events around tools. The schema, the output for the model and the callbacks of a tool stay its own.

import type { Tool, ToolSet } from 'ai'
import type { Scene } from './scene.js'
import { asInput, Call, type ToolExecutionOptions } from './tool-call.js'
import { messageOf } from './tool-errors.js'
import { modelOutput, withContext } from './tool-output.js'

type AnyTool = ToolSet[string]

/** Without a prototype, so that a call of "constructor" finds nothing. */
export const hookTools = (tools: ToolSet, scene: Scene): ToolSet =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, hookTool(name, tool, scene)])),
  )

/** A tool that runs at the provider or in the application cannot be hooked here. */
function hookTool(toolName: string, tool: AnyTool, scene: Scene): AnyTool {
  if (!tool.execute) return tool
  const row = rowOf(scene, toolName)
  const contexts = new Map<string, string>()
  const underWay = new Set<Promise<unknown>>()
  const own = {
    ...(scene.leavesApproval ? {} : { needsApproval: undefined }),
    execute: (input: unknown, options: ToolExecutionOptions) => {
      const beside = () => underWay.size - 1
      // Some providers number their calls from the start in each response.
      contexts.delete(options.toolCallId)
      const call = new Call(row.name ?? toolName, tool, row, scene, options, beside)
      const addContext = (context: string) => contexts.set(options.toolCallId, context)
      const track = (ending: Promise<unknown>) => {
        for (const list of [scene.running, underWay]) {
          list.add(ending)
          const over = () => list.delete(ending)
          ending.then(over, over)
        }
      }
      if (tool.execute instanceof AsyncGeneratorFunction) return shown(call.steps(input, addContext), track)
      const ending = call.walk(input, addContext)
      track(ending)
      return ending
    },
    toModelOutput: async (given: { toolCallId: string; input: unknown; output: unknown }) =>
      withContext(await modelOutput(tool as Tool<unknown, unknown>, given), contexts.get(given.toolCallId)),
  }
  // Not a copy: a tool may be an instance of a class, with its schema in the prototype.
  return Object.assign(Object.create(tool), own)
}

/** The AI SDK takes the last value that a generator yields as the result, and those before as preliminary. */
async function* shown(
  steps: AsyncGenerator<unknown, unknown>,
  track: (ending: Promise<unknown>) => void,
): AsyncGenerator<unknown, void> {
  let isOver = false
  let over = () => {}
  track(
    new Promise<void>(resolve => {
      over = resolve
    }),
  )
  try {
    for (;;) {
      const { done, value } = await steps.next()
      isOver = done === true
      yield value
      if (done) return
    }
  } finally {
    // A reader that stops early ends the call, and the hooks get its failure.
    if (!isOver) await steps.throw(new Error('Nobody reads the result of the call.')).catch(() => {})
    over()
  }
}

const AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {}).constructor as { new (): unknown }

const rowOf = ({ events }: Scene, toolName: string) =>
  Object.hasOwn(events, toolName) ? events[toolName]! : {}

interface LostCall {
  readonly toolName: string
  readonly toolCallId: string
  readonly input: unknown
}

/** A call that does not fit the tool's schema, or names no tool, never reaches a tool; it counts as failed. */
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
