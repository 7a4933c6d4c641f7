// Qwen Code. Claude's words for events and answers, Gemini's for results, its own for tools.

import { fromVerdict as asClaude, reader as claude } from './claude-code.js'
import { withContext, wordsOf } from './codex.js'
import { resultOf as asGemini } from './gemini.js'
import { FAILED_START, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { type Reader, readOccurrence } from './reading.js'
import { type Bridge, isObject, type Json, type Names, type Occurrence, type Outcome } from './shape.js'

const names = {
  events: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PreToolUse: 'tool',
    PostToolUse: 'result',
    PostToolUseFailure: 'failure',
    SubagentStop: 'subagent',
    Stop: 'turn',
    PreCompact: 'compact',
    SessionEnd: 'end',
  },
  tools: {
    run_shell_command: { as: 'Shell', does: 'shell', keys: { directory: 'cwd' } },
    read_file: { as: 'Read', does: 'read', keys: { absolute_path: 'file_path' } },
    read_many_files: { as: 'Read', does: 'files' },
    write_file: { as: 'Write', does: 'write' },
    edit: { as: 'Write', does: 'edit' },
    list_directory: { as: 'LS' },
    glob: { as: 'Grep' },
    grep_search: { as: 'Grep' },
    web_fetch: { as: 'WebFetch' },
    task: { as: 'Task', does: 'task' },
    agent: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

const reader: Reader = {
  ...claude,
  names,
  resultOf: payload =>
    isObject(payload.tool_response) && 'llmContent' in payload.tool_response
      ? asGemini(payload)
      : claude.resultOf(payload),
}

function fromVerdict(occurrence: Occurrence, outcome: Outcome): Json | null {
  const { moment } = occurrence
  const { opinion, input, output, context } = outcome
  // A decision has to stand beside a rewrite, and allow would say more than the hook did.
  if (moment === 'tool' && input && opinion === 'abstain') {
    const userMessage = outcome.userMessage ?? 'A hook changed this call.'
    return asClaude(occurrence, { ...outcome, opinion: 'ask', userMessage })
  }
  if (moment === 'result' && output) {
    return { decision: 'block', reason: withContext(wordsOf(output), context) }
  }
  if (moment === 'tool' && opinion !== 'abstain') {
    return asClaude(occurrence, { ...outcome, userMessage: outcome.userMessage ?? 'A hook decided this.' })
  }
  return asClaude(occurrence, outcome)
}

export const qwen: Bridge = {
  name: 'qwen',
  title: 'Qwen Code',
  version: '2026',
  evidence: 'documented',
  names,
  asks: true,
  promptsRepeat: true,
  toEvents: (moment, payload) => readOccurrence(reader, moment, payload),
  fromVerdict,
  config: {
    files: { user: '.qwen/settings.json', project: '.qwen/settings.json' },
    entry: (command, timeout) => ({
      hooks: [{ type: 'command', name: 'holdfast', command, timeout: timeout * 1000 }],
    }),
    empty: {},
    projectVariable: 'QWEN_PROJECT_DIR',
  },
  losses: [
    {
      what: 'beforeSubmitPrompt',
      lost: 'Qwen Code says it for tool results and follow-ups, too.',
      instead: 'The event comes more often than the person writes.',
    },
    {
      what: 'beforeReadFile',
      lost: 'What read_many_files will read is not known beforehand; files named with @ reach the model without a tool.',
      instead:
        'read_many_files is denied while a beforeReadFile hook fails closed, which is the default; files named with @ are not seen.',
    },
    {
      what: 'ask',
      lost: 'Without a terminal nobody can be asked.',
      instead: 'Qwen Code denies the call.',
    },
    {
      what: 'updated_input',
      lost: 'A rewrite needs a decision beside it.',
      instead: 'Without one from a hook the person is asked.',
    },
    {
      what: 'updated_mcp_tool_output',
      lost: 'A result cannot be replaced as it is.',
      instead: 'The new one is given as the reason of a block, which some versions pass over.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every prompt and every tool call of that session is denied.',
    },
    ONE_RESPONSE,
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
