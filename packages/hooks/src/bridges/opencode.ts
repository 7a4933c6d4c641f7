// OpenCode. Its settings have no hooks; a plugin sends its events in a form of our own, and throws to stop a call.

import { fileURLToPath } from 'node:url'
import { type PayloadReader, readEvent } from './agent-event.js'
import {
  NO_BLOCKED_START,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { opencodePlugin } from './opencode-plugin.js'
import { toPluginResponse } from './plugin.js'
import { toShell } from './settings.js'
import { type McpTool, readStep, type ToolResult } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  type EventKind,
  isObject,
  type Json,
  type Names,
  textOrEmpty,
} from './types.js'

const FILE = { filePath: 'file_path' } as const

const names = {
  events: {
    'session.created': 'start',
    'chat.message': 'prompt',
    'tool.execute.before': 'tool',
    'tool.execute.after': 'result',
    'subagent.idle': 'subagent',
    'session.idle': 'turn',
    'session.error': 'interrupt',
    'session.compacting': 'compact',
    'session.disposed': 'end',
  },
  tools: {
    bash: { as: 'Shell', does: 'shell', keys: { workdir: 'cwd' } },
    read: { as: 'Read', does: 'read', keys: FILE },
    write: { as: 'Write', does: 'write', keys: FILE },
    edit: {
      as: 'Write',
      does: 'edit',
      keys: { ...FILE, oldString: 'old_string', newString: 'new_string' },
    },
    apply_patch: { as: 'Write', does: 'patch', keys: { patchText: 'command' } },
    glob: { as: 'Grep' },
    grep: { as: 'Grep', does: 'search' },
    list: { as: 'LS' },
    task: { as: 'Task', does: 'task' },
    read_mcp_resource: { as: 'read_mcp_resource', does: 'resource' },
    list_mcp_resources: { as: 'list_mcp_resources', does: 'resource' },
    list_mcp_resource_templates: { as: 'list_mcp_resource_templates', does: 'resource' },
    webfetch: { as: 'WebFetch' },
    websearch: { as: 'WebSearch' },
  },
} as const satisfies Names

const reader: PayloadReader = { names, mcpOf, resultOf, reasons: {} }

function mcpOf({ mcp_server }: Json): McpTool | null {
  if (!isObject(mcp_server)) return null
  return { server: textOrEmpty(mcp_server.name), tool: textOrEmpty(mcp_server.tool) }
}

function resultOf({ tool_response: value }: Json): ToolResult {
  const { output, exit } = isObject(value) ? value : {}
  return {
    text: textOrEmpty(output),
    value,
    durationMs: 0,
    ...(typeof exit === 'number' ? { exitCode: exit } : {}),
  }
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const event = readEvent(reader, kind, payload)
  if (typeof event === 'string' || kind !== 'prompt' || !Array.isArray(payload.files)) return event
  // The content of attached files reaches the model without a tool call.
  const files = payload.files.map(url => readStep(pathOf(textOrEmpty(url)), event.conversation.cwd))
  return { ...event, steps: [...event.steps, ...files] }
}

const pathOf = (url: string): string => {
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''))
  } catch {
    return url
  }
}

const SECRETS = [
  'OPENCODE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
]

export const opencode: Bridge = {
  name: 'opencode',
  title: 'OpenCode',
  version: '1.18',
  evidence: 'observed',
  names,
  canAsk: false,
  losesContext: ['resume'],
  toEvent,
  toResponse: toPluginResponse,
  config: {
    files: { user: '.config/opencode/plugins/holdfast.js', project: '.opencode/plugins/holdfast.js' },
    otherSettings: [
      '.config/opencode/plugins',
      '.config/opencode/opencode.json',
      '.opencode/plugins',
      'opencode.json',
    ],
    ownFile: opencodePlugin,
    entry: call => ({ command: toShell(call) }),
    empty: {},
    toolVariable: 'OPENCODE',
    secretVariables: SECRETS,
    blocksTimeoutsSince: '1.18',
    offSwitches: [{ name: '--pure', effect: 'OpenCode loads no plugins.' }],
  },
  limitations: {
    ask: 'Plugins cannot ask the user. ask becomes a deny with a message.',
    ...NO_GRANT,
    ...NO_BLOCKED_START,
    ...SEARCHED_FOLDERS,
    ...OTHER_HOOKS,
    beforeSubmitPrompt:
      'A blocked prompt ends with an error of the server; the message of the hook is shown as a notice, or on stderr.',
    attachments:
      'Files of a prompt are checked like reads. Other attachments are not sent, and attachments is empty.',
    beforeShellExecution:
      'Commands that the user types with !, and those in custom commands, run without a tool. Hooks do not see them.',
    postToolUseFailure:
      'OpenCode does not report calls that fail. The event does not occur. A command that fails is a postToolUse.',
    'stop followup_message':
      'opencode run ends with the first turn, before a follow-up. OpenCode does not end a series of follow-ups; only loop_limit does.',
    durations: 'The duration of a tool call is not sent. duration is 0.',
    'another settings folder':
      'The plugin is in ~/.config/opencode. With XDG_CONFIG_HOME, OpenCode reads another folder: copy it there.',
    ...secretVariables('OpenCode', SECRETS),
    ...ONE_RESPONSE,
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The plugin throws for prompts and tool calls, which blocks them. A plugin that OpenCode cannot load is skipped.',
  },
}
