// A tool call of another agent → our events: the general event, and the specific one for what the tool does.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { isInside, realPath, statOf } from '../config/file.js'
import type { EventName } from '../protocol/events.js'
import { writeJson } from '../protocol/json.js'
import type { AnyFields } from '../protocol/payload.js'
import { patchedFiles } from './patch.js'
import { isObject, type Json, type Step, type ToolRow, textOf, textOrEmpty } from './types.js'

export interface McpTool {
  readonly server: string
  readonly tool: string
  /** Further fields of the payload. */
  readonly fields?: AnyFields
}

export interface ToolCall {
  readonly row: ToolRow
  readonly mcp: McpTool | null
  readonly useId: string
  readonly cwd: string
  readonly conversationId: string
}

export interface ToolResult {
  /** The output as the user sees it. */
  readonly text: string
  /** The output as the agent sent it. */
  readonly value: unknown
  readonly durationMs: number
  readonly exitCode?: number
  /** The old content of a written file. */
  readonly before?: string
  /** The written file and its edits, if the agent sends them with the result. */
  readonly path?: string
  readonly edits?: readonly AnyFields[]
  /** How a subagent ended, if the agent has no event for that. */
  readonly ended?: SubagentEnd
}

export interface SubagentEnd {
  readonly status: 'completed' | 'error' | 'aborted'
  readonly summary: string
}

export interface ToolFailure {
  readonly message: string
  /** The output of a command, if the message has more than that. */
  readonly output?: string
  readonly durationMs: number
  readonly exitCode?: number
  readonly isInterrupt: boolean
}

// ——— keys of the input ———

/** The row of a tool for this input: a call that uses our name of a key keeps it. */
export function rowFor(tools: Readonly<Record<string, ToolRow>>, name: string, input: Json): ToolRow {
  const row = (Object.hasOwn(tools, name) ? tools[name] : undefined) ?? { as: name }
  if (!row.keys) return row
  const [used, unused] = [{}, {}] as [Record<string, string>, Record<string, string>]
  for (const [theirs, ours] of Object.entries(row.keys)) (ours in input ? unused : used)[theirs] = ours
  return { ...row, keys: used, unusedKeys: unused }
}

/** The agent's name and ours of a key that the input has under the agent's name, although hooks judge ours. */
export const findForeignKey = ({ keys, unusedKeys }: ToolRow, input: Json): [string, string] | undefined =>
  Object.entries({ ...keys, ...unusedKeys }).find(([theirs]) => theirs in input)

export const toOurKeys = ({ keys = {} }: ToolRow, input: Json): Json => renameKeys(input, keys)

export const toAgentKeys = ({ keys = {} }: ToolRow, input: Json): Json =>
  renameKeys(input, Object.fromEntries(Object.entries(keys).map(([theirs, ours]) => [ours, theirs])))

const renameKeys = (input: Json, names: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [Object.hasOwn(names, key) ? names[key]! : key, value]),
  )

// ——— steps ———

const generalPayload = ({ row, mcp, useId, cwd }: ToolCall, input: Json): AnyFields => ({
  tool_name: mcp ? `MCP:${mcp.tool}` : row.as,
  tool_input: { ...input },
  tool_use_id: useId,
  cwd,
})

export function stepsBefore(call: ToolCall): Step[] {
  return [
    { event: 'preToolUse', payload: input => generalPayload(call, input) },
    ...specificStepsBefore(call).map(([event, payload]) => ({ event, payload })),
  ]
}

type Specific = readonly [event: EventName, payload: Step['payload']]

function specificStepsBefore(call: ToolCall): Specific[] {
  const { row, useId, cwd, conversationId } = call
  const server = serverOf(call)
  if (server) return [['beforeMCPExecution', input => mcpPayload(server(input), input)]]
  switch (row.does) {
    case 'shell':
      return [
        [
          'beforeShellExecution',
          input => withText('command', input, command => ({ command, cwd: folderOf(input, cwd) })),
        ],
      ]
    case 'read':
      return [
        ['beforeReadFile', input => readPayload(input, cwd)],
        ['beforeReadFile', input => linkedPayload(textOf(input.file_path), cwd)],
      ]
    case 'search':
      return [
        ['beforeReadFile', input => searchedPayload(input, cwd)],
        ['beforeReadFile', input => linkedPayload(searchedFile(input, cwd), cwd)],
      ]
    case 'files':
      return [
        [
          'beforeReadFile',
          () => `${row.as} reads files that are not known before the call. Read them one by one.`,
        ],
      ]
    case 'task':
      return [
        [
          'subagentStart',
          input => ({
            subagent_type: textOf(input.subagent_type) ?? 'generalPurpose',
            task: textOrEmpty(input.prompt),
            subagent_id: useId,
            parent_conversation_id: conversationId || undefined,
            tool_call_id: useId,
            subagent_model: textOrEmpty(input.model),
          }),
        ],
      ]
    default:
      return []
  }
}

/** The MCP tool of a call. A tool that reads resources names the server in its input. */
function serverOf({ row, mcp }: ToolCall): ((input: Json) => McpTool) | undefined {
  if (mcp) return () => mcp
  if (row.does !== 'resource') return undefined
  return input => ({ server: textOrEmpty(input.server), tool: row.as })
}

export function stepsAfter(call: ToolCall, input: Json, result: ToolResult): Step[] {
  const json = writeJson(result.value ?? null)
  const general: Step = {
    event: 'postToolUse',
    payload: input => ({
      ...generalPayload(call, input),
      tool_output: json,
      duration: result.durationMs,
    }),
  }
  return [...specificStepsAfter(call, input, result, json), general]
}

