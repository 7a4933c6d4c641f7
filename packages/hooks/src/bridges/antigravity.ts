// Antigravity, its command line and its editor, as documented: https://antigravity.google/docs/hooks/. Exit codes have no
// effect, and a tool call needs an explicit decision.

import { failureOf, type PayloadReader, readEvent } from './agent-event.js'
import {
  NO_ATTACHMENTS,
  NO_TAB,
  NO_THOUGHTS,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { ENTRY_LIMIT_SECONDS, type EntryCall, toAnsweringShell } from './settings.js'
import {
  type AgentEvent,
  type Bridge,
  compact,
  isObject,
  type Json,
  type Names,
  type StepsResult,
  textOf,
} from './types.js'

const FILE = { TargetFile: 'file_path' } as const

const names = {
  events: { PreToolUse: 'tool', PostToolUse: 'result', Stop: 'turn' },
  tools: {
    run_command: { as: 'Shell', does: 'shell', keys: { CommandLine: 'command', Cwd: 'cwd' } },
    view_file: { as: 'Read', does: 'read', keys: { AbsolutePath: 'file_path' } },
    write_to_file: { as: 'Write', does: 'write', keys: { ...FILE, CodeContent: 'content' } },
    replace_file_content: {
      as: 'Write',
      does: 'edit',
      keys: { ...FILE, TargetContent: 'old_string', ReplacementContent: 'new_string' },
    },
    multi_replace_file_content: { as: 'Write', does: 'edit', keys: FILE },
    list_dir: { as: 'LS' },
    find_by_name: { as: 'Grep' },
    grep_search: { as: 'Grep', does: 'search', keys: { SearchPath: 'path' } },
    search_web: { as: 'WebSearch' },
    read_url_content: { as: 'WebFetch' },
    invoke_subagent: { as: 'Task', does: 'task', keys: { Prompt: 'prompt' } },
  },
} as const satisfies Names

const reader: PayloadReader = {
  names,
  mcpOf: () => null,
  resultOf: ({ tool_response: value, error }) =>
    textOf(error) ? failureOf(error) : { text: textOf(value) ?? '', value, durationMs: 0 },
  reasons: {},
}

/** Its field names → those of the other agents. */
function renameFields(payload: Json): Json {
  const { toolCall, workspacePaths, error } = payload
  const { name, args } = isObject(toolCall) ? toolCall : {}
  return {
    ...payload,
    session_id: payload.conversationId,
    cwd: Array.isArray(workspacePaths) ? workspacePaths[0] : undefined,
    model: payload.modelName,
    transcript_path: payload.transcriptPath,
    tool_name: name,
    tool_input: args,
    tool_use_id: payload.stepIdx === undefined ? undefined : String(payload.stepIdx),
    error: textOf(error) || undefined,
  }
}

function toResponse({ kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage, input, followup } = result
  if (kind === 'turn') return followup === null ? null : { decision: 'continue', reason: followup }
  if (kind !== 'tool') return null
  if (decision === 'deny') return { decision, reason: agentMessage ?? userMessage ?? 'Blocked by a hook.' }
  // "ask" would respect an earlier "always allow" of the user.
  return compact({
    decision: decision === 'ask' ? 'force_ask' : 'allow',
    reason: userMessage,
    overwrite: input,
  })
}

/** Only tool events have matchers, and their entries have another form. */
function toEntry(call: EntryCall): Json {
  const command = toAnsweringShell(call, { decision: 'deny' })
  const entry = { type: 'command', command, timeout: ENTRY_LIMIT_SECONDS }
  return call.event === 'Stop' ? entry : { matcher: '.*', hooks: [entry] }
}

const SECRETS = ['GEMINI_API_KEY', 'ANTIGRAVITY_API_KEY']

export const antigravity: Bridge = {
  name: 'antigravity',
  title: 'Antigravity',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: true,
  toEvent: (kind, payload) => readEvent(reader, kind, renameFields(payload)),
  toResponse,
  config: {
    files: { user: '.gemini/config/hooks.json', project: '.agents/hooks.json' },
    // The name of the hook, which has the events.
    hooksKey: ['holdfast'],
    otherSettings: ['.gemini/config', '.agents'],
    entry: toEntry,
    empty: {},
    nextStep: 'One entry that Antigravity cannot read turns off all of the file. Check with: agy -p "/hooks"',
    secretVariables: SECRETS,
    offSwitches: [
      {
        name: '"enabled": false',
        effect: 'Antigravity does not run the hook.',
        setting: {
          files: ['~/.gemini/config/hooks.json', '.agents/hooks.json'],
          key: ['holdfast', 'enabled'],
          value: false,
        },
      },
      {
        name: 'agy -p without --add-dir',
        effect: 'Antigravity reads no files of the project.',
        only: 'project',
      },
    ],
  },
  unmapped: {
    PreInvocation: 'It occurs before each call of the model, without the prompt.',
    PostInvocation: 'It occurs after each call of the model, without its response.',
    SessionStart: 'It is not documented.',
  },
  unenforced: ['beforeSubmitPrompt', 'beforeMCPExecution'],
  limitations: {
    beforeSubmitPrompt: 'Prompts are not sent to hooks. The event does not occur.',
    'beforeMCPExecution, afterMCPExecution':
      'The name of an MCP tool does not show that it is one. Hooks see it in preToolUse and postToolUse under its own name; the two events do not occur.',
    'sessionStart, sessionEnd, preCompact, subagentStop':
      'Antigravity does not report them. The events do not occur.',
    allow:
      'A call that no hook denies is sent as allow. Antigravity was seen to ask its own questions then, too.',
    'additional_context, updated_mcp_tool_output': 'Antigravity does not read them. They are ignored.',
    ...SEARCHED_FOLDERS,
    ...OTHER_HOOKS,
    ...NO_ATTACHMENTS,
    tool_output: 'The output of a call is not documented. It is empty.',
    afterAgentResponse: 'Messages of the model are not sent. The event does not occur.',
    durations: 'The duration of a tool call is not sent. duration is 0.',
    ...secretVariables('Antigravity', SECRETS),
    ...NO_THOUGHTS,
    ...NO_TAB,
    'a bridge that cannot start':
      'The entry for tool calls ends with a response that denies them. Exit codes have no effect.',
  },
}
