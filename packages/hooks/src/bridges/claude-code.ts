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
  addedFolders,
  FAILED_START,
  followupLimit,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { environmentSwitch, toNestedEntry } from './settings.js'
import type { McpTool, ToolFailure, ToolResult } from './tool-steps.js'
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
  events: { ...CLAUDE_EVENTS, ConfigChange: 'settings' },
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
    Grep: { as: 'Grep', does: 'search' },
    LS: { as: 'LS' },
    ReadMcpResourceTool: { as: 'ReadMcpResourceTool', does: 'resource' },
    ListMcpResourcesTool: { as: 'ListMcpResourcesTool', does: 'resource' },
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
    const isForAgent = decision === 'ask' && isHeadless()
    return compact({
      hookSpecificOutput: withEventName(name, {
        permissionDecision: decision === 'abstain' ? null : decision,
        permissionDecisionReason: isDenied
          ? (agentMessage ?? userMessage)
          : isForAgent
            ? joinTexts(userMessage, agentMessage)
            : userMessage,
        updatedInput: isDenied ? null : input,
      }),
      systemMessage: isDenied ? userMessage : null,
    })
  }
  if (kind === 'prompt' || kind === 'settings')
    return decision === 'deny' ? { decision: 'block', reason: userMessage ?? '' } : null
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

/** Claude Code without a terminal denies what a hook asks, and sends the reason to the model. */
const isHeadless = (): boolean => process.env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') === true

/** Null if all fields are null. */
export function withEventName(hookEventName: string, fields: Json): Json | null {
  const kept = compact(fields)
  return kept && { hookEventName, ...kept }
}

/** The content of an MCP result. Any other object becomes a text. */
export const contentOf = (output: Json): unknown[] =>
  Array.isArray(output.content) ? output.content : [{ type: 'text', text: JSON.stringify(output) }]

/** A result in the form of MCP for the model. Never empty: the agent would show the old result instead. */
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

const SECRETS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']

export const claudeCode: Bridge = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1',
  evidence: 'observed',
  names,
  canAsk: true,
  isHeadless,
  losesContext: ['compact'],
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
    entry: call => toNestedEntry(call, call.isGate ? { onFailure: 'block' } : {}),
    empty: {},
    projectVariable: 'CLAUDE_PROJECT_DIR',
    toolVariable: 'CLAUDECODE',
    secretVariables: SECRETS,
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
      environmentSwitch(
        '"env"',
        ['.claude/settings.json', '.claude/settings.local.json'],
        ['CLAUDE_CODE_SHELL_PREFIX', 'CLAUDE_CODE_SHELL'],
      ),
      { name: '--bare', effect: 'The session runs without hooks.' },
      { name: '--setting-sources', effect: 'Claude Code does not read the files that it leaves out.' },
    ],
  },
  unmapped: {
    PermissionRequest: 'preToolUse has judged the call before the question to the user.',
    PermissionDenied: 'The call does not run. No event here has its denial by the agent.',
    PostToolBatch: 'postToolUse occurs for each call of the batch.',
    UserPromptExpansion: 'beforeSubmitPrompt has the command as typed.',
    StopFailure: 'The model could not be reached. No hook can change that.',
    SubagentStart: 'subagentStart occurs before the call that starts the subagent, and can deny it.',
    PostCompact: 'preCompact occurs before it; the context of sessionStart is sent again.',
    Elicitation: 'A question of an MCP server to the user. No event here has it.',
    ElicitationResult: 'The response to such a question. No event here has it.',
    Notification: 'A message for the user, not an action.',
    MessageDisplay: 'A message for the user, not an action.',
    TaskCreated: 'An entry in a list of the agent, not an action.',
    TaskCompleted: 'An entry in a list of the agent, not an action.',
    TeammateIdle: 'The state of an agent, not an action.',
    Setup: 'It occurs outside of sessions.',
    InstructionsLoaded: 'The agent reads files of its own; no event here has them.',
    CwdChanged: 'Each payload contains the folder.',
    FileChanged: 'Another program changed the file. afterFileEdit is for edits of the agent.',
    DirectoryAdded: 'Folders of --add-dir are no workspace roots.',
    WorktreeCreate:
      'Its hooks create the worktree instead of git. Trust of hooks goes along with their content.',
    WorktreeRemove: 'Its hooks remove the worktree instead of git.',
    PreModelSwitch: 'Each payload contains the model. No event here can refuse one.',
    PostModelSwitch: 'Each payload contains the model.',
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
    ...SEARCHED_FOLDERS,
    ...OTHER_HOOKS,
    ...NO_ATTACHMENTS,
    ...secretVariables('Claude Code', SECRETS),
    'slash commands': 'The prompt is the command as typed. The text of the command file is not sent.',
    additional_context:
      'From about 50,000 characters on, Claude Code shows the model the beginning and a file with the rest.',
    ...addedFolders('--add-dir'),
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
