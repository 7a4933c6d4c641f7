// A tool with its events around it: any tool, then the specific one, the tool itself, and what came of it. The order is
// the protocol; everything that differs between tools is in its row of the table.

import { resolve } from 'node:path'
import { HookBlockedError } from '@holdfast/hooks'
import { asSchema, type Tool, type ToolExecutionOptions, type ToolSet } from 'ai'
import { fire, guard, type Scene } from './scene.js'
import { failureType, NotApprovedError, ToolCallError } from './tool-errors.js'
import type { ToolCall, ToolEvents } from './tool-events.js'
import { outputText, withContext } from './tool-output.js'
import { untilAborted } from './until-aborted.js'

/** What a tool with a `prepare` in its row finds in its options. */
export interface PreparedOptions extends ToolExecutionOptions {
  readonly prepared?: unknown
}

export const hookTools = (tools: ToolSet, scene: Scene): ToolSet =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, hookTool(name, tool, scene)]))

type AnyTool = ToolSet[string]

/** A tool that runs elsewhere, at the provider or in the application, has no moment that could be hooked here. */
export function hookTool(toolName: string, tool: AnyTool, scene: Scene): AnyTool {
  const { execute } = tool
  if (!execute) return tool
  const row = Object.hasOwn(scene.events, toolName) ? scene.events[toolName]! : {}
  const contexts = new Map<string, string>()
  const underWay = new Set<Promise<unknown>>()
  const hooked = {
    ...tool,
    execute: (input: unknown, options: ToolExecutionOptions) => {
      const beside = () => underWay.size - 1
      const call = new Call(row.name ?? toolName, tool, row, scene, options, beside)
      const ending = call.walk(input, contexts)
      for (const list of [scene.running, underWay]) {
        list.add(ending)
        const over = () => list.delete(ending)
        ending.then(over, over)
      }
      return ending
    },
    toModelOutput: async (given: { toolCallId: string; input: unknown; output: unknown }) =>
      withContext(await modelOutput(tool, given), contexts.get(given.toolCallId)),
  }
  return hooked as unknown as AnyTool
}

/** A call that does not fit the tool's schema, or names no tool, never comes to a tool; it failed all the same. */
export async function tellInvalidCall(
  scene: Scene,
  call: { toolName: string; toolCallId: string; input: unknown; error?: unknown },
): Promise<void> {
  const { toolName, toolCallId, input, error } = call
  const row = Object.hasOwn(scene.events, toolName) ? scene.events[toolName] : undefined
  await fire(scene, 'postToolUseFailure', {
    tool_name: row?.name ?? toolName,
    tool_input: { ...asInput(input) },
    tool_use_id: toolCallId,
    cwd: scene.workspace,
    error_message: error instanceof Error ? error.message : String(error),
    failure_type: 'error',
  })
}

class Call {
  private readonly signal: AbortSignal | undefined
  private readonly began = performance.now()

  constructor(
    private readonly name: string,
    private readonly tool: AnyTool,
    private readonly row: ToolEvents,
    private readonly scene: Scene,
    private readonly options: ToolExecutionOptions,
    private readonly beside: () => number,
  ) {
    this.signal = options.abortSignal
  }

