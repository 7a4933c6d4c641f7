// Gemini CLI. A deny is in `decision`, a rewrite in `tool_input`. Without a terminal a question hangs, so ask is a deny.

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { END_REASONS, isFileTool, type PayloadReader, readEvent, withNamedFiles } from './agent-event.js'
import { outputText, withEventName } from './claude-code.js'
import { resultOf } from './gemini-results.js'
import {
  addedFolders,
  FAILED_START,
  NAMED_FILES,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_DETAILS,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { environmentSwitch, toNamedEntry } from './settings.js'
import { type McpTool, toAgentKeys } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  compact,
  type EventKind,
  isObject,
  type Json,
  joinTexts,
  type Names,
  type StepsResult,
  type ToolRow,
  textOf,
  textOrEmpty,
} from './types.js'

const names = {
  events: {
    SessionStart: 'start',
    BeforeAgent: 'prompt',
    BeforeTool: 'tool',
    AfterTool: 'result',
    AfterAgent: 'turn',
    SessionEnd: 'end',
  },
  tools: {
    run_shell_command: { as: 'Shell', does: 'shell', keys: { dir_path: 'cwd' } },
    read_file: { as: 'Read', does: 'read' },
    read_many_files: { as: 'Read', does: 'files' },
    write_file: { as: 'Write', does: 'write' },
    replace: { as: 'Write', does: 'edit' },
    list_directory: { as: 'LS' },
    glob: { as: 'Grep' },
    grep_search: { as: 'Grep', does: 'search' },
    search_file_content: { as: 'Grep', does: 'search' },
    read_mcp_resource: { as: 'read_mcp_resource', does: 'resource' },
    list_mcp_resources: { as: 'list_mcp_resources', does: 'resource' },
    web_fetch: { as: 'WebFetch' },
    google_web_search: { as: 'WebSearch' },
    invoke_agent: { as: 'Task', does: 'task', keys: { agent_name: 'subagent_type' } },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf,
  resultOf: payload => resultOf(payload, isObject(payload.mcp_context)),
  fileOf,
  reasons: END_REASONS,
}

function mcpOf({ tool_name, mcp_context }: Json): McpTool | null {
  const [, server, tool] = /^mcp_+([^_]+)_+(.+)$/s.exec(textOrEmpty(tool_name)) ?? []
  if (!isObject(mcp_context)) return server && tool ? { server, tool } : null
  const { command, args, url } = mcp_context
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(word => typeof word === 'string')
  const address = textOf(url) ?? textOf(mcp_context.http_url)
  return {
    server: textOf(mcp_context.server_name) ?? server ?? '',
    tool: textOf(mcp_context.tool_name) ?? tool ?? textOrEmpty(tool_name),
    fields: {
      ...(words.length > 0 ? { command: words.join(' ') } : {}),
      ...(address === undefined ? {} : { url: address, mcp_server_url: address }),
    },
  }
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const { prompt, prompt_response, tool_input } = payload
  const event = readEvent(reader, kind, { ...payload, last_assistant_message: prompt_response })
  if (typeof event === 'string') return event
  if (kind === 'prompt') return withNamedFiles(event, prompt)
  const { tool, conversation } = event
  const path = isObject(tool_input) ? textOf(tool_input.file_path) : undefined
  if (kind !== 'tool' || !tool || !isFileTool(tool) || path === undefined) return event
  return { ...event, isAmbiguous: !isLiteralPath(path, conversation.cwd, tool) }
}

/** The input to run, if it is not the model's: a hook rewrote it, or its path is ambiguous. It replaces all keys. */
function newInput(
  { tool, input, isAmbiguous, conversation }: AgentEvent,
  rewritten: Json | null,
): Json | null {
  if (!tool || !isFileTool(tool)) return rewritten
  const call = rewritten ?? (isAmbiguous ? toAgentKeys(tool, input) : null)
  const path = textOf(call?.file_path)
  return path === undefined ? call : { ...call, file_path: exactPath(path, conversation.cwd) }
}

function toResponse(event: AgentEvent, result: StepsResult): Json | null {
  const { name, kind } = event
  const { decision, userMessage, agentMessage, input, followup, output } = result
  // A subagent that has ended cannot continue, but its parent can start another one.
  const context = kind === 'result' ? joinTexts(result.context, followup) : result.context
  if (kind === 'tool' || kind === 'prompt') {
    if (decision === 'deny') {
      const reason = (kind === 'tool' ? agentMessage : null) ?? userMessage ?? ''
      return compact({ decision: 'deny', reason, systemMessage: kind === 'tool' ? userMessage : null })
    }
    return compact({ hookSpecificOutput: withEventName(name, { tool_input: newInput(event, input) }) })
  }
  if (kind === 'turn') return followup === null ? null : { decision: 'deny', reason: followup }
  // The reason of a deny after the call replaces the result.
  if (output) return { decision: 'deny', reason: joinTexts(outputText(output), context) }
  return compact({
    hookSpecificOutput: withEventName(name, { additionalContext: context }),
    systemMessage: userMessage,
  })
}

// ——— paths ———
// Gemini CLI removes a leading @, drops NUL and decodes %20, so that one file has many names. Hooks receive the file
// that it will use, and the response names exactly that file if the path is not literal.

function fileOf(path: string, cwd: string): string {
  const file = resolve(cwd, withoutAt(path.replaceAll('\0', ''), cwd))
  try {
    return resolve(decodeURIComponent(file))
  } catch {
    return file
  }
}

/** An @ is part of the name if such a file, or its folder, exists. */
function withoutAt(path: string, cwd: string): string {
  if (!path.startsWith('@') || existsSync(resolve(cwd, path))) return path
  const rest = path.slice(1).replace(/^[\\/]+/, '')
  const [first = ''] = rest.split(/[\\/]/)
  const isName = !/^@[\\/]/.test(path) && existsSync(resolve(cwd, `@${first}`))
  return isName || rest === '' ? path : rest
}

/** A path that Gemini CLI reads as exactly this file. */
const exactPath = (file: string, cwd: string): string => resolve(cwd, file).replaceAll('%', '%25')

/** Gemini CLI searches for another file of the same name if an edited file is missing. */
function isLiteralPath(path: string, cwd: string, { does }: ToolRow): boolean {
  if (/^@|[%\0]/.test(path) || fileOf(path, cwd) !== resolve(cwd, path)) return false
  return does !== 'edit' || isAbsolute(path) || existsSync(resolve(cwd, path))
}

const SECRETS = ['GEMINI_API_KEY', 'GOOGLE_API_KEY']

export const gemini: Bridge = {
  name: 'gemini',
  title: 'Gemini CLI',
  version: '0.61',
  evidence: 'observed',
  names,
  canAsk: false,
  losesContext: ['resume'],
  toEvent,
  toResponse,
  config: {
    files: { user: '.gemini/settings.json', project: '.gemini/settings.json' },
    otherSettings: [
      '.gemini/trustedFolders.json',
      '/etc/gemini-cli',
      '/Library/Application Support/GeminiCli',
    ],
    entry: toNamedEntry,
    empty: {},
    projectVariable: 'GEMINI_PROJECT_DIR',
    toolVariable: 'GEMINI_CLI',
    secretVariables: SECRETS,
    nextStep: 'Gemini CLI runs project hooks only in folders that it trusts.',
    offSwitches: [
      {
        name: '"hooksConfig": { "enabled": false }',
        effect: 'Gemini CLI runs no hooks. A repository in a folder that it trusts can contain it.',
        setting: {
          files: ['~/.gemini/settings.json', '.gemini/settings.json'],
          key: ['hooksConfig', 'enabled'],
          value: false,
        },
      },
      {
        name: '"hooks": null',
        effect: 'Gemini CLI runs no hooks. A repository in a folder that it trusts can contain it.',
        setting: { files: ['.gemini/settings.json'], key: ['hooks'], value: null },
      },
      environmentSwitch('.env', ['.env', '.gemini/.env']),
      {
        name: 'a folder without trust',
        effect: 'Gemini CLI does not read .gemini there.',
        only: 'project',
      },
    ],
  },
  limitations: {
    'events of subagents':
      'Gemini CLI does not send which of its agents calls a tool. The events have the ids of the main conversation.',
    subagentStop:
      'A subagent that has ended cannot continue; its conversation is not sent. followup_message becomes context for its parent.',
    ...NAMED_FILES,
    ...SEARCHED_FOLDERS,
    ...NO_ATTACHMENTS,
    'MCP resources': 'A call that reads a resource names no server. mcp_server_name is empty.',
    additional_context: 'Gemini CLI cuts long context.',
    beforeShellExecution:
      'Commands that the user types with !, and those in custom commands (!{…}), run without a tool. Hooks do not see them; beforeSubmitPrompt sees their output in a custom command.',
    ...OTHER_HOOKS,
    ask: 'Without a terminal, Gemini CLI hangs if a hook asks. ask becomes a deny with a message.',
    ...NO_GRANT,
    preCompact:
      'Gemini CLI sends it before every call of the model, whether it compacts or not. The event does not occur.',
    ...NO_BLOCKED_START,
    sessionEnd:
      'In a terminal it is sent three times, and Gemini CLI may not wait for it. The event occurs once; a slow hook may be cut off.',
    'stop followup_message':
      'Gemini CLI does not end a series of follow-ups, but fails after about 2000. Only loop_limit ends it.',
    ...NO_DETAILS,
    ...addedFolders('--include-directories'),
    ...secretVariables('Gemini CLI', SECRETS),
    ...ONE_RESPONSE,
    ...NO_THOUGHTS,
    ...NO_TAB,
    ...FAILED_START,
  },
}
