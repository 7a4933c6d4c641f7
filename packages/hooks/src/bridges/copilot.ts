// Copilot CLI. Its payload does not name the event, so its entries do. A subagent has a session of its own there.

import { parseJson } from '../protocol/json.js'
import { wordsOf } from './codex.js'
import { NO_TAB, NO_THOUGHTS } from './loss.js'
import { exitCodeIn, type Reader, readOccurrence } from './reading.js'
import {
  type Bridge,
  compact,
  isObject,
  type Json,
  type Moment,
  type Names,
  type Occurrence,
  type Outcome,
  orEmpty,
  textOf,
} from './shape.js'
import type { ToolFailure, ToolResult } from './tool.js'

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
    grep: { as: 'Grep' },
    rg: { as: 'Grep' },
    glob: { as: 'Grep' },
    web_fetch: { as: 'WebFetch' },
    task: { as: 'Task', does: 'task', keys: { agent_type: 'subagent_type' } },
  },
} as const satisfies Names

const reader: Reader = {
  names,
  mcpOf: () => null,
  resultOf,
  reasons: { error: 'error', timeout: 'error', abort: 'aborted', user_exit: 'user_close' },
}

function resultOf({ tool_response: value, error }: Json): ToolResult | ToolFailure {
  if (error !== undefined) {
    const message = textOf(error) ?? JSON.stringify(error)
    return { message, durationMs: 0, isInterrupt: false, ...exitCodeIn(message) }
  }
  const { resultType, textResultForLlm } = isObject(value) ? value : {}
  const text = textOf(textResultForLlm) ?? textOf(value) ?? ''
  if (resultType === 'failure' || resultType === 'denied') {
    return { message: text, durationMs: 0, isInterrupt: false }
  }
  const [end, code] = /\n?<shellId: \S+ completed with exit code (\d+)>\s*$/.exec(text) ?? []
  if (end === undefined) return { text, value, durationMs: 0 }
  return { text: text.slice(0, -end.length), value, durationMs: 0, exitCode: Number(code) }
}

/** Its words → those that the others share. Some versions write the arguments as text. */
function inCommonWords(payload: Json): Json {
  const { toolArgs, agentId, parentAgentId } = payload
  return {
    ...payload,
    session_id: parentAgentId ?? payload.sessionId ?? payload.session_id,
    agent_id: agentId,
    transcript_path: payload.transcriptPath ?? payload.transcript_path,
    tool_name: payload.toolName ?? payload.tool_name,
    tool_input: argumentsOf(toolArgs) ?? payload.tool_input,
    tool_response: payload.toolResult ?? payload.tool_response,
    agent_type: payload.agentType ?? payload.agentName,
    last_assistant_message: payload.response,
  }
}

function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

function toEvents(moment: Moment, payload: Json): Occurrence | string {
  const occurrence = readOccurrence(reader, moment, inCommonWords(payload))
  if (typeof occurrence === 'string') return occurrence
  // The task of a subagent is no word of the person, and its end has an event of its own.
  const isInside = occurrence.conversation.subagent !== null
  if (isInside && (moment === 'prompt' || moment === 'turn')) return { ...occurrence, steps: [] }
  // What ends in the background is told to the model as if the person had said so.
  const isAutomatic = moment === 'prompt' && orEmpty(payload.prompt).startsWith('<system_notification>')
  return isAutomatic ? { ...occurrence, isAutomatic } : occurrence
}