function specificStepsAfter(call: ToolCall, input: Json, result: ToolResult, json: string): Step[] {
  const { row, cwd } = call
  const { text, durationMs, exitCode, before, ended } = result
  const server = serverOf(call)
  if (server) {
    const payload = (input: Json) => ({
      ...mcpPayload(server(input), input),
      result_json: json,
      duration: durationMs,
    })
    return [{ event: 'afterMCPExecution', payload }]
  }
  if (row.does === 'shell') return [shellStep(cwd, text, durationMs, exitCode)]
  if (row.does === 'task' && ended) return [subagentStep(ended, durationMs)]
  if (row.does === 'patch') {
    // A patch names its files: one event for each.
    return patchedFiles(textOrEmpty(input.command)).map(({ path, edits }) => ({
      event: 'afterFileEdit',
      payload: () => ({ file_path: resolve(cwd, path), edits }),
    }))
  }
  if (row.does !== 'write' && row.does !== 'edit') return []
  const payload = (input: Json) =>
    withText('file_path', input, path => ({
      file_path: resolve(cwd, result.path ?? path),
      edits: result.edits ?? editsOf(row, input, before),
    }))
  return [{ event: 'afterFileEdit', payload }]
}

export function stepsAfterFailure(call: ToolCall, failure: ToolFailure): Step[] {
  const { message, output, durationMs, exitCode, isInterrupt } = failure
  const general: Step = {
    event: 'postToolUseFailure',
    payload: input => ({
      ...generalPayload(call, input),
      error_message: message,
      failure_type: /\btimed? ?out\b/i.test(message) ? 'timeout' : 'error',
      duration: durationMs,
      is_interrupt: isInterrupt,
    }),
  }
  // A command with an exit code did run.
  const ran = call.row.does === 'shell' && exitCode !== undefined
  return ran ? [shellStep(call.cwd, output ?? message, durationMs, exitCode), general] : [general]
}

const shellStep = (cwd: string, output: string, duration: number, exitCode: number | undefined): Step => ({
  event: 'afterShellExecution',
  payload: input =>
    withText('command', input, command => ({
      command,
      output,
      duration,
      cwd: folderOf(input, cwd),
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    })),
})

const subagentStep = (ended: SubagentEnd, durationMs: number): Step => ({
  event: 'subagentStop',
  payload: ({ subagent_type, prompt }) => ({
    ...ended,
    subagent_type: textOf(subagent_type) ?? 'generalPurpose',
    task: textOrEmpty(prompt),
    duration_ms: durationMs,
  }),
})

const folderOf = (input: Json, cwd: string): string =>
  typeof input.cwd === 'string' && input.cwd !== '' ? resolve(cwd, input.cwd) : cwd

const mcpPayload = ({ server, tool, fields }: McpTool, input: Json): AnyFields => ({
  tool_name: tool,
  tool_input: writeJson(input),
  mcp_server_name: server,
  ...fields,
})

const withText = (key: string, input: Json, make: (text: string) => AnyFields): AnyFields | string => {
  const value = input[key]
  return typeof value === 'string' ? make(value) : `The call has no "${key}".`
}

function editsOf({ does }: ToolRow, input: Json, before: string | undefined): AnyFields[] {
  if (does === 'write') return [{ old_string: before ?? '', new_string: textOrEmpty(input.content) }]
  const several = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input]
  return several.map(({ old_string, new_string }) => ({
    old_string: textOf(old_string) ?? before ?? '',
    new_string: textOrEmpty(new_string),
  }))
}

// ——— files ———

const MAX_FILE_BYTES = 32 * 1024 * 1024
const NON_BLOCKING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** For a file that reaches the model without a tool. */
export const readStep = (path: string, cwd: string): Step => ({
  event: 'beforeReadFile',
  payload: () => readPayload({ file_path: path }, cwd),
})

function readPayload(input: Json, cwd: string): AnyFields | string {
  const path = textOf(input.file_path)
  if (path === undefined) return 'The call has no "file_path".'
  const file = resolve(cwd, path)
  const content = readContent(file)
  return content === undefined
    ? `${file} is larger than 32 MiB, the limit for hooks.`
    : { file_path: file, content }
}

/** The same file under its own path, if the given path leads through a link: a hook may know only one of them. */
function linkedPayload(path: string | undefined, cwd: string): AnyFields | string | null {
  if (path === undefined) return null
  const file = resolve(cwd, path)
  const real = realPath(file)
  // The agent may name its folder through a link. All its files would be linked then.
  const expected = isInside(cwd, file) ? join(realPath(cwd), relative(cwd, file)) : file
  return real === file || real === expected ? null : readPayload({ file_path: real }, cwd)
}

/** A search in one file shows its lines. Which files a search in a folder shows is not known before the call. */
function searchedPayload(input: Json, cwd: string): AnyFields | string | null {
  const file = searchedFile(input, cwd)
  return file === undefined ? null : readPayload({ file_path: file }, cwd)
}

function searchedFile(input: Json, cwd: string): string | undefined {
  const path = textOf(input.path) ?? textOf(input.dir_path)
  const file = path === undefined ? undefined : resolve(cwd, path)
  return file !== undefined && statOf(file)?.isFile() ? file : undefined
}

/** Empty if it is not a file; undefined if it is too large. */
function readContent(file: string): string | undefined {
  let open: number | undefined
  try {
    // Non-blocking: opening a named pipe would wait for its writer.
    open = openSync(file, NON_BLOCKING)
    const stats = fstatSync(open)
    if (!stats.isFile()) return ''
    return stats.size > MAX_FILE_BYTES ? undefined : readFileSync(open, 'utf8')
  } catch {
    return ''
  } finally {
    if (open !== undefined) closeSync(open)
  }
}
