// Codex. Its response must contain known fields only, a rewrite needs `allow`, every deny needs a reason, and it cannot
// ask.

import { durationOf, END_REASONS, type PayloadReader, parseMcpName, readEvent } from './agent-event.js'
import { CLAUDE_EVENTS, outputText, toClaudeResponse } from './claude-code.js'
import {
  addedFolders,
  FAILED_START,
  NO_ATTACHMENTS,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  secretVariables,
} from './limitations.js'
import { toNestedEntry } from './settings.js'
import {
  type AgentEvent,
  type Bridge,
  compact,
  type Json,
  type Names,
  type StepsResult,
  textOf,
} from './types.js'

const TASK = { as: 'Task', does: 'task', keys: { message: 'prompt', agent_type: 'subagent_type' } } as const
const { PostToolUseFailure: _, ...EVENTS } = CLAUDE_EVENTS

const names = {
  events: { ...EVENTS, Interrupt: 'interrupt' },
  tools: {
    Bash: { as: 'Shell', does: 'shell' },
    apply_patch: { as: 'Write', does: 'patch' },
    // Not named Read: it reads images only, so a hook that matches Read would guard less than it promises.
    view_image: { as: 'view_image', does: 'read', keys: { path: 'file_path' } },
    spawn_agent: TASK,
    read_mcp_resource: { as: 'read_mcp_resource', does: 'resource' },
    list_mcp_resources: { as: 'list_mcp_resources', does: 'resource' },
    list_mcp_resource_templates: { as: 'list_mcp_resource_templates', does: 'resource' },
    collaborationspawn_agent: TASK,
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf: ({ tool_name }) => parseMcpName(tool_name),
  resultOf: ({ tool_response: value, duration_ms }) => ({
    text: textOf(value) ?? '',
    value,
    durationMs: durationOf(duration_ms),
  }),
  reasons: END_REASONS,
}

function toResponse(event: AgentEvent, result: StepsResult): Json | null {
  const { kind, name } = event
  const { decision, input, output, context, userMessage } = result
  // The user interrupted the turn, so no follow-up is sent.
  if (kind === 'interrupt') return null
  if (kind === 'start' && decision === 'deny') return { continue: false, stopReason: userMessage }
  if (kind === 'tool' && decision !== 'deny') {
    if (input === null) return null
    return { hookSpecificOutput: { hookEventName: name, permissionDecision: 'allow', updatedInput: input } }
  }
  // The reason of a block after the call replaces the result.
  if (kind === 'result' && output) {
    const more = context === null ? null : { hookEventName: name, additionalContext: context }
    return compact({ decision: 'block', reason: outputText(output), hookSpecificOutput: more })
  }
  if (kind === 'end') return compact({ systemMessage: userMessage })
  return toClaudeResponse(event, result)
}

/** Codex cuts a longer limit to this, with a warning at each start. */
const SHORT_SECONDS = 3
const SHORT_EVENTS = ['SessionEnd', 'Interrupt']
const CONTEXT_EVENTS = ['SessionStart', 'PostToolUse']

const SECRETS = ['OPENAI_API_KEY', 'CODEX_API_KEY']

export const codex: Bridge = {
  name: 'codex',
  title: 'Codex',
  version: '0.166',
  evidence: 'observed',
  names,
  canAsk: false,
  losesContext: ['compact'],
  onlyTheseTools: true,
  plainMcpNames: true,
  toEvent: (kind, payload) => readEvent(reader, kind, payload),
  toResponse,
  config: {
    files: { user: '.codex/hooks.json', project: '.codex/hooks.json' },
    otherSettings: ['/etc/codex'],
    folderVariable: 'CODEX_HOME',
    onlyKeys: ['description', 'hooks'],
    managed: {
      files: {
        else: '/etc/codex/requirements.toml',
        win32: 'C:\\ProgramData\\OpenAI\\Codex\\requirements.toml',
      },
    },
    entry: call =>
      toNestedEntry(call, {
        ...(SHORT_EVENTS.includes(call.event) ? { timeout: SHORT_SECONDS } : {}),
        // Otherwise Codex cuts the middle out of the context.
        ...(CONTEXT_EVENTS.includes(call.event) ? { additionalContextLimit: 0 } : {}),
      }),
    empty: {},
    startsInProject: true,
    toolVariable: 'CODEX_THREAD_ID',
    secretVariables: SECRETS,
    nextStep:
      'Codex skips hooks without a warning until they are trusted, and project hooks until the folder is trusted: start codex, trust the folder, and review the hooks with /hooks. Then holdfast doctor shows whether they run.',
    offSwitches: [
      {
        name: 'hooks = false under [features]',
        effect: 'Codex runs no hooks. A repository in a folder that Codex trusts can contain it.',
        setting: {
          files: ['~/.codex/config.toml', '.codex/config.toml'],
          key: ['features', 'hooks'],
          value: false,
        },
      },
      { name: 'entries without trust', effect: 'Codex skips them until they are reviewed with /hooks.' },
      { name: 'a folder without trust', effect: 'Codex does not read .codex there.', only: 'project' },
    ],
  },
  unenforced: ['beforeReadFile'],
  limitations: {
    beforeReadFile:
      'Codex reads files with shell commands; only images have a tool. The event occurs for images only. Guard the commands with beforeShellExecution.',
    beforeShellExecution:
      'Input to a running command is not sent to hooks. Deny commands that wait for input, such as sh or python alone.',
    beforeMCPExecution:
      'In names of servers and tools, all characters but letters, digits and _ become _: get-sum is get_sum. A hook whose matcher has only the first name is not installed.',
    beforeSubmitPrompt:
      'With some models, the task of a subagent is sent as a prompt. The event occurs for it too, in the conversation of the subagent.',
    subagentStart:
      'The type of a subagent is rarely sent; its task may be a list or encrypted. subagent_type is generalPurpose; task is empty or as sent.',
    preToolUse:
      'A patch has no file_path and no content; tool_input.command is the patch. Web search runs at the provider, without hooks.',
    ask: 'Codex proceeds if a hook asks. ask becomes a deny with a message.',
    ...NO_GRANT,
    updated_input: 'A rewrite needs allow, and is sent with it. Codex still asks its own questions.',
    updated_mcp_tool_output:
      'The new result is sent as the reason of a block. Over about 10,000 characters its middle is cut; a model that calls tools from a script sees an error. The result of a failed call cannot be replaced.',
    postToolUseFailure:
      'The event occurs only for calls that hooks denied. Failed patches and MCP calls are not reported; a failed command is a postToolUse without its exit code.',
    afterFileEdit:
      'A patch in a shell command is reported before it runs, as a command. Neither afterFileEdit, afterShellExecution nor postToolUse occurs for it.',
    afterShellExecution:
      'For a command that the model polled several times, only the end is sent. output is its last part.',
    'sessionStart continue: false':
      'Codex ends the turn and accepts the next prompt. Every further prompt and tool call of that session is denied.',
    sessionEnd: 'Codex waits 3 seconds for it, and for an interrupted turn. Slower hooks are cut off.',
    stop: 'A turn that ends with an error is not reported. The event does not occur for it.',
    'stop followup_message':
      'Codex never ends a series of follow-ups. Only loop_limit does; with null a hook can continue forever.',
    ...NO_ATTACHMENTS,
    ...addedFolders('--add-dir'),
    ...secretVariables('Codex', SECRETS),
    durations: 'The duration of a tool call is not sent. duration is 0.',
    ...ONE_RESPONSE,
    ...NO_THOUGHTS,
    ...NO_TAB,
    ...FAILED_START,
  },
}
