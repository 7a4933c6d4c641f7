// Kiro, its command line since 3 and its editor since 1, as documented: https://kiro.dev/docs/cli/v3/hooks/. It obeys exit
// codes: 2 blocks, with the reason on stderr.

import { type PayloadReader, readEvent } from './agent-event.js'
import {
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_GRANT,
  NO_TAB,
  NO_THOUGHTS,
  secretVariables,
} from './limitations.js'
import { ENTRY_LIMIT_SECONDS, type OwnFile, toShell } from './settings.js'
import { denyRewritten } from './steps.js'
import type { McpTool } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  compact,
  type EventKind,
  isObject,
  type Json,
  type Names,
  printAsExitCode,
  type StepsResult,
  textOf,
  textOrEmpty,
} from './types.js'

const FILE = { path: 'file_path' } as const
const SHELL = { as: 'Shell', does: 'shell' } as const
const READ = { as: 'Read', does: 'read', keys: FILE } as const
const WRITE = {
  as: 'Write',
  does: 'edit',
  keys: { ...FILE, file_text: 'new_string', old_str: 'old_string', new_str: 'new_string' },
} as const

const names = {
  events: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PreToolUse: 'tool',
    PostToolUse: 'result',
    Stop: 'turn',
  },
  tools: {
    execute_bash: SHELL,
    shell: SHELL,
    fs_read: READ,
    read: READ,
    fs_write: WRITE,
    write: WRITE,
    str_replace: WRITE,
    grep: { as: 'Grep', does: 'search' },
    glob: { as: 'Grep' },
    web_fetch: { as: 'WebFetch' },
    web_search: { as: 'WebSearch' },
    use_subagent: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf,
  resultOf: ({ tool_response: value }) => ({ text: textOf(value) ?? '', value, durationMs: 0 }),
  reasons: {},
}

/** `@server/tool`. */
function mcpOf({ tool_name }: Json): McpTool | null {
  const [, server, tool] = /^@([^/]+)\/(.+)$/s.exec(textOrEmpty(tool_name)) ?? []
  return server === undefined || tool === undefined ? null : { server, tool }
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const { operations, ...others } = isObject(payload.tool_input) ? payload.tool_input : {}
  // fs_read has a list; one that reads several files has no single path, and hooks deny it.
  const [only, ...more] = Array.isArray(operations) ? operations : []
  const tool_input = isObject(only) && more.length === 0 ? { ...others, ...only } : payload.tool_input
  const event = readEvent(reader, kind, { ...payload, tool_input })
  if (typeof event === 'string' || kind !== 'tool') return event
  // Which of them Kiro obeys is not known.
  if (operations !== undefined && Object.keys(others).some(key => !/^(?:__|summary$)/.test(key)))
    return { ...event, refusal: 'The call has "operations" and other arguments beside them.' }
  const isKnown = Object.hasOwn(names.tools, textOrEmpty(payload.tool_name))
  // The editor was seen to send no arguments.
  return isKnown && Object.keys(event.input).length === 0
    ? { ...event, refusal: 'Kiro did not send the arguments of this call.' }
    : event
}

/** For `print`. */
function toResponse({ kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage, context } = denyRewritten(result)
  const isGate = kind === 'tool' || kind === 'prompt'
  if (isGate && decision === 'deny')
    return {
      decision: 'block',
      reason: (kind === 'tool' ? agentMessage : null) ?? userMessage ?? 'Blocked by a hook.',
    }
  return kind === 'start' ? compact({ context }) : null
}

/** One hook for each event. */
const file: OwnFile = {
  write: commands => {
    const hooks = Object.entries(commands).map(([trigger, command]) => ({
      name: `holdfast ${trigger}`,
      trigger,
      action: { type: 'command', command },
      timeout: ENTRY_LIMIT_SECONDS,
      enabled: true,
    }))
    return `${JSON.stringify({ version: 'v1', hooks }, null, 2)}\n`
  },
  read(text) {
    try {
      const { hooks } = JSON.parse(text) as { hooks: { trigger: string; action: { command: string } }[] }
      const commands = hooks.map(({ trigger, action }): [string, string] => [trigger, action.command])
      return commands.every(([, command]) => / bridge kiro /.test(command))
        ? Object.fromEntries(commands)
        : undefined
    } catch {
      return undefined
    }
  },
}

const SECRETS = ['KIRO_API_KEY']

export const kiro: Bridge = {
  name: 'kiro',
  title: 'Kiro',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: false,
  toEvent,
  toResponse,
  print: printAsExitCode,
  config: {
    files: { user: '.kiro/hooks/holdfast.json', project: '.kiro/hooks/holdfast.json' },
    otherSettings: ['.kiro/hooks', '.kiro/agents', '.kiro/settings'],
    ownFile: file,
    entry: call => ({ command: toShell(call) }),
    empty: {},
    secretVariables: SECRETS,
    offSwitches: [
      { name: '"enabled": false', effect: 'Kiro does not run the hook. Its panel of hooks sets it.' },
    ],
  },
  unmapped: {
    PreTaskExec: 'A task of a specification, not an action. Hooks see what it does.',
    PostTaskExec: 'A task of a specification, not an action.',
    PostFileCreate: 'PostToolUse contains the same edit.',
    PostFileSave: 'PostToolUse contains the edits of the agent.',
    PostFileDelete: 'No event here has it. Commands that delete are in beforeShellExecution.',
    Manual: 'The user starts it.',
  },
  limitations: {
    beforeReadFile:
      'A call that reads several files is denied if a beforeReadFile hook exists. Read them one by one.',
    'arguments of calls':
      'The editor was seen to send tool calls without arguments. They are denied if a hook could deny them.',
    ask: 'Kiro cannot ask for a hook. ask becomes a deny with a message.',
    updated_input:
      'Kiro does not let hooks rewrite a call. The call is denied, and the reason asks the model to make the rewritten one.',
    'additional_context, updated_mcp_tool_output':
      'Kiro reads the context of a session only. Context of calls and results are ignored.',
    ...NO_GRANT,
    ...NO_BLOCKED_START,
    ...NO_ATTACHMENTS,
    postToolUseFailure: 'Kiro does not report whether a call failed. The event does not occur.',
    'stop followup_message': 'A hook cannot continue a turn. It is ignored.',
    'preCompact, subagentStop, sessionEnd': 'Kiro does not report them. The events do not occur.',
    afterAgentResponse: 'Messages of the model are not sent. The event does not occur.',
    'durations, model': 'They are not sent. They are 0 and "default".',
    ...secretVariables('Kiro', SECRETS),
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The entries for prompts and tool calls end with "|| exit 2", which blocks them.',
  },
}
