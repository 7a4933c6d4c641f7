// Qwen Code. Claude's words for events and answers, its own for tools; a call cannot be changed, only denied.

import { fromVerdict as asClaude, reader as claude } from './claude-code.js'
import { withContext, wordsOf } from './codex.js'
import { resultOf as asGemini, commandRan } from './gemini-results.js'
import { FAILED_START, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { withFiles } from './named-files.js'
import { durationOf, type Reader, readOccurrence } from './reading.js'
import {
  type Bridge,
  isObject,
  type Json,
  type Moment,
  type Names,
  type Occurrence,
  type Outcome,
  textOf,
} from './shape.js'
import type { ToolFailure, ToolResult } from './tool.js'

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
    notebook_edit: {
      as: 'Write',
      does: 'edit',
      keys: { notebook_path: 'file_path', new_source: 'new_string' },
    },
    list_directory: { as: 'LS' },
    glob: { as: 'Grep' },
    grep_search: { as: 'Grep' },
    web_fetch: { as: 'WebFetch' },
    task: { as: 'Task', does: 'task' },
    agent: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

const reader: Reader = { ...claude, names, resultOf }

function resultOf(payload: Json): ToolResult | ToolFailure {
  const { tool_name, tool_input, tool_response, error } = payload
  if (error === undefined && isObject(tool_response) && 'llmContent' in tool_response) {
    const isMcp = claude.mcpOf(payload) !== null
    return { ...asGemini(payload, isMcp), durationMs: durationOf(payload.duration_ms) }
  }
  const failure = claude.resultOf(payload)
  if (error === undefined || tool_name !== 'run_shell_command') return failure
  const { text: output, ...code } = commandRan(textOf(error) ?? '', tool_input)
  return { ...failure, output, ...code }
}

function toEvents(moment: Moment, payload: Json): Occurrence | string {
  const occurrence = readOccurrence(reader, moment, payload)
  if (typeof occurrence === 'string' || moment !== 'prompt') return occurrence
  // A turn that goes on after a tool call is told in the same way, without a word.
  return payload.prompt === '' ? { ...occurrence, steps: [] } : withFiles(occurrence, payload.prompt)
}

function fromVerdict(occurrence: Occurrence, outcome: Outcome): Json | null {
  const { moment } = occurrence
  const { opinion, input, output, context } = outcome
  if (moment === 'tool' && input && opinion !== 'deny') return asClaude(occurrence, insteadOf(outcome, input))
  if (moment === 'result' && output) {
    return { continue: false, stopReason: withContext(wordsOf(output), context) }
  }
  if (moment === 'tool' && opinion !== 'abstain') {
    return asClaude(occurrence, { ...outcome, userMessage: outcome.userMessage ?? 'A hook decided this.' })
  }
  return asClaude(occurrence, outcome)
}

/** The model can make the changed call itself, which hooks then see. */
const insteadOf = (outcome: Outcome, input: Json): Outcome => ({
  ...outcome,
  opinion: 'deny',
  input: null,
  userMessage: outcome.userMessage ?? 'A hook wants this call to be another one.',
  agentMessage: withContext(
    `A hook wants this call to be another one. Make it again with these arguments: ${JSON.stringify(input)}`,
    outcome.agentMessage,
  ),
})

export const qwen: Bridge = {
  name: 'qwen',
  title: 'Qwen Code',
  version: '0.24',
  evidence: 'observed',
  names,
  asks: true,
  toEvents,
  fromVerdict,
  config: {
    files: { user: '.qwen/settings.json', project: '.qwen/settings.json' },
    entry: (command, timeout) => ({
      hooks: [{ type: 'command', name: 'holdfast', command, timeout: timeout * 1000 }],
    }),
    empty: {},
    projectVariable: 'QWEN_PROJECT_DIR',
    keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
  },
  losses: [
    {
      what: 'beforeReadFile',
      lost: 'What read_many_files will read is not known beforehand; of what is named with @ only text is told.',
      instead:
        'read_many_files is denied while a beforeReadFile hook fails closed, which is the default; text files named with @ are asked about with the prompt; images and the like are not seen.',
    },
    {
      what: 'beforeShellExecution',
      lost: 'Commands that a person types with ! run without a tool.',
      instead: 'They are not seen.',
    },
    {
      what: 'ask',
      lost: 'Without a terminal nobody can be asked.',
      instead: 'Qwen Code denies the call.',
    },
    {
      what: 'updated_input',
      lost: 'Qwen Code does not let hooks change a call.',
      instead: 'The call is denied, and the model is told to make the changed one.',
    },
    {
      what: 'updated_mcp_tool_output',
      lost: 'A result can be replaced only as if the call had failed.',
      instead: 'The model reads the new one as the reason.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every prompt and every tool call of that session is denied.',
    },
    {
      what: 'sessionEnd',
      lost: 'Without a terminal the end of a session is not told.',
      instead: 'The event does not come.',
    },
    {
      what: 'stop followup_message',
      lost: 'Qwen Code ends a row of follow-ups by itself after 8.',
      instead: 'A loop_limit above that has no further effect.',
    },
    {
      what: 'the environment of hooks',
      lost: 'Qwen Code hands its API key to every hook.',
      instead: 'OPENAI_API_KEY and DASHSCOPE_API_KEY are taken out of what your hooks inherit.',
    },
    {
      what: 'settings of a project',
      lost: 'They can switch all hooks off: disableAllHooks.',
      instead: 'No hook runs there, and nothing says so. Read .qwen/settings.json of a project first.',
    },
    ONE_RESPONSE,
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
