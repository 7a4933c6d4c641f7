// The payload of another agent → an AgentEvent. Agents differ in names and in the form of results; the rest is shared.

import {
  type McpTool,
  readStep,
  rowFor,
  stepsAfter,
  stepsAfterFailure,
  stepsBefore,
  type ToolCall,
  type ToolFailure,
  type ToolResult,
  toOurKeys,
} from './tool-steps.js'
import {
  type AgentEvent,
  type Conversation,
  type EventKind,
  isObject,
  type Json,
  type Names,
  type Step,
  type ToolRow,
  textOf,
  textOrEmpty,
} from './types.js'

/** How the payload of one agent is read. */
export interface PayloadReader {
  readonly names: Names
  mcpOf(payload: Json): McpTool | null
  resultOf(payload: Json): ToolResult | ToolFailure
  /** The file that a path means, if the agent does not take paths literally. */
  fileOf?(path: string, cwd: string): string
  /** The agent's reasons for the end of a session → ours. */
  readonly reasons: Readonly<Record<string, string>>
}

export const END_REASONS = { clear: 'user_close', logout: 'user_close', prompt_input_exit: 'user_close' }

/** Returns the reason if the payload lacks a required field. */
export function readEvent(reader: PayloadReader, kind: EventKind, payload: Json): AgentEvent | string {
  const conversation = conversationOf(payload)
  const name = textOrEmpty(payload.hook_event_name)
  if (kind === 'tool' || kind === 'result' || kind === 'failure')
    return readToolEvent(reader, kind, payload, { name, conversation })
  const steps = STEPS[kind](payload, reader)
  if (typeof steps === 'string') return steps
  const { source } = payload
  const isResumed = kind === 'start' && (source === 'resume' || source === 'compact')
  return {
    name,
    kind,
    conversation,
    steps,
    input: {},
    tool: null,
    ...(isResumed ? { resumedBy: source } : {}),
  }
}

const step = (event: Step['event'], payload: Json): Step => ({ event, payload: () => payload })

const STEPS: Readonly<
  Record<
    Exclude<EventKind, 'tool' | 'result' | 'failure'>,
    (payload: Json, reader: PayloadReader) => Step[] | string
  >
> = {
  start: () => [step('sessionStart', { generation_id: '' })],
  prompt: ({ prompt }) =>
    typeof prompt === 'string' ? [step('beforeSubmitPrompt', { prompt })] : 'It has no "prompt".',
  turn({ last_assistant_message: text, error }) {
    const stop = step('stop', { status: error === undefined ? 'completed' : 'error' })
    return typeof text === 'string' && text !== '' ? [step('afterAgentResponse', { text }), stop] : [stop]
  },
  settings: () => [],
  interrupt: () => [step('stop', { status: 'aborted' })],
  subagent: payload => [
    step('subagentStop', {
      subagent_type: textOf(payload.agent_type) ?? 'generalPurpose',
      summary: textOrEmpty(payload.last_assistant_message),
      agent_transcript_path: textOf(payload.agent_transcript_path) ?? null,
    }),
  ],
  compact: ({ trigger }) => [step('preCompact', { trigger: trigger === 'manual' ? 'manual' : 'auto' })],
  end({ reason }, { reasons }) {
    const ours = typeof reason === 'string' && Object.hasOwn(reasons, reason) ? reasons[reason] : 'completed'
    return [step('sessionEnd', { reason: ours, generation_id: '' })]
  },
}

function readToolEvent(
  reader: PayloadReader,
  kind: 'tool' | 'result' | 'failure',
  payload: Json,
  common: Pick<AgentEvent, 'name' | 'conversation'>,
): AgentEvent | string {
  const { tool_name, tool_input = {} } = payload
  if (typeof tool_name !== 'string') return 'It has no "tool_name".'
  if (!isObject(tool_input)) return 'Its "tool_input" is not an object.'
  const row = rowFor(reader.names.tools, tool_name, tool_input)
  const { id, subagent, cwd } = common.conversation
  const input = withFile(reader, toOurKeys(row, tool_input), row, cwd)
  const useId = textOrEmpty(payload.tool_use_id)
  const call: ToolCall = { row, mcp: reader.mcpOf(payload), useId, cwd, conversationId: subagent ?? id }
  const steps = kind === 'tool' ? stepsBefore(call) : stepsOfResult(call, input, reader.resultOf(payload))
  const twice = Object.entries(row.unusedKeys ?? {}).find(([theirs]) => theirs in tool_input)
  const refusal = twice && `The call has both "${twice[0]}" and "${twice[1]}".`
  return { ...common, kind, steps, input, tool: row, ...(refusal ? { refusal } : {}) }
}

const stepsOfResult = (call: ToolCall, input: Json, result: ToolResult | ToolFailure): Step[] =>
  'message' in result ? stepsAfterFailure(call, result) : stepsAfter(call, input, result)

/** Whether the call is about the one file that its input names. */
export const isFileTool = ({ does }: ToolRow): boolean =>
  does === 'read' || does === 'write' || does === 'edit'

/** Hooks receive the file that the agent will use. */
function withFile({ fileOf }: PayloadReader, input: Json, row: ToolRow, cwd: string): Json {
  const path = input.file_path
  if (!fileOf || !isFileTool(row) || typeof path !== 'string') return input
  return { ...input, file_path: fileOf(path, cwd) }
}

const conversationOf = (payload: Json): Conversation => ({
  id: textOrEmpty(payload.session_id),
  subagent: textOf(payload.agent_id) ?? null,
  cwd: textOrEmpty(payload.cwd),
  model: textOf(payload.model) ?? null,
  transcriptPath: textOf(payload.transcript_path) ?? null,
})

/** Gemini CLI and Qwen Code insert the content of files named with @ into the prompt, without a tool call. */
export function withNamedFiles(event: AgentEvent, prompt: unknown): AgentEvent {
  const text = textOrEmpty(prompt)
  if (!text.includes('\n--- Content from referenced files ---')) return event
  const paths = [...text.matchAll(/^Content from @?(.+):$/gm)].map(([, path = '']) => path)
  const files = [...new Set(paths)].map(path => readStep(path, event.conversation.cwd))
  return { ...event, steps: [...event.steps, ...files] }
}

/** Results of background work are sent to the model as prompts with this prefix. */
export const withAutomatic = (event: AgentEvent, { prompt }: Json, prefix: string): AgentEvent =>
  event.kind === 'prompt' && textOrEmpty(prompt).startsWith(prefix) ? { ...event, isAutomatic: true } : event

/** `mcp__server__tool`: the server's name ends at the first `__`. */
export function parseMcpName(name: unknown): McpTool | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(textOrEmpty(name)) ?? []
  return server === undefined || tool === undefined ? null : { server, tool }
}

/** Milliseconds, or 0. */
export const durationOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0

/** The failure of a call whose error is this value. `Exit code 3` and the like may start its message. */
export function failureOf(error: unknown, durationMs = 0, isInterrupt = false): ToolFailure {
  const message = textOf(error) ?? JSON.stringify(error)
  const [start, code] = /^(?:Error: )?(?:Command failed with )?exit code:? (\d+)\n?/i.exec(message) ?? []
  const failure = { message, durationMs, isInterrupt }
  if (start === undefined) return failure
  return { ...failure, output: message.slice(start.length), exitCode: Number(code) }
}
