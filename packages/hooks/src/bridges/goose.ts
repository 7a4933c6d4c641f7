// Goose, as documented: documentation/docs/guides/context-engineering/hooks.md in its repository. Only calls of tools, and
// the end of a turn, can be blocked; nothing can be rewritten.

import { failureOf, type PayloadReader, parseMcpName, readEvent } from './agent-event.js'
import {
  followupLimit,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  secretVariables,
} from './limitations.js'
import { toNestedEntry } from './settings.js'
import { denyRewritten } from './steps.js'
import type { McpTool } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
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
    PostToolUseFailure: 'failure',
    Stop: 'turn',
    SessionEnd: 'end',
  },
  tools: {
    developer__shell: { as: 'Shell', does: 'shell' },
    developer__write: { as: 'Write', does: 'write', keys: FILE },
    developer__edit: {
      as: 'Write',
      does: 'edit',
      keys: { ...FILE, before: 'old_string', after: 'new_string' },
    },
    developer__tree: { as: 'LS' },
    developer__read_image: { as: 'Read', does: 'read', keys: { source: 'file_path' } },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf,
  resultOf: ({ tool_response: value, error }) =>
    error === undefined ? { text: textOf(value) ?? '', value, durationMs: 0 } : failureOf(error),
  reasons: {},
}

/** Extensions are MCP servers; that of the developer is a part of Goose. */
function mcpOf({ tool_name }: Json): McpTool | null {
  const name = textOrEmpty(tool_name)
  return /^(?:developer|platform)__/.test(name) ? null : parseMcpName(`mcp__${name}`)
}

function toResponse({ kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage, followup } = denyRewritten(result)
  if (kind === 'tool' && decision === 'deny')
    return { decision: 'block', reason: agentMessage ?? userMessage ?? 'Blocked by a hook.' }
  return kind === 'turn' && followup !== null ? { decision: 'block', reason: followup } : null
}

const SECRETS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY']

export const goose: Bridge = {
  name: 'goose',
  title: 'Goose',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: false,
  cannotBlockPrompts: true,
  toEvent: (kind, payload) =>
    readEvent(reader, kind, {
      ...payload,
      cwd: payload.working_dir,
      prompt: payload.message,
      tool_use_id: payload.tool_call_id,
      ...(kind === 'failure' ? { error: payload.error ?? payload.tool_response ?? 'The call failed.' } : {}),
    }),
  toResponse,
  config: {
    files: {
      user: '.agents/plugins/holdfast/hooks/hooks.json',
      project: '.agents/plugins/holdfast/hooks/hooks.json',
    },
    otherSettings: ['.agents/plugins', '.config/goose'],
    entry: call => toNestedEntry(call, call.event === 'PreToolUse' ? { on_failure: 'block' } : {}),
    empty: {},
    nextStep:
      'If Goose does not list the plugin, add .agents/plugins/holdfast/plugin.json: {"name":"holdfast","version":"1.0.0","description":"Runs your hooks"}',
    secretVariables: SECRETS,
    offSwitches: [{ name: 'a disabled plugin', effect: 'Goose does not run its hooks.' }],
  },
  unmapped: {
    PreToolUseResult: 'It reports the decisions of hooks, which the log contains.',
    BeforeReadFile: 'preToolUse occurs for the same call, and can deny it.',
    AfterFileEdit: 'PostToolUse contains the same edit.',
    BeforeShellExecution: 'beforeShellExecution is made of PreToolUse, which can deny.',
    AfterShellExecution: 'PostToolUse contains the same command.',
  },
  unenforced: ['beforeReadFile', 'subagentStart'],
  limitations: {
    beforeReadFile:
      'Goose reads files with shell commands; only images have a tool. Guard the commands with beforeShellExecution.',
    beforeSubmitPrompt:
      'A hook cannot block a prompt. Every tool call up to the next prompt is denied instead.',
    subagentStart: 'Goose does not report subagents. subagentStart and subagentStop do not occur.',
    ask: 'Goose cannot ask for a hook. ask becomes a deny with a message.',
    updated_input:
      'Goose does not let hooks rewrite a call. The call is denied, and the reason asks the model to make the rewritten one.',
    'additional_context, updated_mcp_tool_output': 'Goose reads decisions only. They are ignored.',
    ...NO_GRANT,
    ...NO_BLOCKED_START,
    ...NO_ATTACHMENTS,
    ...followupLimit('Goose', 'the number in GOOSE_STOP_HOOK_BLOCK_CAP'),
    'preCompact, durations, model':
      'They are not sent. preCompact does not occur; the others are 0 and "default".',
    'user messages': 'Goose shows the reason of a denied call only. Other messages are in the log.',
    ...ONE_RESPONSE,
    ...secretVariables('Goose', SECRETS),
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The entry for tool calls has "on_failure": "block", which denies them. Other events proceed.',
  },
}