function fromVerdict({ moment }: Occurrence, outcome: Outcome): Json | null {
  const { opinion, userMessage, agentMessage, input, context, followup, output } = outcome
  if (moment === 'tool') {
    if (opinion === 'deny') {
      const reason = agentMessage ?? userMessage ?? 'Blocked by a hook.'
      return { permissionDecision: 'deny', permissionDecisionReason: reason }
    }
    return compact({
      permissionDecision: opinion === 'abstain' ? null : opinion,
      permissionDecisionReason:
        opinion === 'ask' ? (userMessage ?? 'A hook wants you to approve this.') : null,
      modifiedArgs: input,
    })
  }
  if (moment === 'turn' || moment === 'subagent') {
    return followup === null ? null : { decision: 'block', reason: followup }
  }
  if (moment === 'prompt') {
    return opinion === 'deny' ? { decision: 'block', reason: userMessage ?? 'Blocked by a hook.' } : null
  }
  return compact({
    modifiedResult: output && { resultType: 'success', textResultForLlm: wordsOf(output) },
    additionalContext: context,
  })
}

/** The exit code counts for tool calls only; a prompt is stopped in words. */
const BLOCK = `echo '{"decision":"block","reason":"Blocked, because holdfast could not be started."}'`

const inWords = (command: string): string =>
  command.replace(/( --event userPromptSubmitted \|\| )exit 2$/, `$1${BLOCK}`)

/** Its older versions know no `||`. */
const inPowerShell = (command: string): string =>
  command.replace(/ \|\| (exit 2|echo .*)$/, '; if ($LASTEXITCODE -ne 0) { $1 }')

export const copilot: Bridge = {
  name: 'copilot',
  title: 'Copilot CLI',
  version: '1.0',
  evidence: 'observed',
  names,
  asks: true,
  promptsPass: true,
  toEvents,
  fromVerdict,
  config: {
    files: { user: '.copilot/hooks/holdfast.json', project: '.github/hooks/holdfast.json' },
    entry: (command, timeoutSec) => ({
      type: 'command',
      bash: inWords(command),
      powershell: inPowerShell(inWords(command)),
      timeoutSec,
    }),
    empty: { version: 1 },
    projectVariable: 'COPILOT_PROJECT_DIR',
    afterwards: 'Copilot CLI runs project hooks only in folders that it trusts.',
  },
  losses: [
    {
      what: 'beforeSubmitPrompt',
      lost: 'Older versions send a blocked prompt all the same.',
      instead: 'Every tool call up to the next prompt is denied, too.',
    },
    {
      what: 'beforeMCPExecution, afterMCPExecution',
      lost: 'The name of an MCP tool does not say that it is one.',
      instead: 'preToolUse and postToolUse see it under its own name; the two events do not come.',
      unenforced: true,
    },
    {
      what: 'updated_mcp_tool_output',
      lost: 'Older versions do not let a result be replaced.',
      instead: 'They show the model the old one.',
    },
    {
      what: 'postToolUseFailure additional_context',
      lost: 'After a failure no context is read.',
      instead: 'It is ignored.',
    },
    {
      what: 'ask',
      lost: 'Without a terminal nobody can be asked.',
      instead: 'Copilot CLI denies the call.',
    },
    {
      what: 'stop followup_message',
      lost: 'Copilot CLI ends a row of follow-ups by itself after 8.',
      instead: 'A loop_limit above that has no further effect.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every prompt and every tool call of that session is denied.',
    },
    {
      what: 'afterAgentResponse',
      lost: 'The messages of the model are not told.',
      instead: 'The event does not come.',
    },
    {
      what: 'tool_use_id, durations, model',
      lost: 'They are not told.',
      instead: 'They are empty, 0 and "default".',
    },
    {
      what: 'settings of a project',
      lost: 'In a folder that Copilot CLI trusts they can switch all hooks off: disableAllHooks, also in .claude/settings.json.',
      instead: 'No hook runs there, and nothing says so. Read them before you trust a folder.',
    },
    {
      what: 'hooks of Claude Code',
      lost: 'In a folder that it trusts Copilot CLI runs those of .claude/settings.json, too.',
      instead: 'Where holdfast is installed there as well, every hook runs twice.',
    },
    NO_THOUGHTS,
    NO_TAB,
    {
      what: 'a bridge that cannot start',
      lost: 'A prompt is sent when a hook is missing or crashes; a tool call is not.',
      instead: 'The entry for prompts ends with words that block them.',
    },
  ],
}
