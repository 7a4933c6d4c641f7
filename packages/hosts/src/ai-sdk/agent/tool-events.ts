// THE TABLE OF THE HOST: which events belong to which tool, and how its input and output become their fields. A tool
// without a row has the events of all tools; a row adds the specific ones.

import { resolve } from 'node:path'
import type { EventFields, EventName } from '@holdfast/hooks'
import { type HeldFile, holdFile, holdOldFile } from '../tools/files.js'
import { ToolCallError } from './tool-errors.js'

/** One tool call as the table receives it: its current input, after rewrites by hooks. */
export interface ToolCall {
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  /** The folder that the agent works in. */
  readonly workspace: string
  readonly conversationId: string
  /** Other running calls of the same tool. */
  readonly beside: number
  /** The return value of the row's `prepare`. */
  readonly prepared: unknown
}

export interface Done {
  readonly output: unknown
  readonly durationMs: number
}

/** An event and its fields. */
export type Told = {
  readonly [E in EventName]: { readonly event: E; readonly fields: EventFields<E> }
}[EventName]

export interface ToolEvents {
  /** The name of the tool for hooks (default: the name for the model). */
  readonly name?: string
  /**
   * Looks before the hooks do: what they judge is then what the tool works with. It must change nothing. The tool finds
   * the result as `prepared` in its options.
   */
  readonly prepare?: (call: ToolCall) => unknown
  /** Fired before the tool runs; may block it. */
  readonly before?: (call: ToolCall) => Told
  /** Fired after it ran. */
  readonly after?: (call: ToolCall, done: Done) => Told
  /** The file that the call changed. */
  readonly changes?: (call: ToolCall) => string
  /** The error, if the output itself reports that the call failed. */
  readonly failureOf?: (output: unknown) => string | null
  /** Hooks may replace its result. */
  readonly isReplaceable?: boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * What hooks judge must be what the tool works with. A tool of the same name that takes something else would run
 * without anybody having seen what it does.
 */
function needed({ input }: ToolCall, name: string): string {
  const value = input[name]
  if (typeof value === 'string') return value
  throw new ToolCallError(
    `Hooks cannot judge this call: it has no "${name}". A tool with another input needs its own row in "toolEvents".`,
  )
}

const pathOf = (call: ToolCall): string => resolve(call.workspace, needed(call, 'file_path'))
const folderOf = ({ input, workspace }: ToolCall): string => resolve(workspace, text(input.cwd))
/** As it is on the disk: a link is judged by its target. */
const heldPath = (call: ToolCall): string => (call.prepared as HeldFile | undefined)?.path ?? pathOf(call)
const heldContent = ({ prepared }: ToolCall): string => (prepared as HeldFile | undefined)?.content ?? ''

export const TOOL_EVENTS: Readonly<Record<string, ToolEvents>> = {
  Shell: {
    before: call => ({
      event: 'beforeShellExecution',
      fields: { command: needed(call, 'command'), cwd: folderOf(call), sandbox: false },
    }),
    after: (call, { output, durationMs }) => {
      const { output: said, exitCode } = Object(output) as { output?: unknown; exitCode?: unknown }
      return {
        event: 'afterShellExecution',
        fields: {
          command: text(call.input.command),
          output: text(said ?? output),
          duration: durationMs,
          sandbox: false,
          cwd: folderOf(call),
          ...(typeof exitCode === 'number' ? { exit_code: exitCode } : {}),
        },
      }
    },
  },
  Read: {
    prepare: call => holdFile(call.workspace, needed(call, 'file_path')),
    before: call => ({
      event: 'beforeReadFile',
      fields: { file_path: heldPath(call), content: heldContent(call), attachments: [] },
    }),
  },
  Write: {
    prepare: call => {
      needed(call, 'content')
      return holdOldFile(call.workspace, needed(call, 'file_path'))
    },
    after: call => ({
      event: 'afterFileEdit',
      fields: {
        file_path: heldPath(call),
        edits: [{ old_string: heldContent(call), new_string: text(call.input.content) }],
      },
    }),
    changes: heldPath,
  },
  Delete: { prepare: pathOf, changes: ({ prepared }) => text(prepared) },
  Task: {
    before: call => ({
      event: 'subagentStart',
      fields: {
        subagent_id: call.id,
        tool_call_id: call.id,
        subagent_type: needed(call, 'subagent_type'),
        task: needed(call, 'prompt'),
        parent_conversation_id: call.conversationId,
        is_parallel_worker: call.beside > 0,
        ...(call.prepared as Pick<EventFields<'subagentStart'>, 'subagent_model'>),
      },
    }),
  },
}

/** The name of an MCP server for hooks. */
export interface McpServerInfo {
  readonly mcp_server_name: string
  readonly mcp_server_url?: string
  readonly url?: string
  readonly command?: string
}

/** The row of one tool of an MCP server. */
export function mcpEvents(tool: string, server: McpServerInfo): ToolEvents {
  const { mcp_server_name, mcp_server_url } = server
  const asked = ({ input }: ToolCall) => ({ tool_name: tool, tool_input: JSON.stringify(input) })
  return {
    name: `MCP:${tool}`,
    before: call => ({ event: 'beforeMCPExecution', fields: { ...asked(call), ...server } }),
    after: (call, { output, durationMs }) => ({
      event: 'afterMCPExecution',
      fields: {
        ...asked(call),
        mcp_server_name,
        ...(mcp_server_url === undefined ? {} : { mcp_server_url }),
        result_json: JSON.stringify(output) ?? '{}',
        duration: durationMs,
      },
    }),
    failureOf: output => {
      const { isError, content } = Object(output) as { isError?: unknown; content?: unknown }
      if (isError !== true) return null
      const said = (Array.isArray(content) ? content : []).map((item: unknown) =>
        text((Object(item) as { text?: unknown }).text),
      )
      return said.filter(Boolean).join('\n') || 'The MCP tool failed without a reason.'
    },
    isReplaceable: true,
  }
}
