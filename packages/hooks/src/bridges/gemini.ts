// Gemini CLI. A word of its own for everything: deny in `decision`, a rewrite in `tool_input`; asking hangs without a
// terminal, so it is a deny.

import { withContext, wordsOf } from './codex.js'
import { FAILED_START, NO_GRANT, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { type Reader, readOccurrence } from './reading.js'
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
import type { McpTool, ToolFailure, ToolResult } from './tool.js'

const names = {
  events: {
    SessionStart: 'start',
    BeforeAgent: 'prompt',
    BeforeTool: 'tool',
    AfterTool: 'result',
    AfterAgent: 'turn',
    SessionEnd: 'end',
  },
  tools: {
    run_shell_command: { as: 'Shell', does: 'shell', keys: { dir_path: 'cwd' } },
    read_file: { as: 'Read', does: 'read' },
    read_many_files: { as: 'Read', does: 'files' },
    write_file: { as: 'Write', does: 'write' },
    replace: { as: 'Write', does: 'edit' },
    list_directory: { as: 'LS' },
    glob: { as: 'Grep' },
    grep_search: { as: 'Grep' },
    search_file_content: { as: 'Grep' },
    web_fetch: { as: 'WebFetch' },
    google_web_search: { as: 'WebSearch' },
  },
} as const satisfies Names

const reader: Reader = {
  names,
  mcpOf,
  resultOf,
  reasons: { clear: 'user_close', logout: 'user_close', prompt_input_exit: 'user_close' },
}

function mcpOf({ tool_name, mcp_context }: Json): McpTool | null {
  const [, server, tool] = /^mcp_+([^_]+)_+(.+)$/s.exec(orEmpty(tool_name)) ?? []
  if (!isObject(mcp_context)) return server && tool ? { server, tool } : null
  const { command, args, url } = mcp_context
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(word => typeof word === 'string')
  const address = textOf(url) ?? textOf(mcp_context.http_url)
  return {
    server: textOf(mcp_context.server_name) ?? server ?? '',
    tool: textOf(mcp_context.tool_name) ?? tool ?? orEmpty(tool_name),
    facts: {
      ...(words.length > 0 ? { command: words.join(' ') } : {}),
      ...(address === undefined ? {} : { url: address, mcp_server_url: address }),
    },
  }
}

/** Also how others write it who took its tools over. */
export function resultOf({ tool_response: value }: Json): ToolResult | ToolFailure {
  const { llmContent, returnDisplay, error } = isObject(value) ? value : {}
  if (error !== undefined && error !== null) {
    const message = isObject(error) ? (textOf(error.message) ?? JSON.stringify(error)) : String(error)
    return { message, durationMs: 0, isInterrupt: false }
  }
  const before = isObject(returnDisplay) ? returnDisplay.originalContent : undefined
  const code = /^Exit Code: (\d+)$/m.exec(orEmpty(llmContent))?.[1]
  return {
    text: textOf(returnDisplay) ?? textOf(llmContent) ?? '',
    value,
    durationMs: 0,
    ...(code === undefined ? {} : { exitCode: Number(code) }),
    ...(typeof before === 'string' ? { before } : {}),
  }
}

function fromVerdict({ name, moment }: Occurrence, outcome: Outcome): Json | null {
  const { opinion, userMessage, agentMessage, input, context, followup, output } = outcome
  const specific = (fields: Json) => {
    const said = compact(fields)
    return said && { hookEventName: name, ...said }
  }
  if (moment === 'tool' || moment === 'prompt') {
    if (opinion === 'deny') {
      const reason = (moment === 'tool' ? agentMessage : null) ?? userMessage ?? ''
      return compact({ decision: 'deny', reason, systemMessage: moment === 'tool' ? userMessage : null })
    }
    return compact({ hookSpecificOutput: specific({ tool_input: input }) })
  }
  if (moment === 'turn') return followup === null ? null : { decision: 'deny', reason: followup }
  // A deny after the call puts its reason in the place of the result.
  if (output) return { decision: 'deny', reason: withContext(wordsOf(output), context) }
  return compact({
    hookSpecificOutput: specific({ additionalContext: context }),
    systemMessage: userMessage,
  })
}

export const gemini: Bridge = {
  name: 'gemini',
  title: 'Gemini CLI',
  version: '0.61',
  evidence: 'observed',
  names,
  asks: false,
  toEvents: (moment, payload) =>
    readOccurrence(reader, moment, { ...payload, last_assistant_message: payload.prompt_response }),
  fromVerdict,
  config: {
    files: { user: '.gemini/settings.json', project: '.gemini/settings.json' },
    entry: (command, timeout) => ({
      hooks: [{ type: 'command', name: 'holdfast', command, timeout: timeout * 1000 }],
    }),
    empty: {},
    projectVariable: 'GEMINI_PROJECT_DIR',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    afterwards: 'Gemini CLI runs project hooks only in folders that it trusts.',
  },
  losses: [
    {
      what: 'subagentStart, subagentStop',
      lost: 'Subagents are tools under their own names.',
      instead: 'preToolUse and postToolUse see them; the two events do not come.',
      unenforced: true,
    },
    {
      what: 'beforeReadFile',
      lost: 'What read_many_files will read is not known beforehand; files named with @ reach the model without a tool.',
      instead:
        'read_many_files is denied while a beforeReadFile hook fails closed, which is the default; files named with @ are not seen.',
    },
    {
      what: 'ask',
      lost: 'Gemini CLI hangs when a hook asks and there is no terminal.',
      instead: 'Asking is a deny that says so.',
    },
    NO_GRANT,
    {
      what: 'preCompact',
      lost: 'Gemini CLI says it before every call of the model, whether it compacts or not.',
      instead: 'The event does not come.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'A session cannot be kept from starting.',
      instead: 'Every prompt and every tool call of that session is denied.',
    },
    {
      what: 'sessionEnd',
      lost: 'Gemini CLI does not wait for it.',
      instead: 'A slow hook may be cut off.',
    },
    {
      what: 'tool_use_id, durations, model',
      lost: 'They are not told.',
      instead: 'They are empty, 0 and "default".',
    },
    {
      what: 'the environment of hooks',
      lost: 'Gemini CLI hands its API key to every hook.',
      instead: 'GEMINI_API_KEY and GOOGLE_API_KEY are taken out of what your hooks inherit.',
    },
    ONE_RESPONSE,
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
