// Codex. Its answers must hold known fields only, a rewrite needs the word allow, and it cannot ask.

import { fromVerdict as asClaude, contentOf } from './claude-code.js'
import { FAILED_START, NO_GRANT, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { durationOf, mcpByName, type Reader, readOccurrence } from './reading.js'
import {
  type Bridge,
  compact,
  type Json,
  type Names,
  type Occurrence,
  type Outcome,
  textOf,
} from './shape.js'

const names = {
  events: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PreToolUse: 'tool',
    PostToolUse: 'result',
    SubagentStop: 'subagent',
    Stop: 'turn',
    PreCompact: 'compact',
    SessionEnd: 'end',
  },
  tools: {
    Bash: { as: 'Shell', does: 'shell' },
    apply_patch: { as: 'Write', does: 'patch' },
  },
} as const satisfies Names

const reader: Reader = {
  names,
  mcpOf: ({ tool_name }) => mcpByName(tool_name),
  resultOf: ({ tool_response: value, duration_ms }) => ({
    text: textOf(value) ?? '',
    value,
    durationMs: durationOf(duration_ms),
  }),
  reasons: { clear: 'user_close', logout: 'user_close', prompt_input_exit: 'user_close' },
}

function fromVerdict(occurrence: Occurrence, outcome: Outcome): Json | null {
  const { moment, name } = occurrence
  const { opinion, input, output, context } = outcome
  if (moment === 'tool' && opinion !== 'deny') {
    if (input === null) return null
    return { hookSpecificOutput: { hookEventName: name, permissionDecision: 'allow', updatedInput: input } }
  }
  // A block after the call puts its reason in the place of the result.
  if (moment === 'result' && output) {
    return { decision: 'block', reason: withContext(wordsOf(output), context) }
  }
  if (moment === 'end') return compact({ systemMessage: outcome.userMessage })
  return asClaude(occurrence, outcome)
}

/** What a model reads of a result. */
export function wordsOf(output: Json): string {
  const content = contentOf(output)
  const words = (Array.isArray(content) ? content : []).map(item => textOf(item?.text))
  return words.every(word => word !== undefined) ? words.join('\n') : JSON.stringify(output)
}

export const withContext = (text: string, context: string | null): string =>
  context === null ? text : `${text}\n\n${context}`

export const codex: Bridge = {
  name: 'codex',
  title: 'Codex',
  version: '0.166',
  evidence: 'observed',
  names,
  asks: false,
  onlyTheseTools: true,
  toEvents: (moment, payload) => readOccurrence(reader, moment, payload),
  fromVerdict,
  config: {
    files: { user: '.codex/hooks.json', project: '.codex/hooks.json' },
    entry: (command, timeout) => ({ hooks: [{ type: 'command', command, timeout }] }),
    empty: {},
    afterwards:
      'Codex skips hooks without a word until they are trusted: start codex and review them with /hooks.',
  },
  losses: [
    {
      what: 'beforeReadFile',
      lost: 'Codex reads files with shell commands; there is no tool that reads.',
      instead: 'The event does not come. Guard the commands with beforeShellExecution.',
      unenforced: true,
    },
    {
      what: 'subagentStart',
      lost: 'The start of a subagent cannot be denied.',
      instead: 'The event does not come.',
      unenforced: true,
    },
    {
      what: 'preToolUse',
      lost: 'Only commands, patches and MCP calls are told.',
      instead: 'Other tools (plans, images, web search) run without hooks.',
    },
    {
      what: 'ask',
      lost: 'Codex lets a call run when a hook wants to ask.',
      instead: 'Asking is a deny that says so.',
    },
    NO_GRANT,
    {
      what: 'updated_input',
      lost: 'A rewrite is taken only together with allow.',
      instead: 'It is sent with allow.',
    },
    {
      what: 'postToolUseFailure',
      lost: 'Calls that fail are told as results.',
      instead: 'The event comes only for calls that hooks denied; a failed command comes as postToolUse.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every prompt and every tool call of that session is denied.',
    },
    {
      what: 'stop followup_message',
      lost: 'Codex never ends a row of follow-ups by itself.',
      instead: 'Only loop_limit does; with null a hook can keep it going for ever.',
    },
    {
      what: 'durations',
      lost: 'How long a tool took is not told.',
      instead: 'duration is 0.',
    },
    ONE_RESPONSE,
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
