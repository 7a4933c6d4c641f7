// One tool call: the event of all tools, then the specific event, the tool itself, and the events for its result. The
// protocol sets this order; everything that differs between tools is in the row of the table.

import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { HookBlockedError } from '@holdfast/hooks'
import { asSchema, type ToolSet } from 'ai'
import type { Scene } from './scene.js'
import { failureType, messageOf, NotApprovedError, ToolCallError } from './tool-errors.js'
import type { ToolEvents, ToolCall as WalkedCall } from './tool-events.js'
import { outputText } from './tool-output.js'
import { isWindingDown, untilAborted } from './until-aborted.js'

/** Version 7 of the AI SDK gives the type a parameter, version 6 has none. */
export type ToolExecutionOptions = Parameters<NonNullable<ToolSet[string]['execute']>>[1]

/** The options of a tool whose row has `prepare`. */
export type PreparedOptions = ToolExecutionOptions & { readonly prepared?: unknown }

type Input = Readonly<Record<string, unknown>>

const MOST_ROUNDS = 3

export const asInput = (value: unknown): Input =>
  typeof value === 'object' && value !== null ? (value as Input) : {}

export class Call {
  private readonly signal: AbortSignal | undefined
  private readonly began = performance.now()

  constructor(
    private readonly name: string,
    private readonly tool: ToolSet[string],
    private readonly row: ToolEvents,
    private readonly scene: Scene,
    private readonly options: ToolExecutionOptions,
    private readonly beside: () => number,
  ) {
    this.signal = options.abortSignal
  }

  /**
   * The steps in order: permission, validation, permission with the rewritten input, approval of the user, execution,
   * result events. Values that a generator yields before its last one are yielded on, except where hooks can replace the
   * result: they could show what a hook removes.
   */
  async *steps(given: unknown, addContext: (context: string) => void): AsyncGenerator<unknown, unknown> {
    const { row, scene } = this
    const { session } = scene
    scene.toolCalls++
    let input = asInput(given)
    try {
      const judged = await this.judge(input)
      input = judged.input
      let { granted } = judged
      const call = await this.prepare(input)
      const before = row.before?.(call)
      if (before) {
        // For the failure that the engine reports when the call is denied.
        const fields = { tool_use_id: call.id, ...before.fields }
        const second = await session.guard(before.event, fields as never, this.cancel)
        granted ||= second.granted
      }
      if (!granted) await this.mustBeApproved(input)
      const started = performance.now()
      const output = yield* this.run(call)
      const done = { output, durationMs: performance.now() - started }
      const changed = row.changes?.(call)
      if (changed) scene.changedFiles.add(changed)
      const after = row.after?.(call, done)
      if (after) await session.fire(after.event, after.fields as never)
      const failed = row.failureOf?.(output)
      if (failed) throw new ToolCallError(failed)
      const told = await session.fire('postToolUse', {
        ...this.fields(input),
        tool_output: outputText(output),
        duration: done.durationMs,
      })
      const context = this.withEarlier(told.additionalContext)
      if (context) addContext(context)
      return (row.isReplaceable && told.updatedMcpToolOutput) || output
    } catch (error) {
      throw await this.failure(error, input)
    }
  }

  /** The same for a tool that has only a result. */
  async walk(given: unknown, addContext: (context: string) => void): Promise<unknown> {
    const steps = this.steps(given, addContext)
    for (;;) {
      const { done, value } = await steps.next()
      if (done) return value
    }
  }

