// Copilot CLI. Its payload does not name the event, so its entries do; only a tool call can be stopped.

import { wordsOf } from './codex.js'
import { FAILED_START, NO_TAB, NO_THOUGHTS } from './loss.js'
import { exitCodeIn, type Reader, readOccurrence } from './reading.js'
import {
  type Bridge,
  compact,
  isObject,
  type Json,
  type Names,
  type Occurrence,
  type Outcome,
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
  return { text, value, durationMs: 0 }
}

/** Its words → those that the others share. Some versions write the arguments as text. */
function inCommonWords(payload: Json): Json {
  const { toolArgs } = payload
  return {
    ...payload,
    session_id: payload.sessionId ?? payload.session_id,
    transcript_path: payload.transcriptPath ?? payload.transcript_path,
    tool_name: payload.toolName ?? payload.tool_name,
    tool_input: argumentsOf(toolArgs) ?? payload.tool_input,
    tool_response: payload.toolResult ?? payload.tool_response,
    agent_id: payload.agentId,
    agent_type: payload.agentType ?? payload.agentName,
    last_assistant_message: payload.response,
  }
}

function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
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
  return compact({
    modifiedResult: output && { resultType: 'success', textResultForLlm: wordsOf(output) },
    additionalContext: moment === 'prompt' ? null : context,
  })
}

/** Its older versions know no `||`. */
const inPowerShell = (command: string): string =>
  command.replace(/ \|\| exit 2$/, '; if ($LASTEXITCODE -ne 0) { exit 2 }')

export const copilot: Bridge = {
  name: 'copilot',
  title: 'Copilot CLI',
  version: '2026',
  evidence: 'documented',
  names,
  asks: true,
  promptsPass: true,
  toEvents: (moment, payload) => readOccurrence(reader, moment, inCommonWords(payload)),
  fromVerdict,
  config: {
    files: { user: '.copilot/hooks/holdfast.json', project: '.github/hooks/holdfast.json' },
    entry: (command, timeoutSec) => ({
      type: 'command',
      bash: command,
      powershell: inPowerShell(command),
      timeoutSec,
    }),
    empty: { version: 1 },
  },
  losses: [
    {
      what: 'beforeSubmitPrompt',
      lost: 'A prompt cannot be stopped.',
      instead: 'The hooks see it, and every tool call up to the next prompt is denied.',
      unenforced: true,
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
      what: 'stop followup_message',
      lost: 'Copilot CLI ends a row of follow-ups by itself after 8.',
      instead: 'A loop_limit above that has no further effect.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every tool call of that session is denied.',
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
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
