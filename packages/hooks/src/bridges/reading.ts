// The payload of another agent → our events. The agents differ in names and in how a result looks; the rest is alike.

import {
  type Conversation,
  isObject,
  type Json,
  type Moment,
  type Names,
  type Occurrence,
  orEmpty,
  type Step,
  type ToolRow,
  textOf,
} from './shape.js'
import {
  asUsed,
  inOurWords,
  type McpTool,
  stepsAfter,
  stepsAfterPatch,
  stepsBefore,
  stepsFailed,
  type ToolCall,
  type ToolFailure,
  type ToolResult,
  toolRow,
} from './tool.js'

export interface Reader {
  readonly names: Names
  mcpOf(payload: Json): McpTool | null
  resultOf(payload: Json): ToolResult | ToolFailure
  /** The file that a path of a call stands for, where that is not simply the path. */
  fileOf?(path: string, cwd: string): string
  /** Words of this agent for the end of a session → ours. */
  readonly reasons: Readonly<Record<string, string>>
}

/** A sentence when the payload lacks what this event cannot do without. */
export function readOccurrence(reader: Reader, moment: Moment, payload: Json): Occurrence | string {
  const conversation = conversationOf(payload)
  const name = orEmpty(payload.hook_event_name)
  const plain = (steps: Step[] | string): Occurrence | string =>
    typeof steps === 'string' ? steps : { name, moment, conversation, steps, input: {}, tool: null }
  if (moment === 'tool' || moment === 'result' || moment === 'failure') {
    return toolOccurrence(reader, moment, payload, conversation)
  }
  if (moment === 'start') {
    const isResumed = payload.source === 'resume' || payload.source === 'compact'
    const steps: Step[] = [{ event: 'sessionStart', facts: () => ({ generation_id: '' }) }]
    return { name, moment, conversation, steps, input: {}, tool: null, isResumed }
  }
  return plain(PLAIN[moment](payload, reader))
}

const PLAIN: Readonly<
  Record<
    Exclude<Moment, 'tool' | 'result' | 'failure' | 'start'>,
    (payload: Json, reader: Reader) => Step[] | string
  >
> = {
  prompt({ prompt }) {
    if (typeof prompt !== 'string') return 'It has no "prompt".'
    return [{ event: 'beforeSubmitPrompt', facts: () => ({ prompt }) }]
  },
  turn({ last_assistant_message: text, error }) {
    const said: Step = { event: 'afterAgentResponse', facts: () => ({ text: orEmpty(text) }) }
    const status = error === undefined ? 'completed' : 'error'
    const end: Step = { event: 'stop', facts: () => ({ status }) }
    return typeof text === 'string' && text !== '' ? [said, end] : [end]
  },
  interrupt: () => [{ event: 'stop', facts: () => ({ status: 'aborted' }) }],
  subagent(payload) {
    const facts = {
      subagent_type: textOf(payload.agent_type) ?? 'generalPurpose',
      summary: orEmpty(payload.last_assistant_message),
      agent_transcript_path: textOf(payload.agent_transcript_path) ?? null,
    }
    return [{ event: 'subagentStop', facts: () => facts }]
  },
  compact({ trigger }) {
    const facts = { trigger: trigger === 'manual' ? 'manual' : 'auto' }
    return [{ event: 'preCompact', facts: () => facts }]
  },
  end({ reason }, { reasons }) {
    const word = typeof reason === 'string' && Object.hasOwn(reasons, reason) ? reasons[reason] : 'completed'
    return [{ event: 'sessionEnd', facts: () => ({ reason: word, generation_id: '' }) }]
  },
}

function toolOccurrence(
  reader: Reader,
  moment: 'tool' | 'result' | 'failure',
  payload: Json,
  conversation: Conversation,
): Occurrence | string {
  const { tool_name, tool_input = {} } = payload
  if (typeof tool_name !== 'string') return 'It has no "tool_name".'
  if (!isObject(tool_input)) return 'Its "tool_input" is not an object.'
  const row = asUsed(toolRow(reader.names.tools, tool_name), tool_input)
  const input = withFile(reader, inOurWords(row, tool_input), row, conversation.cwd)
  const useId = orEmpty(payload.tool_use_id)
  const { id, subagent, cwd } = conversation
  const call: ToolCall = { row, mcp: reader.mcpOf(payload), useId, cwd, conversationId: subagent ?? id }
  const steps = moment === 'tool' ? stepsBefore(call) : afterwards(call, input, reader.resultOf(payload))
  const name = orEmpty(payload.hook_event_name)
  return { name, moment, conversation, steps, input, tool: row }
}

/** Whether the call is about the one file that its input names. */
export const isOfFile = ({ does }: ToolRow): boolean => does === 'read' || does === 'write' || does === 'edit'

/** Hooks judge files, not spellings. */
function withFile({ fileOf }: Reader, input: Json, row: ToolRow, cwd: string): Json {
  const path = input.file_path
  if (!fileOf || !isOfFile(row) || typeof path !== 'string') return input
  return { ...input, file_path: fileOf(path, cwd) }
}

function afterwards(call: ToolCall, input: Json, result: ToolResult | ToolFailure): Step[] {
  if ('message' in result) return stepsFailed(call, result)
  const patch = call.row.does === 'patch' ? textOf(input.command) : undefined
  return patch === undefined ? stepsAfter(call, result) : stepsAfterPatch(call, patch, result)
}

const conversationOf = (payload: Json): Conversation => ({
  id: orEmpty(payload.session_id),
  subagent: textOf(payload.agent_id) ?? null,
  cwd: orEmpty(payload.cwd),
  model: textOf(payload.model) ?? null,
  transcriptPath: textOf(payload.transcript_path) ?? null,
})

/** `mcp__server__tool`: what stands between the first two marks is the server. */
export function mcpByName(name: unknown): McpTool | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(orEmpty(name)) ?? []
  return server === undefined || tool === undefined ? null : { server, tool }
}

/** A number of milliseconds, if it is one. */
export const durationOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0

/** `Exit code 3` and the like, as the first words of an error. */
export function exitCodeIn(message: string): { exitCode?: number } {
  const code = /^(?:Error: )?(?:Command failed with )?exit code:? (\d+)/i.exec(message)?.[1]
  return code === undefined ? {} : { exitCode: Number(code) }
}
