// Codex. Its answers must hold known fields only, a rewrite needs the word allow, every no needs a reason, and it
// cannot ask.

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

const TASK = { as: 'Task', does: 'task', keys: { message: 'prompt', agent_type: 'subagent_type' } } as const

const names = {
  events: {
    SessionStart: 'start',
    UserPromptSubmit: 'prompt',
    PreToolUse: 'tool',
    PostToolUse: 'result',
    SubagentStop: 'subagent',
    Stop: 'turn',
    Interrupt: 'interrupt',
    PreCompact: 'compact',
    SessionEnd: 'end',
  },
  tools: {
    Bash: { as: 'Shell', does: 'shell' },
    apply_patch: { as: 'Write', does: 'patch' },
    // Not a Read: a hook that guards reading by that name must not be taken for one that can.
    view_image: { as: 'view_image', does: 'read', keys: { path: 'file_path' } },
    spawn_agent: TASK,
    collaborationspawn_agent: TASK,
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
  const { opinion, input, output, context, userMessage } = outcome
  // The person has stopped the turn: nothing sends the agent on.
  if (moment === 'interrupt') return null
  if (moment === 'start' && opinion === 'deny') return { continue: false, stopReason: userMessage }
  if (moment === 'tool' && opinion !== 'deny') {
    if (input === null) return null
    return { hookSpecificOutput: { hookEventName: name, permissionDecision: 'allow', updatedInput: input } }
  }
  // A block after the call puts its reason in the place of the result.
  if (moment === 'result' && output) {
    const more = context === null ? null : { hookEventName: name, additionalContext: context }
    return compact({ decision: 'block', reason: wordsOf(output), hookSpecificOutput: more })
  }
  if (moment === 'end') return compact({ systemMessage: userMessage })
  return asClaude(occurrence, outcome)
}

/** What a model reads of a result. */
export function wordsOf(output: Json): string {
  const content = contentOf(output)
  const words = (Array.isArray(content) ? content : []).map(item => textOf(item?.text))
  const text = words.every(word => word !== undefined) ? words.join('\n') : JSON.stringify(output)
  // Without a word the old result would be shown.
  return text.trim() === '' ? '(no output)' : text
}

export const withContext = (text: string, context: string | null): string =>
  context === null ? text : `${text}\n\n${context}`

/** A longer time is cut to this, with a warning whenever Codex starts. */
const HURRY_SECONDS = 3
const HURRIED = ['SessionEnd', 'Interrupt']
const WITH_CONTEXT = ['SessionStart', 'PostToolUse']

export const codex: Bridge = {
  name: 'codex',
  title: 'Codex',
  version: '0.166',
  evidence: 'observed',
  names,
  asks: false,
  onlyTheseTools: true,
  plainMcpNames: true,
  toEvents: (moment, payload) => readOccurrence(reader, moment, payload),
  fromVerdict,
  config: {
    files: { user: '.codex/hooks.json', project: '.codex/hooks.json' },
    folderVariable: 'CODEX_HOME',
    onlyKeys: ['description', 'hooks'],
    entry: (command, timeout, event) => ({
      hooks: [
        {
          type: 'command',
          command,
          timeout: HURRIED.includes(event) ? HURRY_SECONDS : timeout,
          // Context would be cut in the middle otherwise.
          ...(WITH_CONTEXT.includes(event) ? { additionalContextLimit: 0 } : {}),
        },
      ],
    }),
    empty: {},
    startsInProject: true,
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    afterwards:
      'Codex skips hooks without a word until they are trusted, and those of a project until its folder is: start codex, say yes to the folder, and review them with /hooks. Then holdfast doctor tells whether it runs them.',
  },
  losses: [
    {
      what: 'beforeReadFile',
      lost: 'Codex reads files with shell commands; only images have a tool.',
      instead: 'The event comes for images alone. Guard the commands with beforeShellExecution.',
      unenforced: true,
    },
    {
      what: 'beforeShellExecution',
      lost: 'What is typed into a command that still runs is not told.',
      instead: 'It is typed without hooks. Deny what waits for more, such as sh or python alone.',
    },
    {
      what: 'beforeMCPExecution',
      lost: 'In the names of servers and tools, every mark but letters, digits and _ is told as _.',
      instead: 'get-sum is get_sum. A matcher that knows only the first is refused when it is installed.',
    },
    {
      what: 'beforeSubmitPrompt',
      lost: 'Some models have the task of a subagent told as a prompt.',
      instead: 'The event comes for it, too, in the conversation of the subagent.',
    },
    {
      what: 'subagentStart',
      lost: 'The type of a subagent is seldom told; its task may be a list of items, or encrypted by the provider.',
      instead: 'subagent_type is generalPurpose; task is empty, or as it was told.',
    },
    {
      what: 'preToolUse',
      lost: 'A patch has no file_path and no content; web search happens at the provider.',
      instead: 'tool_input.command is the patch as the model wrote it. Web search runs without hooks.',
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
      instead: 'It is sent with allow; what Codex itself asks the person about, it still asks.',
    },
    {
      what: 'updated_mcp_tool_output',
      lost: 'The new result takes the place of the old one as the reason of a block.',
      instead:
        'Over some 10,000 characters it is cut in the middle; to a model that calls tools from a script it is an error of the call. The old result is not shown. That of a call that failed cannot be replaced.',
    },
    {
      what: 'postToolUseFailure',
      lost: 'Patches and MCP calls that fail are not told; commands that fail are told as results.',
      instead:
        'The event comes only for calls that hooks denied; a failed command comes as postToolUse, without its exit code.',
    },
    {
      what: 'afterFileEdit',
      lost: 'A patch inside a shell command is told before it runs, as a command, and not afterwards.',
      instead: 'Neither afterFileEdit nor afterShellExecution nor postToolUse come for it.',
    },
    {
      what: 'afterShellExecution',
      lost: 'Of a command that the model waited for in several steps, only the end is told.',
      instead: 'output is its last part.',
    },
    {
      what: 'sessionStart continue: false',
      lost: 'Codex ends the turn and takes the next prompt.',
      instead: 'Every further prompt and every tool call of that session is denied.',
    },
    {
      what: 'sessionEnd',
      lost: 'Codex waits 3 seconds for it, and as long when a person interrupts a turn.',
      instead: 'Hooks that take longer are cut off.',
    },
    {
      what: 'stop',
      lost: 'A turn that ends with an error is not told.',
      instead: 'The event does not come for it.',
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
