// Gemini CLI. A word of its own for everything: deny in `decision`, a rewrite in `tool_input`; asking hangs without a
// terminal, so it is a deny.

import { withContext, wordsOf } from './codex.js'
import { exactPath, fileOf, isPlain } from './gemini-files.js'
import { resultOf } from './gemini-results.js'
import { FAILED_START, NO_GRANT, NO_TAB, NO_THOUGHTS, ONE_RESPONSE } from './loss.js'
import { withFiles } from './named-files.js'
import { isOfFile, type Reader, readOccurrence } from './reading.js'
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
import { inTheirWords, type McpTool } from './tool.js'

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
    invoke_agent: { as: 'Task', does: 'task', keys: { agent_name: 'subagent_type' } },
  },
} as const satisfies Names

const reader: Reader = {
  names,
  mcpOf,
  resultOf: payload => resultOf(payload, isObject(payload.mcp_context)),
  fileOf,
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

function toEvents(moment: Moment, payload: Json): Occurrence | string {
  const { prompt, prompt_response, tool_input } = payload
  const said = { ...payload, last_assistant_message: prompt_response }
  const occurrence = readOccurrence(reader, moment, said)
  if (typeof occurrence === 'string') return occurrence
  if (moment === 'prompt') return withFiles(occurrence, prompt)
  const { tool, conversation } = occurrence
  const path = isObject(tool_input) ? textOf(tool_input.file_path) : undefined
  if (moment !== 'tool' || !tool || !isOfFile(tool) || path === undefined) return occurrence
  return { ...occurrence, isUnsure: !isPlain(path, conversation.cwd, tool) }
}

/** The call in other words than the model's: a hook changed it, or the model's are not sure. They replace all of it. */
function callAnew({ tool, input, isUnsure, conversation }: Occurrence, changed: Json | null): Json | null {
  if (!tool || !isOfFile(tool)) return changed
  const call = changed ?? (isUnsure ? inTheirWords(tool, input) : null)
  const path = textOf(call?.file_path)
  return path === undefined ? call : { ...call, file_path: exactPath(path, conversation.cwd) }
}

function fromVerdict(occurrence: Occurrence, outcome: Outcome): Json | null {
  const { name, moment } = occurrence
  const { opinion, userMessage, agentMessage, input, followup, output } = outcome
  // A subagent that has ended cannot go on, but whoever started it can start another.
  const context = moment === 'result' ? joined(outcome.context, followup) : outcome.context
  const specific = (fields: Json) => {
    const said = compact(fields)
    return said && { hookEventName: name, ...said }
  }
  if (moment === 'tool' || moment === 'prompt') {
    if (opinion === 'deny') {
      const reason = (moment === 'tool' ? agentMessage : null) ?? userMessage ?? ''
      return compact({ decision: 'deny', reason, systemMessage: moment === 'tool' ? userMessage : null })
    }
    return compact({ hookSpecificOutput: specific({ tool_input: callAnew(occurrence, input) }) })
  }
  if (moment === 'turn') return followup === null ? null : { decision: 'deny', reason: followup }
  // A deny after the call puts its reason in the place of the result.
  if (output) return { decision: 'deny', reason: withContext(wordsOf(output), context) }
  return compact({
    hookSpecificOutput: specific({ additionalContext: context }),
    systemMessage: userMessage,
  })
}

const joined = (a: string | null, b: string | null): string | null => (a === null ? b : withContext(a, b))

export const gemini: Bridge = {
  name: 'gemini',
  title: 'Gemini CLI',
  version: '0.61',
  evidence: 'observed',
  names,
  asks: false,
  toEvents,
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
      what: 'events inside subagents',
      lost: 'Gemini CLI does not say which of its agents calls a tool.',
      instead: 'They come with the ids of the conversation that the person has.',
    },
    {
      what: 'subagentStop',
      lost: 'A subagent that has ended cannot go on; its own conversation is not told.',
      instead: 'followup_message becomes context for the agent that started it.',
    },
    {
      what: 'beforeReadFile',
      lost: 'What read_many_files will read is not known beforehand; of what is named with @ only text is told.',
      instead:
        'read_many_files is denied while a beforeReadFile hook fails closed, which is the default; text files named with @ are asked about with the prompt; images and the like are not seen.',
    },
    {
      what: 'beforeShellExecution',
      lost: 'Commands that a person types with !, and those in custom commands (!{…}), run without a tool.',
      instead: 'They are not seen; beforeSubmitPrompt sees what a custom command makes of them.',
    },
    {
      what: 'updated_input',
      lost: 'Hooks of others that change a call run at the same time.',
      instead: 'Your hooks are not asked about what those make of it; the last in the settings wins.',
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
      lost: 'In a terminal it is said three times, and waiting for it is not promised.',
      instead: 'The event comes once; a slow hook may be cut off.',
    },
    {
      what: 'stop followup_message',
      lost: 'Gemini CLI never ends a row of follow-ups by itself, but breaks after some 2000.',
      instead: 'Only loop_limit does.',
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
    {
      what: 'settings of a project',
      lost: 'In a folder that Gemini CLI trusts they can switch all hooks off: hooksConfig, or "hooks": null.',
      instead:
        'No hook runs there, and nothing says so. Read .gemini/settings.json before you trust a folder.',
    },
    ONE_RESPONSE,
    NO_THOUGHTS,
    NO_TAB,
    FAILED_START,
  ],
}
