// Copilot CLI. Its payload has no event name, so the entry in its settings names the event. A subagent has its own
// session id.

import { parseJson } from '../protocol/json.js'
import { failureOf, type PayloadReader, readEvent, withAutomatic } from './agent-event.js'
import { outputText } from './claude-code.js'
import {
  addedFolders,
  followupLimit,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_DETAILS,
  NO_TAB,
  NO_THOUGHTS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { ENTRY_LIMIT_SECONDS, type EntryCall, NOT_STARTED, toAnsweringShell, toShell } from './settings.js'
import type { ToolFailure, ToolResult } from './tool-steps.js'
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
} from './types.js'

const FILE = { path: 'file_path' }

const names = {
  events: {
    sessionStart: 'start',
    userPromptSubmitted: 'prompt',
    preToolUse: 'tool',
    postToolUse: 'result',
    postToolUseFailure: 'failure',
    subagentStop: 'subagent',
    agentStop: 'turn',
    preCompact: 'compact',
    sessionEnd: 'end',
  },
  tools: {
    bash: { as: 'Shell', does: 'shell' },
    powershell: { as: 'Shell', does: 'shell' },
    view: { as: 'Read', does: 'read', keys: FILE },
    create: { as: 'Write', does: 'write', keys: { ...FILE, file_text: 'content' } },
    edit: { as: 'Write', does: 'edit', keys: { ...FILE, old_str: 'old_string', new_str: 'new_string' } },
    apply_patch: { as: 'Write' },
    str_replace_editor: { as: 'Write' },
    grep: { as: 'Grep', does: 'search' },
    rg: { as: 'Grep', does: 'search' },
    glob: { as: 'Grep' },
    web_fetch: { as: 'WebFetch' },
    task: { as: 'Task', does: 'task', keys: { agent_type: 'subagent_type' } },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf: () => null,
  resultOf,
  reasons: { error: 'error', timeout: 'error', abort: 'aborted', user_exit: 'user_close' },
}

function resultOf({ tool_response: value, error }: Json): ToolResult | ToolFailure {
  if (error !== undefined) return failureOf(error)
  const { resultType, textResultForLlm } = isObject(value) ? value : {}
  const text = textOf(textResultForLlm) ?? textOf(value) ?? ''
  if (resultType === 'failure' || resultType === 'denied') {
    return { message: text, durationMs: 0, isInterrupt: false }
  }
  const [end, code] = /\n?<shellId: \S+ completed with exit code (\d+)>\s*$/.exec(text) ?? []
  if (end === undefined) return { text, value, durationMs: 0 }
  return { text: text.slice(0, -end.length), value, durationMs: 0, exitCode: Number(code) }
}

/** Its field names → those of the other agents. */
function renameFields(payload: Json): Json {
  const { toolArgs, agentId, parentAgentId } = payload
  return {
    ...payload,
    session_id: parentAgentId ?? payload.sessionId ?? payload.session_id,
    agent_id: agentId,
    transcript_path: payload.transcriptPath ?? payload.transcript_path,
    tool_name: payload.toolName ?? payload.tool_name,
    tool_input: parseArguments(toolArgs) ?? payload.tool_input,
    tool_response: payload.toolResult ?? payload.tool_response,
    agent_type: payload.agentType ?? payload.agentName,
    last_assistant_message: payload.response,
  }
}

/** Some versions send the arguments as a JSON string. */
function parseArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const event = readEvent(reader, kind, renameFields(payload))
  if (typeof event === 'string') return event
  // The task of a subagent is not a prompt of the user, and its end has its own event.
  const isSubagent = event.conversation.subagent !== null
  if (isSubagent && (kind === 'prompt' || kind === 'turn')) return { ...event, steps: [] }
  return withAutomatic(event, payload, '<system_notification>')
}

function toResponse({ kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage, input, context, followup, output } = result
  if (kind === 'tool') {
    if (decision === 'deny') {
      const reason = agentMessage ?? userMessage ?? 'Blocked by a hook.'
      return { permissionDecision: 'deny', permissionDecisionReason: reason }
    }
    return compact({
      permissionDecision: decision === 'abstain' ? null : decision,
      permissionDecisionReason: decision === 'ask' ? (userMessage ?? 'A hook requires your approval.') : null,
      modifiedArgs: input,
    })
  }
  if (kind === 'turn' || kind === 'subagent') {
    return followup === null ? null : { decision: 'block', reason: followup }
  }
  if (kind === 'prompt') {
    return decision === 'deny' ? { decision: 'block', reason: userMessage ?? 'Blocked by a hook.' } : null
  }
  return compact({
    modifiedResult: output && { resultType: 'success', textResultForLlm: outputText(output) },
    additionalContext: context,
  })
}

