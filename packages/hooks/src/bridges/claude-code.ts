// Claude Code. Answers are JSON on stdout with nothing before it; text before it would void them.

import { FAILED_START, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { durationOf, exitCodeIn, mcpByName, type Reader, readOccurrence } from './reading.js'
import {
  type Bridge,
  compact,
  isObject,
  type Json,
  type Names,
  type Occurrence,
  type Outcome,
  orEmpty,
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
    Bash: { as: 'Shell', does: 'shell' },
    Read: { as: 'Read', does: 'read' },
    Write: { as: 'Write', does: 'write' },
    Edit: { as: 'Write', does: 'edit' },
    MultiEdit: { as: 'Write', does: 'edit' },
    NotebookEdit: {
      as: 'Write',
      does: 'edit',
      keys: { notebook_path: 'file_path', new_source: 'new_string' },
    },
    Glob: { as: 'Grep' },
    Grep: { as: 'Grep' },
    LS: { as: 'LS' },
    Agent: { as: 'Task', does: 'task' },
    Task: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

export const reader: Reader = {
  names,
  mcpOf: ({ tool_name }) => mcpByName(tool_name),
  resultOf,
  reasons: { clear: 'user_close', logout: 'user_close', prompt_input_exit: 'user_close' },
}

function resultOf(payload: Json): ToolResult | ToolFailure {
  const { tool_response: value, error, is_interrupt } = payload
  const durationMs = durationOf(payload.duration_ms)
  if (error !== undefined) {
    const message = textOf(error) ?? JSON.stringify(error)
    return { message, durationMs, isInterrupt: is_interrupt === true, ...exitCodeIn(message) }
  }
  const { stdout, stderr, originalFile } = isObject(value) ? value : {}
  const text = [orEmpty(stdout), orEmpty(stderr)].filter(part => part !== '').join('\n')
  return {
    text: text === '' ? (textOf(value) ?? '') : text,
    value,
    durationMs,
    ...(typeof originalFile === 'string' ? { before: originalFile } : {}),
  }
}

/** Also how others write it who took this dialect over. */
export function fromVerdict({ name, moment }: Occurrence, outcome: Outcome): Json | null {
  const { opinion, userMessage, agentMessage, input, context, followup, output } = outcome
  const specific = (fields: Json) => {
    const said = compact(fields)
    return said && { hookEventName: name, ...said }
  }
  if (moment === 'tool') {
    const isDenied = opinion === 'deny'
    return compact({
      hookSpecificOutput: specific({
        permissionDecision: opinion === 'abstain' ? null : opinion,
        permissionDecisionReason: isDenied ? (agentMessage ?? userMessage) : userMessage,
        updatedInput: isDenied ? null : input,
      }),
      systemMessage: isDenied ? userMessage : null,
    })
  }
  if (moment === 'prompt') return opinion === 'deny' ? { decision: 'block', reason: userMessage ?? '' } : null
  if (moment === 'turn' || moment === 'subagent') {
    return followup === null ? null : { decision: 'block', reason: followup }
  }
  return compact({
    hookSpecificOutput: specific({
      additionalContext: context,
      updatedMCPToolOutput: output && contentOf(output),
    }),
    systemMessage: userMessage,
  })
}

/** The content of a result; an object that is none becomes its text. */
export const contentOf = (output: Json): unknown =>
  Array.isArray(output.content) ? output.content : [{ type: 'text', text: JSON.stringify(output) }]

export const claudeCode: Bridge = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1',
  evidence: 'observed',
  names,
  asks: true,
  toEvents: (moment, payload) => readOccurrence(reader, moment, payload),
  fromVerdict,
  config: {
    files: { user: '.claude/settings.json', project: '.claude/settings.json' },
    entry: (command, timeout) => ({ hooks: [{ type: 'command', command, timeout }] }),
    empty: {},
    projectVariable: 'CLAUDE_PROJECT_DIR',
  },
  losses: [
    {
      what: 'beforeReadFile',
      lost: 'Files that a person names with @ reach the model without the Read tool.',
      instead: 'They are not seen; files that the model reads by itself are.',
    },
    {
      what: 'ask',
      lost: 'Without a terminal nobody can be asked.',
      instead: 'Claude Code denies the call and tells the model the reason.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every prompt and every tool call of that session is denied.',
    },
    {
      what: 'stop followup_message',
      lost: 'Claude Code ends a row of follow-ups by itself after about 9.',
      instead: 'A loop_limit above that has no further effect.',
    },
    {
      what: 'subagentStop',
      lost: 'The task, what was done for it and how long it took are not told.',
      instead: 'Those fields are empty or 0.',
    },
    {
      what: 'preCompact',
      lost: 'Tokens, messages and the size of the context are not told.',
      instead: 'They are 0.',
    },
    ONE_RESPONSE,
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
