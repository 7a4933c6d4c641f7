// The agent of VS Code, as documented: https://code.visualstudio.com/docs/agents/reference/hooks-reference. It also runs the
// entries of Claude Code and of Copilot CLI, with its own names of events, tools and keys.

import { END_REASONS, type PayloadReader, readEvent } from './agent-event.js'
import { toClaudeResponse } from './claude-code.js'
import {
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_TAB,
  NO_THOUGHTS,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
} from './limitations.js'
import { ENTRY_LIMIT_SECONDS, toShell } from './settings.js'
import { type McpTool, rowFor } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  compact,
  isObject,
  type Json,
  type Names,
  type StepsResult,
  textOf,
  textOrEmpty,
} from './types.js'

const FILE = { filePath: 'file_path' } as const
const EDIT = { ...FILE, oldString: 'old_string', newString: 'new_string' } as const

const names = {
  events: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PreToolUse: 'tool',
    PostToolUse: 'result',
    SubagentStop: 'subagent',
    Stop: 'turn',
    PreCompact: 'compact',
  },
  tools: {
    run_in_terminal: { as: 'Shell', does: 'shell' },
    runTerminalCommand: { as: 'Shell', does: 'shell' },
    read_file: { as: 'Read', does: 'read', keys: FILE },
    create_file: { as: 'Write', does: 'write', keys: FILE },
    replace_string_in_file: { as: 'Write', does: 'edit', keys: EDIT },
    insert_edit_into_file: { as: 'Write', does: 'edit', keys: { ...FILE, code: 'new_string' } },
    edit_notebook_file: { as: 'Write', does: 'edit', keys: { ...FILE, newCode: 'new_string' } },
    multi_replace_string_in_file: { as: 'Write' },
    editFiles: { as: 'Write' },
    apply_patch: { as: 'Write', does: 'patch', keys: { input: 'command' } },
    list_dir: { as: 'LS' },
    grep_search: { as: 'Grep' },
    file_search: { as: 'Grep' },
    fetch_webpage: { as: 'WebFetch' },
    runSubagent: { as: 'Task', does: 'task', keys: { agentName: 'subagent_type' } },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf,
  resultOf: ({ tool_response: value }) => ({ text: textOf(value) ?? '', value, durationMs: 0 }),
  reasons: END_REASONS,
}

/** The server's name ends at the first _ after the prefix. */
function mcpOf({ tool_name, tool_input }: Json): McpTool | null {
  const name = textOrEmpty(tool_name)
  const isKnown = rowFor(names.tools, name, isObject(tool_input) ? tool_input : {}).as !== name
  const [, server, tool] = isKnown ? [] : (/^mcp_+([^_]+)_+(.+)$/s.exec(name) ?? [])
  return server === undefined || tool === undefined ? null : { server, tool }
}

function toResponse(event: AgentEvent, result: StepsResult): Json | null {
  const { kind, name } = event
  const { decision, userMessage, followup } = result
  if (kind === 'prompt')
    return decision === 'deny' ? { continue: false, stopReason: userMessage ?? 'Blocked by a hook.' } : null
  if (kind === 'turn' && followup !== null)
    return { hookSpecificOutput: { hookEventName: name, decision: 'block', reason: followup } }
  if (kind === 'compact') return compact({ systemMessage: userMessage })
  return toClaudeResponse(event, { ...result, output: null })
}

export const vscode: Bridge = {
  name: 'vscode',
  title: 'VS Code',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: true,
  guest: {
    of: ['claude-code', 'copilot'],
    sends: ({ hookEventName, timestamp }) =>
      typeof hookEventName === 'string' && typeof timestamp === 'string',
  },
  toEvent: (kind, payload) =>
    readEvent(reader, kind, { ...payload, session_id: payload.session_id ?? payload.sessionId }),
  toResponse,
  config: {
    files: { user: '.copilot/hooks/holdfast-vscode.json', project: '.github/hooks/holdfast-vscode.json' },
    otherSettings: ['.copilot/hooks', '.github/hooks', '.vscode/settings.json'],
    entry: call => ({ type: 'command', command: toShell(call), timeout: ENTRY_LIMIT_SECONDS }),
    empty: {},
    nextStep:
      'VS Code runs the entries of Claude Code and Copilot CLI too. If holdfast is installed for one of them, remove one installation.',
    offSwitches: [
      {
        name: '"chat.hookFilesLocations"',
        effect: 'VS Code does not read the files that it sets to false. A repository can contain it.',
        setting: {
          files: ['.vscode/settings.json'],
          key: ['chat.hookFilesLocations', '.github/hooks'],
          value: false,
        },
        only: 'project',
      },
      { name: 'a policy of the organisation', effect: 'Hooks are disabled.' },
    ],
  },
  unmapped: {
    SubagentStart: 'subagentStart occurs before the call that starts the subagent, and can deny it.',
  },
  limitations: {
    ...NO_BLOCKED_START,
    ...SEARCHED_FOLDERS,
    ...OTHER_HOOKS,
    ...NO_ATTACHMENTS,
    beforeMCPExecution: 'Names of servers are read from the names of tools, up to the first _.',
    'afterFileEdit of several files':
      'A call that edits several files names none. Hooks see it in preToolUse and postToolUse.',
    postToolUseFailure: 'VS Code does not report calls that fail. The event does not occur.',
    updated_mcp_tool_output: 'Results cannot be replaced. It is ignored.',
    'preCompact, sessionEnd':
      'preCompact can show a message only. The end of a session is not reported; sessionEnd does not occur.',
    afterAgentResponse: 'Messages of the model are not sent. The event does not occur.',
    'durations, model': 'They are not sent. They are 0 and "default".',
    'Copilot CLI': 'It reads the same folders. If holdfast is installed for both, every hook runs twice.',
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The agent proceeds if a hook is missing or crashes. The entries end with "|| exit 2", which blocks.',
  },
}
