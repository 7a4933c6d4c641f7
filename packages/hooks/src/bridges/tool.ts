// A tool call of another agent as our events: the generic one, and the specific one for what the tool does.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeJson } from '../protocol/json.js'
import type { LooseFacts } from '../protocol/payload.js'
import { patchedFiles } from './patch.js'
import { isObject, type Json, orEmpty, type Step, type ToolRow, textOf } from './shape.js'

export interface McpTool {
  readonly server: string
  readonly tool: string
  readonly facts?: LooseFacts
}

export interface ToolCall {
  readonly row: ToolRow
  readonly mcp: McpTool | null
  readonly useId: string
  readonly cwd: string
  /** Whose call it is. */
  readonly conversationId: string
}

export interface ToolResult {
  /** What a person would have seen. */
  readonly text: string
  /** What the tool gave, as it was sent. */
  readonly value: unknown
  readonly durationMs: number
  readonly exitCode?: number
  /** What stood in a file before it was written. */
  readonly before?: string
  /** The file that was written and its edits, where the agent tells them apart from the input. */
  readonly path?: string
  readonly edits?: readonly LooseFacts[]
  /** How a subagent ended, where the agent tells it as the result of the call only. */
  readonly ended?: SubagentEnd
}

export interface SubagentEnd {
  readonly status: 'completed' | 'error' | 'aborted'
  readonly summary: string
}

export interface ToolFailure {
  readonly message: string
  /** What a command printed, where the message says more than that. */
  readonly output?: string
  readonly durationMs: number
  readonly exitCode?: number
  readonly isInterrupt: boolean
}

export const toolRow = (tools: Readonly<Record<string, ToolRow>>, name: string): ToolRow =>
  (Object.hasOwn(tools, name) ? tools[name] : undefined) ?? { as: name }

/** A call that uses our name for a key gets it back under that name. */
export function asUsed(row: ToolRow, input: Json): ToolRow {
  if (!row.keys) return row
  const keys = Object.entries(row.keys).filter(([, ours]) => !(ours in input))
  return { ...row, keys: Object.fromEntries(keys) }
}

/** Ours for theirs, and back. A key that both would write is left as it is. */
export const inOurWords = ({ keys = {} }: ToolRow, input: Json): Json => renamed(input, Object.entries(keys))
export const inTheirWords = ({ keys = {} }: ToolRow, input: Json): Json =>
  renamed(
    input,
    Object.entries(keys).map(([theirs, ours]) => [ours, theirs]),
  )

function renamed(input: Json, pairs: readonly (readonly [string, string])[]): Json {
  const names = new Map(pairs.filter(([from, to]) => from in input && !(to in input)))
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]))
}

const toolName = ({ row, mcp }: ToolCall): string => (mcp ? `MCP:${mcp.tool}` : row.as)

const generic = (call: ToolCall, input: Json): LooseFacts => ({
  tool_name: toolName(call),
  tool_input: { ...input },
  tool_use_id: call.useId,
  cwd: call.cwd,
})

export function stepsBefore(call: ToolCall): Step[] {
  const { row, mcp, useId, cwd } = call
  const first: Step = { event: 'preToolUse', facts: input => generic(call, input) }
  if (mcp) return [first, { event: 'beforeMCPExecution', facts: input => mcpFacts(mcp, input) }]
  if (row.does === 'shell') {
    const facts = (input: Json) =>
      withText('command', input, command => ({ command, cwd: folderOf(input, cwd) }))
    return [first, { event: 'beforeShellExecution', facts }]
  }
  if (row.does === 'read') {
    return [first, { event: 'beforeReadFile', facts: input => readFacts(input, cwd) }]
  }
  if (row.does === 'files') {
    const facts = () => `${row.as} reads files that are not known beforehand. Read them one by one.`
    return [first, { event: 'beforeReadFile', facts }]
  }
  if (row.does === 'task') {
    const facts = (input: Json) => ({
      subagent_type: textOf(input.subagent_type) ?? 'generalPurpose',
      task: orEmpty(input.prompt),
      subagent_id: useId,
      parent_conversation_id: call.conversationId || undefined,
      tool_call_id: useId,
      subagent_model: orEmpty(input.model),
    })
    return [first, { event: 'subagentStart', facts }]
  }
  return [first]
}

