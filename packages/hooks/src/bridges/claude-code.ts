// Claude Code. Its response is JSON on stdout; any text before it makes it invalid.

import {
  durationOf,
  END_REASONS,
  failureOf,
  type PayloadReader,
  parseMcpName,
  readEvent,
  withAutomatic,
} from './agent-event.js'
import {
  FAILED_START,
  followupLimit,
  NO_BLOCKED_START,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
} from './limitations.js'
import { ENTRY_LIMIT_SECONDS, toShell } from './settings.js'
import type { McpTool, ToolFailure, ToolResult } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  compact,
  type EventKind,
  isObject,
  type Json,
  type Names,
  type StepsResult,
  textOf,
  textOrEmpty,
} from './types.js'

/** Also those of Qwen Code; Codex has no event for failures. */
export const CLAUDE_EVENTS = {
  SessionStart: 'start',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'tool',
  PostToolUse: 'result',
  PostToolUseFailure: 'failure',
  SubagentStop: 'subagent',
  Stop: 'turn',
  PreCompact: 'compact',
  SessionEnd: 'end',
} as const

export const NOTEBOOK = {
  as: 'Write',
  does: 'edit',
  keys: { notebook_path: 'file_path', new_source: 'new_string' },
} as const

const names = {
  events: CLAUDE_EVENTS,
  tools: {
    Bash: { as: 'Shell', does: 'shell' },
    PowerShell: { as: 'Shell', does: 'shell' },
    // Runs a command in the background and sends each line of it to the model.
    Monitor: { as: 'Shell', does: 'shell' },
    Read: { as: 'Read', does: 'read' },
    Write: { as: 'Write', does: 'write' },
    Edit: { as: 'Write', does: 'edit' },
    MultiEdit: { as: 'Write', does: 'edit' },
    NotebookEdit: NOTEBOOK,
    Glob: { as: 'Grep' },
    Grep: { as: 'Grep' },
    LS: { as: 'LS' },
    Agent: { as: 'Task', does: 'task' },
    Task: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

export const claudeReader: PayloadReader = { names, mcpOf, resultOf, reasons: END_REASONS }

/** The name of a tool contains the server's name with replaced characters, so its end is only known from the payload. */
function mcpOf({ tool_name, mcp_server }: Json): McpTool | null {
  const server = isObject(mcp_server) ? textOrEmpty(mcp_server.name) : ''
  const start = `mcp__${server.replace(/[^a-zA-Z0-9_-]/g, '_')}__`
  const name = textOrEmpty(tool_name)
  const isComplete = server !== '' && name.startsWith(start) && name.length > start.length
  return isComplete ? { server, tool: name.slice(start.length) } : parseMcpName(name)
}

function resultOf(payload: Json): ToolResult | ToolFailure {
  const { tool_response: value, error, is_interrupt } = payload
  const durationMs = durationOf(payload.duration_ms)
  if (error !== undefined) return failureOf(error, durationMs, is_interrupt === true)
  const { stdout, stderr, originalFile, old_source } = isObject(value) ? value : {}
  const before = textOf(originalFile) ?? textOf(old_source)
  const text = [textOrEmpty(stdout), textOrEmpty(stderr)].filter(part => part !== '').join('\n')
  return {
    text: text === '' ? (textOf(value) ?? '') : text,
    value,
    durationMs,
    ...(before === undefined ? {} : { before }),
  }
}

/** Codex and Qwen Code read this form too. */
export function toClaudeResponse({ name, kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage, input, context, followup, output } = result
  if (kind === 'tool') {
    const isDenied = decision === 'deny'
    return compact({
      hookSpecificOutput: withEventName(name, {
        permissionDecision: decision === 'abstain' ? null : decision,
        permissionDecisionReason: isDenied ? (agentMessage ?? userMessage) : userMessage,
        updatedInput: isDenied ? null : input,
      }),
      systemMessage: isDenied ? userMessage : null,
    })
  }
  if (kind === 'prompt') return decision === 'deny' ? { decision: 'block', reason: userMessage ?? '' } : null
  if (kind === 'turn' || kind === 'subagent') {
    return followup === null ? null : { decision: 'block', reason: followup }
  }
  return compact({
    hookSpecificOutput: withEventName(name, {
      additionalContext: context,
      updatedMCPToolOutput: output && contentOf(output),
    }),
    systemMessage: userMessage,
  })
}

/** Null if all fields are null. */
export function withEventName(hookEventName: string, fields: Json): Json | null {
  const kept = compact(fields)
  return kept && { hookEventName, ...kept }
}

/** The content of an MCP result. Any other object becomes a text. */
const contentOf = (output: Json): unknown[] =>
  Array.isArray(output.content) ? output.content : [{ type: 'text', text: JSON.stringify(output) }]

/** An MCP result as the model reads it. Never empty: the agent would show the old result instead. */
export function outputText(output: Json): string {
  const texts = contentOf(output).map(item => (isObject(item) ? textOf(item.text) : undefined))
  const text = texts.every(part => part !== undefined) ? texts.join('\n') : JSON.stringify(output)
  return text.trim() === '' ? '(no output)' : text
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const event = readEvent(claudeReader, kind, payload)
  if (typeof event === 'string') return event
  // Internal agents, such as the one that summarises a conversation, have no type and no start event.
  if (kind === 'subagent' && payload.agent_type === '') return { ...event, steps: [] }
  return withAutomatic(event, payload, '<task-notification>')
}

export const claudeCode: Bridge = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1',
  evidence: 'observed',
  names,
  canAsk: true,
  toEvent,
  toResponse: toClaudeResponse,
  config: {
    files: { user: '.claude/settings.json', project: '.claude/settings.json' },
    otherSettings: ['/etc/claude-code', '/Library/Application Support/ClaudeCode'],
    managed: {
      files: {
        else: '/etc/claude-code/managed-settings.json',
        darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
        win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
      },
    },
    // Not the form with `args`: a version that does not have it would start the program without them, which succeeds.
    // Versions before 2.1.295 ignore `onFailure`; for them the end of the command blocks, except after a time-out.
    entry: call => ({
      hooks: [
        {
          type: 'command',
          command: toShell(call),
          timeout: ENTRY_LIMIT_SECONDS,
          ...(call.isGate ? { onFailure: 'block' } : {}),
        },
      ],
    }),
    empty: {},
    projectVariable: 'CLAUDE_PROJECT_DIR',
    blocksTimeoutsSince: '2.1.295',
    offSwitches: [
      {
        name: '"disableAllHooks": true',
        effect: 'Claude Code runs no hooks. A repository can contain it.',
        setting: {
          files: ['~/.claude/settings.json', '.claude/settings.json', '.claude/settings.local.json'],
          key: ['disableAllHooks'],
          value: true,
        },
      },
      { name: '--bare', effect: 'The session runs without hooks.' },
      { name: '--setting-sources', effect: 'Claude Code does not read the files that it leaves out.' },
    ],
  },
  limitations: {
    beforeReadFile:
      'Files that the user names with @ reach the model without the Read tool. Hooks see only files that the model reads itself.',
    beforeShellExecution:
      'Commands in a skill or a slash command (!`…`) run without the Bash tool, so hooks do not see them. "disableSkillShellExecution": true in its settings turns them off.',
    afterShellExecution:
      'A background command, also one of Monitor, is reported when it starts. The event occurs then, without output.',
    ask: 'Without a terminal, Claude Code cannot ask. It denies the call and sends the reason to the model.',
    ...NO_BLOCKED_START,
    ...followupLimit('Claude Code', 'about 9'),
    stop: 'A turn that ends because the model cannot be reached is not reported. The event does not occur.',
    subagentStart:
      'Agents of a workflow start without a tool call. The workflow is one preToolUse; hooks see what its agents do.',
    'subagentStart subagent_id':
      'The id of a subagent is not known before it starts. It is the id of the tool call.',
    subagentStop: 'The task and its duration are not sent. Those fields are empty or 0.',
    preCompact: 'Tokens, messages and the size of the context are not sent. They are 0.',
    ...ONE_RESPONSE,
    ...NO_THOUGHTS,
    ...NO_TAB,
    'Claude Code before 2.0.56':
      'It ignores a settings file with an event that it does not know, without a warning. Use a newer version.',
    ...FAILED_START,
  },
}