  /**
   * The input as the hooks and the schema of the tool accept it. A schema can change what a hook wrote, by a default or a
   * conversion; hooks judge the result again, because that is what runs.
   */
  private async judge(given: Input): Promise<{ input: Input; granted: boolean }> {
    const { said, session } = this.scene
    const message = said ? { agent_message: said } : {}
    let input = given
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { verdict, tool_input, granted } = await session.guard(
        'preToolUse',
        { ...this.fields(input), ...message },
        this.cancel,
      )
      if (!verdict.updatedInput) return { input, granted }
      input = await this.validated(tool_input)
      if (isDeepStrictEqual(input, tool_input)) return { input, granted }
    }
    throw new ToolCallError(
      `The schema of ${this.name} changes the input of a hook again in each round. The call was not made.`,
    )
  }

  private get cancel() {
    return this.signal ? { signal: this.signal } : {}
  }

  private fields(input: Input) {
    const { workspace } = this.scene
    const cwd = typeof input.cwd === 'string' ? resolve(workspace, input.cwd) : workspace
    return { tool_name: this.name, tool_input: { ...input }, tool_use_id: this.options.toolCallId, cwd }
  }

  /** Checks an input that a hook wrote against the schema of the tool, as the AI SDK does with that of the model. */
  private async validated(input: unknown): Promise<Input> {
    const result = await asSchema(this.tool.inputSchema).validate?.(input)
    if (result && !result.success) {
      throw new ToolCallError(
        `A hook changed the input of ${this.name} to a value that the tool does not accept: ${result.error.message}`,
      )
    }
    return asInput(result ? result.value : input)
  }

  private async prepare(input: Input): Promise<WalkedCall> {
    const { workspace, session } = this.scene
    const { toolCallId: id } = this.options
    const { conversationId } = session
    const call = { id, input, workspace, conversationId, beside: this.beside(), prepared: undefined }
    return this.row.prepare ? { ...call, prepared: await this.row.prepare(call) } : call
  }

  /** The application's own question, if it has one. A tool that needs an approval does not run without it. */
  private async mustBeApproved(input: Input): Promise<void> {
    const { signal, name: toolName } = this
    const { approve, leavesApproval } = this.scene
    if (approve) {
      const isYes = (await approve({ toolName, input, signal })) === true
      signal?.throwIfAborted()
      if (!isYes) throw new NotApprovedError('The user did not approve this tool call.')
    } else if (!leavesApproval && (await this.needsApproval(input))) {
      throw new NotApprovedError(
        'This tool call needs the approval of a person, and nobody can be asked here.',
      )
    }
  }

  private async needsApproval(input: Input): Promise<boolean> {
    const { tool } = this
    // A tool without types may return another value than true; then it does not run.
    if (typeof tool.needsApproval !== 'function') return Boolean(tool.needsApproval)
    return Boolean(await tool.needsApproval(input as never, this.options))
  }

  private async *run({ input, prepared }: WalkedCall): AsyncGenerator<unknown, unknown> {
    this.signal?.throwIfAborted()
    const { tool, signal } = this
    const options: PreparedOptions = { ...this.options, prepared }
    const waits = isWindingDown(tool.execute!)
    const wait = <T>(work: Promise<T>): Promise<T> => (waits ? work : untilAborted(work, signal))
    const start = async () => tool.execute!(input as never, options) as unknown
    const returned = await wait(start())
    if (!isAsyncIterable(returned)) return returned
    const parts = returned[Symbol.asyncIterator]()
    const isShown = !this.row.isReplaceable
    let last: unknown
    let hasLast = false
    try {
      for (let part = await wait(parts.next()); !part.done; part = await wait(parts.next())) {
        if (hasLast && isShown) yield last
        last = part.value
        hasLast = true
      }
    } catch (error) {
      void parts.return?.()?.catch(() => {})
      throw error
    }
    return last
  }

  /** The engine has reported a denied call. Every other result is reported here, also after an abort. */
  private async failure(error: unknown, input: Input): Promise<Error> {
    if (HookBlockedError.isInstance(error)) {
      return new ToolCallError((error as HookBlockedError).agentMessage, { cause: error })
    }
    const message = messageOf(error)
    const told = await this.scene.session.fire('postToolUseFailure', {
      ...this.fields(input),
      error_message: message,
      failure_type: failureType(error),
      duration: performance.now() - this.began,
      is_interrupt: this.signal?.aborted === true,
    })
    const context = this.withEarlier(told.additionalContext)
    return new ToolCallError(context ? `${message}\n\n${context}` : message, { cause: error })
  }

  /** With the context of hooks that ran after an earlier denial, which the model has read by now. */
  private withEarlier(context: string | null): string | null {
    const earlier = this.scene.session.takeContext()
    return earlier && context ? `${earlier}\n\n${context}` : (earlier ?? context)
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown, unknown, undefined> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