  /** The contents page: may it, is it still a valid call, may it really, does the person agree, do it, tell it. */
  async walk(given: unknown, contexts: Map<string, string>): Promise<unknown> {
    const { row, scene, signal } = this
    scene.toolCalls++
    let input = asInput(given)
    try {
      const first = await guard(
        scene,
        'preToolUse',
        { ...this.facts(input), ...(scene.said ? { agent_message: scene.said } : {}) },
        this.cancel,
      )
      let granted = first.granted
      if (first.verdict.updatedInput) input = await this.validated(first.tool_input)
      const call = await this.prepare(input)
      const before = row.before?.(call)
      if (before) {
        // For the failure that the engine tells of when it is denied.
        const facts = { tool_use_id: call.id, ...before.facts }
        const second = await guard(scene, before.event, facts as never, this.cancel)
        granted ||= second.granted
      }
      if (!granted && scene.approve) await this.mustApprove(input)
      const started = performance.now()
      const output = await untilAborted(this.run(call), signal)
      const done = { output, durationMs: performance.now() - started }
      if (row.changes) scene.changedFiles.add(row.changes(call))
      const after = row.after?.(call, done)
      if (after) await fire(scene, after.event, after.facts as never)
      const failed = row.failureOf?.(output)
      if (failed) throw new ToolCallError(failed)
      const told = await fire(scene, 'postToolUse', {
        ...this.facts(input),
        tool_output: outputText(output),
        duration: done.durationMs,
      })
      if (told.additionalContext) contexts.set(call.id, told.additionalContext)
      return (row.isReplaceable && told.updatedMcpToolOutput) || output
    } catch (error) {
      throw await this.failure(error, input)
    }
  }

  private get cancel() {
    return this.signal ? { signal: this.signal } : {}
  }

  private facts(input: Readonly<Record<string, unknown>>) {
    const { workspace } = this.scene
    const cwd = typeof input.cwd === 'string' ? resolve(workspace, input.cwd) : workspace
    return { tool_name: this.name, tool_input: { ...input }, tool_use_id: this.options.toolCallId, cwd }
  }

  /** What a hook wrote is held against the tool's schema, as what the model wrote was. */
  private async validated(input: unknown): Promise<Readonly<Record<string, unknown>>> {
    const result = await asSchema(this.tool.inputSchema).validate?.(input)
    if (result && !result.success) {
      throw new ToolCallError(
        `A hook changed the input of ${this.name} to something that the tool does not take: ${result.error.message}`,
      )
    }
    return asInput(result ? result.value : input)
  }

  private async prepare(input: Readonly<Record<string, unknown>>): Promise<ToolCall> {
    const { workspace, session } = this.scene
    const { toolCallId: id } = this.options
    const { conversationId } = session
    const call = { id, input, workspace, conversationId, beside: this.beside(), prepared: undefined }
    return this.row.prepare ? { ...call, prepared: await this.row.prepare(call) } : call
  }

  private async mustApprove(input: Readonly<Record<string, unknown>>): Promise<void> {
    const { signal, name: toolName } = this
    const asked = Promise.resolve(this.scene.approve!({ toolName, input, signal }))
    // Anything but a clear yes is a no.
    if ((await untilAborted(asked, signal)) === true) return
    throw new NotApprovedError('The person did not approve this tool call.')
  }

  private async run({ input, prepared }: ToolCall): Promise<unknown> {
    const options: PreparedOptions = { ...this.options, prepared }
    const returned: unknown = await this.tool.execute!(input as never, options)
    if (!isAsyncIterable(returned)) return returned
    let last: unknown
    for await (const part of returned) last = part
    return last
  }

  /** A denied call was told of by the engine. Everything else is told here, also after an abort. */
  private async failure(error: unknown, input: Readonly<Record<string, unknown>>): Promise<Error> {
    if (HookBlockedError.isInstance(error)) {
      return new ToolCallError((error as HookBlockedError).agentMessage, { cause: error })
    }
    const isInterrupt = this.signal?.aborted === true
    const message = error instanceof Error ? error.message : String(error)
    const told = await fire(this.scene, 'postToolUseFailure', {
      ...this.facts(input),
      error_message: message,
      failure_type: failureType(error),
      duration: performance.now() - this.began,
      is_interrupt: isInterrupt,
    })
    const text = told.additionalContext ? `${message}\n\n${told.additionalContext}` : message
    return new ToolCallError(text, { cause: error })
  }
}

async function modelOutput(tool: AnyTool, given: { toolCallId: string; input: unknown; output: unknown }) {
  const own = (tool as Tool<unknown, unknown>).toModelOutput
  if (own) return own(given as never)
  const { output } = given
  if (typeof output === 'string') return { type: 'text' as const, value: output }
  return { type: 'json' as const, value: (output ?? null) as never }
}

const asInput = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
