// Reads the subject of a payload of any event: a command, files, a tool call, or texts.

import type { Payload } from './guard.js'

const object = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {}

const string = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The arguments of a tool, which MCP events send as JSON text. */
export function inputOf({ tool_input: input }: Payload): Payload {
  if (typeof input !== 'string') return object(input)
  try {
    return object(JSON.parse(input))
  } catch {
    return {}
  }
}

export const toolOf = ({ tool_name: name }: Payload): string => string(name) ?? ''

/** A call of an MCP server, and its name if the payload has it. */
export function mcpOf(payload: Payload): { server: string; tool: string; address: string } | undefined {
  const tool = toolOf(payload)
  const [, server, name] = /^mcp__(.+?)__(.+)$/i.exec(tool) ?? /^MCP:(?:(.+?)[:/])?(.+)$/.exec(tool) ?? []
  if (payload.tool_input === undefined || (name === undefined && !isMcp(payload))) return undefined
  return {
    server: string(payload.mcp_server_name) ?? server ?? '',
    tool: name ?? tool,
    address: string(payload.url) ?? string(payload.command) ?? '',
  }
}

const isMcp = (payload: Payload): boolean =>
  typeof payload.tool_input === 'string' &&
  (payload.url !== undefined || payload.command !== undefined || payload.mcp_server_name !== undefined)

export function commandOf(payload: Payload): string | undefined {
  if (!('tool_name' in payload)) return string(payload.command)
  return /^(?:Shell|Bash|run_shell_command|shell|execute_command)$/.test(toolOf(payload))
    ? string(inputOf(payload).command)
    : undefined
}

const FILE_KEYS =
  /^(?:file_?paths?|paths?|notebook_path|target_(?:file|directory)|absolute_path|files?|file_?names?|source|destination|old_path|new_path|uri)$/i
/** `apply_patch` names its files in the text of the patch. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** The files of a read, edit or delete, and whether the call only reads them. */
export function filesOf(payload: Payload): readonly { path: string; isRead: boolean }[] {
  const input = inputOf(payload)
  const tool = mcpOf(payload)?.tool ?? toolOf(payload)
  const isRead =
    tool === '' ? 'content' in payload : /^(?:read|view|open|grep|glob|search|ls|list|get|fetch)/i.test(tool)
  const paths: string[] = []
  const add = (value: unknown) => {
    if (typeof value === 'string' && value !== '') paths.push(value)
    else if (Array.isArray(value))
      for (const one of value) add(typeof one === 'object' && one !== null ? (one as Payload).path : one)
  }
  add(payload.file_path)
  for (const [key, value] of Object.entries(input)) {
    if (FILE_KEYS.test(key)) add(value)
    if (typeof value === 'string') for (const [, path] of value.matchAll(PATCHED)) add(path!.trim())
  }
  // Paths of an MCP server can be those of another machine, except if they begin at the root.
  return paths
    .filter(path => !mcpOf(payload) || /^(?:\/|~|file:|[a-z]:)/i.test(path))
    .map(path => ({ path, isRead }))
}

/** Files that are attached to a prompt or to a read; only their paths are sent. */
export const attachmentsOf = ({ attachments }: Payload): readonly string[] =>
  (Array.isArray(attachments) ? attachments : []).flatMap(item => string(object(item).file_path) ?? [])

/** Texts that the event shows to the agent or a model, by the name of their field. */
export function textsOf(payload: Payload): readonly (readonly [name: string, text: string])[] {
  const found: [string, string][] = []
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string') found.push([name, value])
    else if (Array.isArray(value)) for (const item of value) add(name, item)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) if (!/^(?:file_)?path$/.test(key)) add(key, inner)
  }
  for (const name of ['prompt', 'content', 'output', 'tool_output', 'result_json', 'edits', 'text'])
    add(name, payload[name])
  if (!('tool_output' in payload) && !('result_json' in payload)) add('tool_input', inputOf(payload))
  return found
}
