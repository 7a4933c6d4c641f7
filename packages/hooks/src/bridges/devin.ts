// Devin CLI and Devin Local, which the editor Windsurf became: https://docs.devin.ai/cli/extensibility/hooks/overview. They
// also run the entries of Claude Code, with their own names of tools.

import { failureOf, type PayloadReader, parseMcpName, readEvent } from './agent-event.js'
import { claudeReader, toClaudeResponse } from './claude-code.js'
import {
  FAILED_START,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { toNestedEntry } from './settings.js'
import type { ToolFailure, ToolResult } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  isObject,
  type Json,
  type Names,
  type StepsResult,
  textOf,
  textOrEmpty,
} from './types.js'

const FILE = { path: 'file_path' } as const

const names = {
  events: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PreToolUse: 'tool',
    PostToolUse: 'result',
    Stop: 'turn',
    SessionEnd: 'end',
  },
  tools: {
    exec: { as: 'Shell', does: 'shell' },
    read: { as: 'Read', does: 'read', keys: FILE },
    write: { as: 'Write', does: 'write', keys: FILE },
    edit: { as: 'Write', does: 'edit', keys: FILE },
    grep: { as: 'Grep', does: 'search' },
    glob: { as: 'Grep' },
    run_subagent: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf: ({ tool_name }) => parseMcpName(tool_name),
  resultOf,
  reasons: {},
}

function resultOf({ tool_response: value }: Json): ToolResult | ToolFailure {
  const { success, output, error } = isObject(value) ? value : {}
  return success === false
    ? failureOf(error ?? output ?? '')
    : { text: textOrEmpty(output), value, durationMs: 0 }
}

function toResponse(event: AgentEvent, result: StepsResult): Json | null {
  const { kind, name } = event
  const { decision, userMessage, agentMessage, input } = result
  if (kind !== 'tool') return toClaudeResponse(event, { ...result, output: null })
  if (decision === 'deny')
    return { decision: 'block', reason: agentMessage ?? userMessage ?? 'Blocked by a hook.' }
  return input && { hookSpecificOutput: { hookEventName: name, updatedInput: input } }
}

const SECRETS = ['DEVIN_API_KEY']

export const devin: Bridge = {
  name: 'devin',
  title: 'Devin',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: false,
  guest: {
    of: ['claude-code'],
    // Settings of a repository can set the variable for Claude Code too, whose tools have other names.
    sends: ({ hook_event_name: event, tool_name: tool }) =>
      textOf(process.env.DEVIN_PROJECT_DIR) !== undefined &&
      !Object.hasOwn(claudeReader.names.tools, textOrEmpty(tool)) &&
      (event === undefined || Object.hasOwn(names.events, textOrEmpty(event))),
  },
  toEvent: (kind, payload) =>
    readEvent(reader, kind, { ...payload, cwd: payload.cwd ?? process.env.DEVIN_PROJECT_DIR }),
  toResponse,
  config: {
    files: { user: '.config/devin/config.json', project: '.devin/config.json' },
    otherSettings: ['.config/devin', '.devin'],
    entry: toNestedEntry,
    empty: {},
    projectVariable: 'DEVIN_PROJECT_DIR',
    nextStep:
      'Devin runs the entries of Claude Code too. If holdfast is installed there, remove one installation.',
    secretVariables: SECRETS,
    offSwitches: [],
  },
  unmapped: {
    PermissionRequest: 'preToolUse has judged the call before the question to the user.',
    PostCompaction: 'preCompact occurs before a compaction, and Devin does not report that.',
  },
  limitations: {
    sessions:
      'A session_id is not documented. Without one, pins, session variables and blocked starts have no effect.',
    ask: 'A question by a hook is not documented. ask becomes a deny with a message.',
    ...NO_GRANT,
    ...NO_BLOCKED_START,
    ...SEARCHED_FOLDERS,
    ...OTHER_HOOKS,
    ...NO_ATTACHMENTS,
    updated_mcp_tool_output: 'Results cannot be replaced. It is ignored.',
    'preCompact, subagentStop': 'Devin reports neither. The events do not occur.',
    afterAgentResponse: 'The last message of a turn is read if Devin sends it, which is not documented.',
    'durations, model': 'They are not sent. They are 0 and "default".',
    ...secretVariables('Devin', SECRETS),
    ...NO_THOUGHTS,
    ...NO_TAB,
    ...FAILED_START,
  },
}
