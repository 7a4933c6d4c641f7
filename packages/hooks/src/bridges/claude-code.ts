// Claude Code. Answers are JSON on stdout with nothing before it; text before it would void them.

import { FAILED_START, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { durationOf, exitCodeIn, mcpByName, type Reader, readOccurrence } from './reading.js'
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
import type { McpTool, ToolFailure, ToolResult } from './tool.js'

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
    PowerShell: { as: 'Shell', does: 'shell' },
    // Runs a command in the background and tells the model each line of it.
    Monitor: { as: 'Shell', does: 'shell' },
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
  mcpOf,
  resultOf,
  reasons: { clear: 'user_close', logout: 'user_close', prompt_input_exit: 'user_close' },
}

/** The server as it is configured; the name of the tool holds it with other signs, which do not say where it ends. */
function mcpOf({ tool_name, mcp_server }: Json): McpTool | null {
  const server = isObject(mcp_server) ? orEmpty(mcp_server.name) : ''
  const start = `mcp__${server.replace(/[^a-zA-Z0-9_-]/g, '_')}__`
  const name = orEmpty(tool_name)
  const isWhole = server !== '' && name.startsWith(start) && name.length > start.length
  return isWhole ? { server, tool: name.slice(start.length) } : mcpByName(name)
}

function resultOf(payload: Json): ToolResult | ToolFailure {
  const { tool_response: value, error, is_interrupt } = payload
  const durationMs = durationOf(payload.duration_ms)
  if (error !== undefined) {
    const message = textOf(error) ?? JSON.stringify(error)
    return { message, durationMs, isInterrupt: is_interrupt === true, ...exitCodeIn(message) }
  }
  const { stdout, stderr, originalFile, old_source } = isObject(value) ? value : {}
  const before = textOf(originalFile) ?? textOf(old_source)
  const text = [orEmpty(stdout), orEmpty(stderr)].filter(part => part !== '').join('\n')
  return {
    text: text === '' ? (textOf(value) ?? '') : text,
    value,
    durationMs,
    ...(before === undefined ? {} : { before }),
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

function toEvents(moment: Moment, payload: Json): Occurrence | string {
  const occurrence = readOccurrence(reader, moment, payload)
  if (typeof occurrence === 'string') return occurrence
  // Agents of its own, such as the one that sums a conversation up, have no kind: nobody started them.
  if (moment === 'subagent' && payload.agent_type === '') return { ...occurrence, steps: [] }
  // What ends in the background is told to the model as if the person had said so.
  const isAutomatic = moment === 'prompt' && orEmpty(payload.prompt).startsWith('<task-notification>')
  return isAutomatic ? { ...occurrence, isAutomatic } : occurrence
}

export const claudeCode: Bridge = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1',
  evidence: 'observed',
  names,
  asks: true,
  toEvents,
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
      what: 'beforeShellExecution',
      lost: 'Commands inside a skill or a slash command (!`…`) run without the Bash tool.',
      instead: 'They are not seen. "disableSkillShellExecution": true in its settings turns them off.',
    },
    {
      what: 'afterShellExecution',
      lost: 'A command in the background, also that of Monitor, is told when it has started.',
      instead: 'The event comes then, without output.',
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
      what: 'stop',
      lost: 'A turn that ends because the model cannot be reached is not told.',
      instead: 'The event does not come.',
    },
    {
      what: 'subagentStart',
      lost: 'Agents of a workflow start without a call of their own.',
      instead: 'The workflow as a whole is one preToolUse; what they do is seen.',
    },
    {
      what: 'subagentStart subagent_id',
      lost: 'The id of a subagent is not known before it has started.',
      instead: 'It is the id of the tool call.',
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
    {
      what: 'Claude Code before 2.0.56',
      lost: 'It ignores a settings file that names an event which it does not know.',
      instead: 'No hook runs, and nothing says so: use a newer one.',
    },
    FAILED_START,
  ],
}