/** Exit codes block tool calls only; a prompt is blocked by JSON. Older versions of PowerShell have no `||`. */
function toEntry(call: EntryCall): Json {
  const { command, event, isGate, hint = NOT_STARTED } = call
  const isPrompt = names.events[event as keyof typeof names.events] === 'prompt'
  // To PowerShell, a quoted program is a text until & makes it a call, and a quote in it is written twice.
  const started = `& ${command.replaceAll(`'\\''`, `''`)}`
  const block = { decision: 'block' }
  const otherwise = isPrompt
    ? `echo '${JSON.stringify({ ...block, reason: hint })}'`
    : `[Console]::Error.WriteLine('${hint}'); exit 2`
  return {
    type: 'command',
    bash: isPrompt ? toAnsweringShell(call, block) : toShell(call),
    powershell: isGate ? `${started}; if ($LASTEXITCODE -ne 0) { ${otherwise} }` : started,
    timeoutSec: ENTRY_LIMIT_SECONDS,
  }
}

const SECRETS = ['COPILOT_GITHUB_TOKEN']

export const copilot: Bridge = {
  name: 'copilot',
  title: 'Copilot CLI',
  version: '1.0',
  evidence: 'observed',
  names,
  canAsk: true,
  cannotBlockPrompts: true,
  toEvent,
  toResponse,
  config: {
    files: { user: '.copilot/hooks/holdfast.json', project: '.github/hooks/holdfast.json' },
    otherSettings: ['.copilot/hooks', '.copilot/config.json', '.github/hooks', '/etc/github-copilot'],
    managed: {
      files: {
        else: '/etc/github-copilot/policy.d/holdfast.json',
        win32: 'C:\\ProgramData\\GitHub\\Copilot\\policy.d\\holdfast.json',
      },
    },
    entry: toEntry,
    empty: { version: 1 },
    projectVariable: 'COPILOT_PROJECT_DIR',
    toolVariable: 'COPILOT_CLI',
    secretVariables: SECRETS,
    nextStep: 'Copilot CLI runs project hooks only in folders that it trusts.',
    offSwitches: [
      {
        name: '"disableAllHooks": true',
        effect: 'Copilot CLI runs no hooks. A repository in a folder that it trusts can contain it.',
        setting: {
          files: [
            '~/.copilot/settings.json',
            '.github/copilot/settings.json',
            '.github/copilot/settings.local.json',
            '.claude/settings.json',
            '.claude/settings.local.json',
          ],
          key: ['disableAllHooks'],
          value: true,
        },
      },
      {
        name: 'a folder without trust',
        effect: 'Copilot CLI does not read .github/hooks there.',
        only: 'project',
      },
    ],
  },
  unenforced: ['beforeMCPExecution'],
  limitations: {
    beforeSubmitPrompt:
      'Older versions send a blocked prompt anyway. Every tool call up to the next prompt is denied too.',
    'beforeMCPExecution, afterMCPExecution':
      'The name of an MCP tool does not show that it is one. Hooks see it in preToolUse and postToolUse under its own name; the two events do not occur.',
    updated_mcp_tool_output: 'Older versions do not replace results. They show the old one to the model.',
    'postToolUseFailure additional_context': 'Context after a failure is not read. It is ignored.',
    ask: 'Without a terminal, Copilot CLI cannot ask. It denies the call.',
    ...followupLimit('Copilot CLI', '8'),
    ...NO_BLOCKED_START,
    ...SEARCHED_FOLDERS,
    ...NO_ATTACHMENTS,
    ...addedFolders('--add-dir'),
    ...secretVariables('Copilot CLI', SECRETS),
    afterAgentResponse: 'Messages of the model are not sent. The event does not occur.',
    ...NO_DETAILS,
    'hooks of Claude Code':
      'In a folder that it trusts, Copilot CLI also runs the hooks of .claude/settings.json. If holdfast is installed there too, every hook runs twice.',
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'If a hook is missing or crashes, a tool call is blocked but a prompt is sent. The entry for prompts ends with a response that blocks them.',
  },
}
