// Cline. Its hook files fail open and cannot block prompts, so a plugin sends its events in a form of our own.
// https://docs.cline.bot/sdk/plugins, and as observed.

import { durationOf, failureOf, type PayloadReader, parseMcpName, readEvent } from './agent-event.js'
import { CLINE_LIMIT_MS, clinePlugin } from './cline-plugin.js'
import {
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  OTHER_HOOKS,
  secretVariables,
} from './limitations.js'
import { toPluginResponse } from './plugin.js'
import { toShell } from './settings.js'
import { type McpTool, readStep, type ToolFailure, type ToolResult } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  type EventKind,
  isObject,
  type Json,
  joinTexts,
  type Names,
  type StepsResult,
  textOf,
  textOrEmpty,
} from './types.js'

const FILE = { path: 'file_path' } as const

const names = {
  events: {
    'session.start': 'start',
    beforeModel: 'prompt',
    beforeTool: 'tool',
    afterTool: 'result',
    'subagent.afterRun': 'subagent',
    afterRun: 'turn',
    'run.aborted': 'interrupt',
    'session.end': 'end',
  },
  tools: {
    run_commands: { as: 'Shell', does: 'shell' },
    read_files: { as: 'Read', does: 'read', keys: FILE },
    editor: { as: 'Write', does: 'edit', keys: { ...FILE, old_text: 'old_string', new_text: 'new_string' } },
    apply_patch: { as: 'Write', does: 'patch', keys: { input: 'command' } },
    search_codebase: { as: 'Grep' },
    fetch_web_content: { as: 'WebFetch' },
    spawn_agent: { as: 'Task', does: 'task', keys: { task: 'prompt' } },
  },
} as const satisfies Names

const reader: PayloadReader = { names, mcpOf, resultOf, reasons: {} }

/** `server__tool`, with a checksum if the name was changed. */
function mcpOf({ tool_name }: Json): McpTool | null {
  const mcp = parseMcpName(`mcp__${textOrEmpty(tool_name)}`)
  return mcp && { ...mcp, tool: mcp.tool.replace(/_[0-9a-f]{8}$/, '') }
}

function resultOf({ tool_response, duration_ms }: Json): ToolResult | ToolFailure {
  const { output, is_error } = isObject(tool_response) ? tool_response : {}
  const durationMs = durationOf(duration_ms)
  const { result, error, success } = isObject(output) ? output : {}
  if (success === false || is_error === true) {
    const message = textOf(error) ?? textOf(output) ?? JSON.stringify(output)
    const [start, code] = /^\[Command exited with code (\d+)\]\n?/.exec(textOrEmpty(result)) ?? []
    if (start === undefined) return failureOf(message, durationMs)
    const printed = textOrEmpty(result).slice(start.length)
    return { message, output: printed, exitCode: Number(code), durationMs, isInterrupt: false }
  }
  return { text: textOf(result) ?? textOf(output) ?? '', value: output, durationMs }
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const event = readEvent(reader, kind, payload)
  if (typeof event === 'string') return event
  if (kind === 'prompt' && Array.isArray(payload.files)) {
    // The content of files that the user names with @ reaches the model without a tool call.
    const files = payload.files.map(file => readStep(textOrEmpty(file), event.conversation.cwd))
    return { ...event, steps: [...event.steps, ...files] }
  }
  const list = textOf(payload.expected_list)
  return list === undefined
    ? event
    : { ...event, refusal: `Call ${payload.tool_name} with a list in "${list}", and nothing else.` }
}

/** The message for the user has no other way. */
const toResponse = (event: AgentEvent, result: StepsResult): Json | null =>
  toPluginResponse(event, { ...result, agentMessage: joinTexts(result.userMessage, result.agentMessage) })

const SECRETS = [
  'CLINE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
]

export const cline: Bridge = {
  name: 'cline',
  title: 'Cline',
  version: '3.0',
  evidence: 'observed',
  names,
  canAsk: false,
  losesContext: ['resume'],
  toEvent,
  toResponse,
  config: {
    files: { user: '.cline/plugins/holdfast.js', project: '.cline/plugins/holdfast.js' },
    otherSettings: ['.cline/plugins', '.cline/hooks', '.cline/data/settings', '.clinerules/hooks'],
    ownFile: clinePlugin,
    limitSeconds: CLINE_LIMIT_MS / 1000,
    entry: call => ({ command: toShell(call) }),
    empty: {},
    toolVariable: 'CLINE_CONNECTOR_CLI_LAUNCH',
    secretVariables: SECRETS,
    blocksTimeoutsSince: '3.0',
    nextStep:
      'This is for the command line: the extensions for VS Code and JetBrains load no plugins. Set CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000, or Cline goes on without hooks if its plugin takes 4 seconds to load.',
    offSwitches: [
      {
        name: '"disabledPlugins"',
        effect: 'Cline does not load the plugins in this list of global-settings.json.',
      },
      { name: '--config', effect: 'Cline loads the plugins of another folder than ~/.cline.', only: 'user' },
    ],
  },
  limitations: {
    'slow hooks':
      'Cline ends a run whose plugin does not respond within 3 seconds. The plugin denies after 2.6 seconds, and the reason is the time limit.',
    'a plugin that loads slowly':
      'Cline goes on without a plugin that takes 4 seconds to load, and does not say so. CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000 in your environment raises the limit.',
    'calls of several commands or files':
      'Each command and each file is an event of its own. If one of them is denied, none runs.',
    ask: 'Plugins cannot ask the user. ask becomes a deny with a message.',
    ...NO_GRANT,
    ...NO_BLOCKED_START,
    ...OTHER_HOOKS,
    ...NO_ATTACHMENTS,
    beforeSubmitPrompt: 'A blocked prompt ends the run with an error that contains the reason.',
    beforeMCPExecution:
      'mcp_server_name is the name in the tool: all characters but letters, digits, - and _ are replaced.',
    'search in a folder':
      'A search is for the complete project, and shows lines of all its files. Guard it with preToolUse and the matcher Grep.',
    preCompact: 'Plugins are not called before a compaction. The event does not occur.',
    'stop followup_message': 'A run cannot be continued by a plugin. followup_message is ignored.',
    'subagentStop followup_message': 'A subagent that has ended cannot continue. It is ignored.',
    sessionEnd: 'Cline ends without waiting for it. Its hooks run on after Cline.',
    'tool_use_id, model': 'The model is not sent; it is "default".',
    ...secretVariables('Cline', SECRETS),
    ...ONE_RESPONSE,
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The plugin denies prompts and tool calls. A plugin that Cline cannot load is skipped.',
  },
}