export function stepsAfter(call: ToolCall, result: ToolResult): Step[] {
  const { text, value, durationMs, exitCode, before, ended } = result
  const { row, mcp, cwd } = call
  const json = JSON.stringify(value ?? null)
  const told = (input: Json) => ({ ...generic(call, input), tool_output: json, duration: durationMs })
  const last: Step = { event: 'postToolUse', facts: told }
  if (mcp) {
    const facts = (input: Json) => ({ ...mcpFacts(mcp, input), result_json: json, duration: durationMs })
    return [{ event: 'afterMCPExecution', facts }, last]
  }
  if (row.does === 'shell') return [shellRan(cwd, text, durationMs, exitCode), last]
  if (row.does === 'task' && ended) return [subagentEnded(ended, durationMs), last]
  if (row.does !== 'write' && row.does !== 'edit') return [last]
  const facts = (input: Json) =>
    withText('file_path', input, path => ({
      file_path: resolve(cwd, result.path ?? path),
      edits: result.edits ?? editsOf(row, input, before),
    }))
  return [{ event: 'afterFileEdit', facts }, last]
}

/** A patch names its files itself: one event for each. */
export const stepsAfterPatch = (call: ToolCall, patch: string, result: ToolResult): Step[] => [
  ...patchedFiles(patch).map(
    ({ path, edits }): Step => ({
      event: 'afterFileEdit',
      facts: () => ({ file_path: resolve(call.cwd, path), edits }),
    }),
  ),
  ...stepsAfter(call, result),
]

export function stepsFailed(
  call: ToolCall,
  { message, output, durationMs, exitCode, isInterrupt }: ToolFailure,
): Step[] {
  const failed: Step = {
    event: 'postToolUseFailure',
    facts: input => ({
      ...generic(call, input),
      error_message: message,
      failure_type: /\btimed? ?out\b/i.test(message) ? 'timeout' : 'error',
      duration: durationMs,
      is_interrupt: isInterrupt,
    }),
  }
  // A command that ended with an error did run.
  const ran = call.row.does === 'shell' && exitCode !== undefined
  return ran ? [shellRan(call.cwd, output ?? message, durationMs, exitCode), failed] : [failed]
}

const shellRan = (cwd: string, output: string, duration: number, exitCode: number | undefined): Step => ({
  event: 'afterShellExecution',
  facts: input =>
    withText('command', input, command => ({
      command,
      output,
      duration,
      cwd: folderOf(input, cwd),
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    })),
})

const subagentEnded = (ended: SubagentEnd, durationMs: number): Step => ({
  event: 'subagentStop',
  facts: ({ subagent_type, prompt }) => ({
    ...ended,
    subagent_type: textOf(subagent_type) ?? 'generalPurpose',
    task: orEmpty(prompt),
    duration_ms: durationMs,
  }),
})

const folderOf = (input: Json, cwd: string): string =>
  typeof input.cwd === 'string' && input.cwd !== '' ? resolve(cwd, input.cwd) : cwd

const mcpFacts = ({ server, tool, facts }: McpTool, input: Json): LooseFacts => ({
  tool_name: tool,
  tool_input: writeJson(input),
  mcp_server_name: server,
  ...facts,
})

const withText = (key: string, input: Json, make: (text: string) => LooseFacts): LooseFacts | string => {
  const value = input[key]
  return typeof value === 'string' ? make(value) : `The call has no "${key}".`
}

function editsOf({ does }: ToolRow, input: Json, before: string | undefined): LooseFacts[] {
  if (does === 'write') return [{ old_string: before ?? '', new_string: orEmpty(input.content) }]
  const several = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input]
  return several.map(({ old_string, new_string }) => ({
    old_string: textOf(old_string) ?? before ?? '',
    new_string: orEmpty(new_string),
  }))
}

// ——— reading ———

const LARGEST = 32 * 1024 * 1024
const NO_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** A file that reaches the model without a tool. */
export const stepOfReading = (path: string, cwd: string): Step => ({
  event: 'beforeReadFile',
  facts: () => readFacts({ file_path: path }, cwd),
})

function readFacts(input: Json, cwd: string): LooseFacts | string {
  const path = textOf(input.file_path)
  if (path === undefined) return 'The call has no "file_path".'
  const file = resolve(cwd, path)
  const content = contentOf(file)
  return content === undefined
    ? `${file} is larger than 32 MiB, too much to show to a hook.`
    : { file_path: file, content }
}

/** What is not a file has no content; undefined when it is too much to show to a hook. */
function contentOf(file: string): string | undefined {
  let open: number | undefined
  try {
    // Without waiting: a named pipe would keep us until somebody writes to it.
    open = openSync(file, NO_WAITING)
    const stats = fstatSync(open)
    if (!stats.isFile()) return ''
    return stats.size > LARGEST ? undefined : readFileSync(open, 'utf8')
  } catch {
    return ''
  } finally {
    if (open !== undefined) closeSync(open)
  }
}
