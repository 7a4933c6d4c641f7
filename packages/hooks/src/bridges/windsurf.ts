// Cascade, the older agent of Windsurf, as documented: https://docs.windsurf.com/windsurf/cascade/hooks. Its event is the kind
// of the action, and exit code 2 blocks. Newer versions of the editor have Devin's agent.

import { type PayloadReader, readEvent } from './agent-event.js'
import { NO_ATTACHMENTS, NO_BLOCKED_START, NO_GRANT, NO_TAB, NO_THOUGHTS } from './limitations.js'
import { type EntryCall, toShell } from './settings.js'
import { denyRewritten } from './steps.js'
import type { McpTool } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  isObject,
  type Json,
  type Names,
  printAsExitCode,
  type StepsResult,
  textOf,
  textOrEmpty,
} from './types.js'

const names = {
  events: {
    pre_user_prompt: 'prompt',
    pre_run_command: 'tool',
    pre_read_code: 'tool',
    pre_write_code: 'tool',
    pre_mcp_tool_use: 'tool',
    post_run_command: 'result',
    post_write_code: 'result',
    post_mcp_tool_use: 'result',
    post_cascade_response: 'turn',
  },
  tools: {
    run_command: { as: 'Shell', does: 'shell', keys: { command_line: 'command' } },
    read_code: { as: 'Read', does: 'read' },
    write_code: { as: 'Write', does: 'edit' },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf,
  resultOf: ({ tool_info }) => {
    const value = isObject(tool_info) ? tool_info.mcp_result : undefined
    return { text: textOf(value) ?? '', value, durationMs: 0 }
  },
  reasons: {},
}

function mcpOf({ hook_event_name, tool_info }: Json): McpTool | null {
  if (!textOrEmpty(hook_event_name).endsWith('_mcp_tool_use') || !isObject(tool_info)) return null
  return { server: textOrEmpty(tool_info.mcp_server_name), tool: textOrEmpty(tool_info.mcp_tool_name) }
}

/** Its field names → those of the other agents. */
function renameFields(payload: Json): Json {
  const { hook_event_name: name, tool_info, trajectory_id, model_name } = payload
  const info = isObject(tool_info) ? tool_info : {}
  return {
    ...payload,
    session_id: trajectory_id,
    model: model_name,
    cwd: payload.cwd ?? info.cwd,
    tool_name: textOrEmpty(name).replace(/^(?:pre|post)_/, ''),
    tool_input: mcpOf(payload) ? info.mcp_tool_arguments : tool_info,
    prompt: info.user_prompt,
    last_assistant_message: info.response,
  }
}

function toResponse({ kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage } = denyRewritten(result)
  if ((kind !== 'tool' && kind !== 'prompt') || decision !== 'deny') return null
  const reason = (kind === 'tool' ? agentMessage : null) ?? userMessage ?? 'Blocked by a hook.'
  return { decision: 'block', reason }
}

export const windsurf: Bridge = {
  name: 'windsurf',
  title: 'Windsurf',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: false,
  toEvent: (kind, payload) => readEvent(reader, kind, renameFields(payload)),
  toResponse,
  print: printAsExitCode,
  config: {
    files: { user: '.codeium/windsurf/hooks.json', project: '.windsurf/hooks.json' },
    otherSettings: ['.codeium/windsurf', '.windsurf', '/etc/windsurf'],
    managed: {
      files: {
        else: '/etc/windsurf/hooks.json',
        darwin: '/Library/Application Support/Windsurf/hooks.json',
        win32: 'C:\\ProgramData\\Windsurf\\hooks.json',
      },
    },
    entry: (call: EntryCall) => ({ command: toShell(call), show_output: true }),
    empty: {},
    nextStep: 'This is for the agent Cascade. For the newer agent of the editor: holdfast install devin',
    offSwitches: [],
  },
  unmapped: {
    post_read_code: 'It contains no result.',
    post_setup_worktree: 'The agent sets up a worktree; no event here has it.',
    post_cascade_response_with_transcript: 'post_cascade_response contains the response.',
  },
  unenforced: ['subagentStart'],
  limitations: {
    'time limit': 'It is not documented, and what happens after it neither.',
    'folder of the project':
      'Only commands have one. Hooks of a project run for other events if Windsurf starts them in the project.',
    'beforeReadFile of a folder': 'A read of a folder shows files that are not known before.',
    subagentStart: 'Cascade has no subagents. subagentStart and subagentStop do not occur.',
    'sessionStart, sessionEnd, preCompact': 'Cascade does not report them. The events do not occur.',
    ask: 'Cascade cannot ask for a hook. ask becomes a deny with a message.',
    updated_input:
      'Cascade does not let hooks rewrite a call. The call is denied, and the reason asks the model to make the rewritten one.',
    'additional_context, updated_mcp_tool_output, followup_message':
      'Cascade reads exit codes only. They are ignored.',
    ...NO_GRANT,
    ...NO_BLOCKED_START,
    ...NO_ATTACHMENTS,
    'output of commands': 'It is not sent. output is empty, and postToolUseFailure does not occur.',
    'tool_use_id, durations': 'They are not sent. They are empty and 0.',
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The entries for prompts and actions end with "|| exit 2", which blocks them.',
  },
}
