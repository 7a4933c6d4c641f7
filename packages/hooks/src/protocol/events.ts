// The event table. Every fact about an event is in its row: the payload, the response, the subject of the matcher, whether
// hooks can stop the action, and what a failure means. Types, JSON Schemas, reference pages and samples are derived from
// it. Adding an event is adding a row.

import {
  commandSubject,
  type EventRow,
  mcpSubject,
  pathSubject,
  subagentSubject,
  toolSubject,
  word,
} from './event-row.js'
import {
  attachments,
  edits,
  flag,
  maybe,
  nullable,
  number,
  object,
  oneOf,
  or,
  strings,
  tabEdits,
  text,
} from './fields.js'
import { PERMISSION_WITHOUT_ASK, RESPONSE_FIELDS } from './response-fields.js'

const { permission, user_message, agent_message, additional_context } = RESPONSE_FIELDS
const { followup_message, updated_input, updated_prompt, updated_mcp_tool_output } = RESPONSE_FIELDS
const { env, pluginPaths } = RESPONSE_FIELDS
const continueField = RESPONSE_FIELDS.continue

const gateAnswer = { permission, continue: continueField, user_message, agent_message }

const tool = {
  tool_name: text('The tool: Shell, Read, Write, Delete, Grep, LS, Task, WebFetch, MCP:<tool> …'),
  tool_input: or(object('What the tool is called with.'), {}),
  tool_use_id: or(text('Identifies this call.'), ''),
  cwd: or(text('Folder of the call; may be empty.'), ''),
}

const END_REASONS = ['completed', 'aborted', 'error', 'window_close', 'user_close'] as const
const TRIGGERS = ['auto', 'manual'] as const

/** Paths, in all spellings. */
const file = {
  payload: { file_path: text('Absolute path.') },
  accepts: { path: 'file_path', filePath: 'file_path' },
}
const readFile = {
  payload: { ...file.payload, content: or(text('The complete content.'), '') },
  accepts: file.accepts,
  blocked: {
    user: 'File reading was blocked by a hook',
    agent:
      'File reading was blocked by a security hook: {file_path}. Do not attempt to work around this restriction using alternative methods or commands.',
  },
  trace: { kind: 'read', part: 'whole' },
  answer: { ...gateAnswer, permission: PERMISSION_WITHOUT_ASK },
  ask: 'invalid',
  sample: { file_path: '/project/.env', content: 'KEY=value\n' },
  sensitive: { content: 'contents' },
} as const

const mcp = {
  payload: {
    tool_name: text('The tool, without the server.'),
    tool_input: or(text('Its arguments as a JSON string.'), '{}'),
    mcp_server_name: maybe(text('The key of the server in mcp.json.')),
    mcp_server_url: maybe(text('Address of an HTTP server.')),
  },
  accepts: { server: 'mcp_server_name', server_name: 'mcp_server_name' },
  sample: { tool_name: 'query', tool_input: '{"sql":"select 1"}', mcp_server_name: 'db' },
  by: ['tool_name', 'mcp_server_name'],
} as const

const tokens = {
  input_tokens: maybe(number('Tokens read, cache included.')),
  output_tokens: maybe(number('Tokens written.')),
  cache_read_tokens: maybe(number('Tokens read from the cache.')),
  cache_write_tokens: maybe(number('Tokens written to the cache.')),
}
const tookMs = or(number('How long it took, in milliseconds.'), 0)

/** An event after the fact: hooks cannot stop anything. */
const observed = {
  category: 'agent',
  gate: 'none',
  ask: 'none',
  failure: 'recorded',
  conversation: true,
  answer: {},
} as const
/** An action that hooks may stop, or have the user asked about. */
const guarded = {
  category: 'agent',
  gate: 'permission',
  ask: 'asks',
  failure: 'open',
  conversation: true,
  answer: gateAnswer,
} as const

const toolEnds = { kind: 'tool', part: 'ends', by: ['tool_use_id', 'tool_name'], took: 'duration' } as const

const shellSample = {
  tool_name: 'Shell',
  tool_input: { command: 'npm test' },
  tool_use_id: 'call_1',
  cwd: '/project',
}

export const EVENTS = {
  sessionStart: {
    category: 'agent',
    since: '2.4',
    summary: 'A conversation is created. Hooks may add context and set variables for later hooks.',
    gate: 'continue',
    ask: 'none',
    failure: 'open',
    subject: {
      field: 'composer_mode',
      doc: 'the composer mode, such as `agent`',
      examples: ['agent', 'ask', 'edit'],
    },
    payload: {
      is_background_agent: or(flag('Whether it runs without a user.'), false),
      composer_mode: maybe(text('agent, ask or edit.')),
    },
    blocked: { user: 'The session was blocked by a hook' },
    trace: { kind: 'session', part: 'begins' },
    conversation: true,
    answer: { continue: continueField, user_message, additional_context, env },
    sample: { is_background_agent: false, composer_mode: 'agent' },
    notes: [
      '`continue: false` keeps the session from starting. Newer editors accept the field and do not enforce it.',
    ],
  },
  sessionEnd: {
    ...observed,
    since: '2.4',
    summary: 'A conversation ends. Responses are recorded and not used.',
    subject: { field: 'reason', doc: 'the reason, such as `completed`', examples: END_REASONS },
    payload: {
      reason: or(oneOf(END_REASONS, 'Why it ended.'), 'completed'),
      duration_ms: or(number('How long it lasted, in milliseconds.'), 0),
      is_background_agent: or(flag('Whether it ran without a user.'), false),
      final_status: or(text('Last status of the conversation.'), 'none'),
      error_message: maybe(text('What went wrong, when the reason is error.')),
    },
    trace: { kind: 'session', part: 'ends', took: 'duration_ms' },
    sample: { reason: 'completed', duration_ms: 45000, is_background_agent: false, final_status: 'none' },
  },
  preToolUse: {
    ...guarded,
    since: '2.4',
    summary: 'Any tool is about to be called. Hooks may stop the call, ask, or change its input.',
    subject: toolSubject,
    payload: { ...tool, agent_message: maybe(text('The text of the model before the call.')) },
    blocked: { agent: 'Error', agentNote: 'Agent note: Do not suggest workarounds to the blocked tool.' },
    denies: { tool: '{tool_name}', input: ['tool_input'] },
    trace: { kind: 'tool', part: 'begins', by: ['tool_use_id', 'tool_name'] },
    answer: { ...gateAnswer, updated_input },
    sample: { ...shellSample, agent_message: 'Running the tests.' },
    sensitive: { tool_input: 'contents', agent_message: 'prompts' },
    notes: ['The specific `before…` event of the same call follows and sees the updated input.'],
  },
  postToolUse: {
    ...observed,
    since: '2.4',
    summary: 'A tool call succeeded. Hooks may add context, and replace the output of MCP tools.',
    subject: toolSubject,
    payload: {
      ...tool,
      tool_output: or(text('The result as a JSON string.'), ''),
      duration: tookMs,
    },
    trace: toolEnds,
    answer: { additional_context, updated_mcp_tool_output },
    sample: { ...shellSample, tool_output: '{"output":"ok","exitCode":0}', duration: 5432 },
    sensitive: { tool_input: 'contents', tool_output: 'outputs' },
    readingTool: 'Read',
  },
  postToolUseFailure: {
    ...observed,
    since: '2.4',
    summary: 'A tool call failed, timed out or was denied.',
    subject: toolSubject,
    payload: {
      ...tool,
      error_message: or(text('What went wrong.'), ''),
      failure_type: or(oneOf(['error', 'timeout', 'permission_denied'], 'Which kind of failure.'), 'error'),
      duration: tookMs,
      is_interrupt: or(flag('Whether the user interrupted it.'), false),
    },
    trace: toolEnds,
    answer: { additional_context },
    sample: {
      ...shellSample,
      error_message: 'timed out',
      failure_type: 'timeout',
      duration: 5000,
      is_interrupt: false,
    },
    sensitive: { tool_input: 'contents', error_message: 'outputs' },
  },
  permissionRequest: {
    ...guarded,
    since: '3',
    isOurs: true,
    summary: 'A call waits for the approval of the user. Hooks may refuse it, or notify somebody.',
    ask: 'none',
    subject: toolSubject,
    payload: { ...tool, message: maybe(text('Why the user is asked.')) },
    blocked: { user: 'The request for approval was refused by a hook' },
    denies: { tool: '{tool_name}', input: ['tool_input'] },
    trace: { kind: 'event', part: 'whole' },
    sample: { ...shellSample, message: 'npm test runs scripts of this repository.' },
    sensitive: { tool_input: 'contents', message: 'prompts' },
    notes: [
      'An allow can answer a question of the host. It never answers for the user when another hook asks.',
      'Runs when a host can ask the user, before it asks. The user waits for its hooks.',
    ],
  },
  subagentStart: {
    ...guarded,
    since: '2.4',
    summary: 'A subagent is about to start. Hooks may stop it.',
    ask: 'denies',
    subject: subagentSubject,
    payload: {
      subagent_id: or(text('Identifies the subagent; the same as tool_call_id.'), ''),
      subagent_type: text('generalPurpose, explore, shell, or a custom name.'),
      task: or(text('Its task.'), ''),
      parent_conversation_id: or(text('The conversation that starts it.'), ''),
      tool_call_id: or(text('The Task call that starts it.'), ''),
      subagent_model: or(text('Its model.'), ''),
      is_parallel_worker: or(flag('Whether it runs in parallel with others.'), false),
      git_branch: maybe(text('The branch it works on.')),
    },
    blocked: { user: 'The subagent was blocked by a hook', agent: 'The subagent was rejected by a hook' },
    denies: { tool: 'Task', input: ['subagent_type', 'task'] },
    trace: { kind: 'subagent', part: 'begins', by: ['subagent_type', 'task'] },
    sample: {
      subagent_id: 'call_1',
      subagent_type: 'explore',
      task: 'Find where requests are signed',
      parent_conversation_id: 'conversation_1',
      tool_call_id: 'call_1',
      subagent_model: 'fast',
      is_parallel_worker: false,
      git_branch: 'main',
    },
    sensitive: { task: 'prompts' },
    accepts: { prompt: 'task' },
  },
  subagentStop: {
    ...observed,
    since: '2.4',
    summary: 'A subagent ended. Hooks may continue it with a message.',
    subject: subagentSubject,
    payload: {
      subagent_type: text('generalPurpose, explore, shell, or a custom name.'),
      status: or(oneOf(['completed', 'error', 'aborted'], 'How it ended.'), 'completed'),
      task: or(text('What it was asked to do.'), ''),
      description: or(text('A short summary of the task.'), ''),
      summary: or(text('What it reports.'), ''),
      duration_ms: tookMs,
      message_count: or(number('Messages exchanged.'), 0),
      tool_call_count: or(number('Tools called.'), 0),
      loop_count: or(number('Automatic follow-ups so far.'), 0),
      modified_files: or(strings('Files it changed.'), []),
      agent_transcript_path: or(nullable(text('File with its own conversation.')), null),
      error_message: maybe(text('What went wrong.')),
    },
    trace: { kind: 'subagent', part: 'ends', by: ['subagent_type', 'task'], took: 'duration_ms' },
    answer: { followup_message },
    sample: {
      subagent_type: 'explore',
      status: 'completed',
      task: 'Find where requests are signed',
      description: 'find signing',
      summary: 'In src/sign.ts',
      duration_ms: 45000,
      message_count: 4,
      tool_call_count: 3,
      loop_count: 0,
      modified_files: [],
      agent_transcript_path: null,
    },
    loop: 'counts',
    followupWhen: { field: 'status', is: 'completed' },
    sensitive: { task: 'prompts', summary: 'outputs' },
    accepts: { result: 'summary', duration: 'duration_ms' },
    notes: ['A follow-up is taken only when `status` is `completed`.'],
  },
  beforeShellExecution: {
    ...guarded,
    since: '1.7',
    summary: 'A shell command is about to run. Hooks may stop it or ask.',
    subject: commandSubject,
    payload: {
      command: text('The full command.'),
      cwd: or(text('Folder it runs in; may be empty.'), ''),
      sandbox: or(flag('Whether it runs in a sandbox.'), false),
    },
    blocked: {
      user: 'Command execution was blocked by a hook',
      agent: 'The terminal command was rejected by a hook',
      failedClosed: 'Cursor blocked the terminal tool because a hook failed closed.',
    },
    denies: { tool: 'Shell', input: ['command', 'cwd'] },
    trace: { kind: 'shell', part: 'begins', by: ['command'] },
    sample: { command: 'git push --force origin main', cwd: '/project', sandbox: false },
  },
  afterShellExecution: {
    ...observed,
    since: '2.0',
    summary: 'A shell command ran.',
    subject: commandSubject,
    payload: {
      command: text('The full command.'),
      output: or(text('Its output.'), ''),
      duration: or(number('How long it ran, in milliseconds, without waiting for approval.'), 0),
      sandbox: or(flag('Whether it ran in a sandbox.'), false),
      cwd: maybe(text('Folder it ran in.')),
      exit_code: maybe(number('Its exit code, where the host knows it.')),
    },
    trace: { kind: 'shell', part: 'ends', by: ['command'], took: 'duration' },
    sample: { command: 'npm test', output: 'ok', duration: 1234, sandbox: false },
    sensitive: { output: 'outputs' },
    accepts: { exitCode: 'exit_code' },
  },
  beforeMCPExecution: {
    ...guarded,
    since: '1.7',
    summary: 'An MCP tool is about to be called. Hooks may stop the call or ask.',
    failure: 'closed',
    subject: mcpSubject,
    payload: {
      ...mcp.payload,
      url: maybe(text('The same as mcp_server_url.')),
      command: maybe(text('How a stdio server is started.')),
    },
    blocked: {
      user: 'Command execution was blocked by a hook',
      agent: 'The MCP tool call was rejected by a hook',
    },
    denies: { tool: 'MCP:{tool_name}', input: ['tool_input'] },
    trace: { kind: 'mcp', part: 'begins', by: mcp.by },
    sample: { ...mcp.sample, command: 'npx db-server' },
    sensitive: { tool_input: 'contents' },
    accepts: mcp.accepts,
    notes: ['A hook that fails blocks the call, unless its entry has `failClosed: false`.'],
  },
  afterMCPExecution: {
    ...observed,
    since: '2.0',
    summary: 'An MCP tool was called.',
    subject: mcpSubject,
    payload: {
      ...mcp.payload,
      result_json: or(text('The result as a JSON string.'), '{}'),
      duration: tookMs,
    },
    trace: { kind: 'mcp', part: 'ends', by: mcp.by, took: 'duration' },
    sample: { ...mcp.sample, result_json: '{"content":[{"type":"text","text":"1"}]}', duration: 250 },
    sensitive: { tool_input: 'contents', result_json: 'outputs' },
    accepts: mcp.accepts,
  },
  beforeReadFile: {
    ...guarded,
    ...readFile,
    since: '1.7',
    summary: 'A file is about to reach the model. Hooks may stop it.',
    failure: 'closed',
    subject: {
      field: 'tool_name',
      otherwise: 'Read',
      doc: 'the tool that reads: `Read`, or `TabRead` from inline completion',
      examples: ['Read', 'TabRead'],
    },
    payload: {
      ...readFile.payload,
      attachments,
      tool_name: maybe(text('The tool that reads, when it is not Read.')),
    },
    denies: { tool: 'Read', input: ['file_path'] },
    sample: { ...readFile.sample, attachments: [] },
    notes: ['A hook that fails blocks the read, unless its entry has `failClosed: false`.'],
  },
  afterFileEdit: {
    ...observed,
    since: '1.7',
    summary: 'The agent changed a file.',
    subject: {
      field: 'tool_name',
      otherwise: 'Write',
      doc: 'the tool that wrote: `Write`, or `TabWrite` from inline completion',
      examples: ['Write', 'TabWrite'],
    },
    payload: {
      ...file.payload,
      edits,
      tool_name: maybe(text('The tool that wrote, when it is not Write.')),
    },
    trace: { kind: 'edit', part: 'whole' },
    sample: { file_path: '/project/src/a.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
    sensitive: { edits: 'contents' },
    accepts: file.accepts,
  },
  beforeSubmitPrompt: {
    category: 'agent',
    since: '1.7',
    summary: 'The user sends a message. Hooks may keep it from being sent, change it, or add context.',
    gate: 'continue',
    ask: 'none',
    failure: 'open',
    subject: word('UserPromptSubmit'),
    payload: {
      prompt: text('The message.'),
      attachments,
      composer_mode: maybe(text('agent, ask or edit.')),
    },
    blocked: { user: 'Submission blocked by hook', code: 'ERROR_HOOKS_BLOCKED' },
    trace: { kind: 'prompt', part: 'begins' },
    conversation: true,
    answer: { continue: continueField, user_message, updated_prompt, additional_context },
    sample: { prompt: 'deploy to production', attachments: [] },
    loop: 'resets',
    sensitive: { prompt: 'prompts' },
    accepts: { prompt_text: 'prompt' },
    notes: [
      'A blocked prompt is gone: it never joins the next message.',
      'The other hooks judge an `updated_prompt` before it is sent. Cursor ignores it, and `additional_context` here.',
    ],
  },
  afterAgentResponse: {
    ...observed,
    since: '2.0',
    summary: 'The model finished a message.',
    subject: word('AgentResponse'),
    payload: {
      text: text('The message.'),
      ...tokens,
    },
    trace: { kind: 'event', part: 'whole' },
    sample: { text: 'The tests pass now.' },
    sensitive: { text: 'prompts' },
  },
  afterAgentThought: {
    ...observed,
    since: '2.0',
    summary: 'The model finished a block of reasoning.',
    subject: word('AgentThought'),
    payload: {
      text: text('The reasoning.'),
      duration_ms: maybe(number('How long it took, in milliseconds.')),
    },
    trace: { kind: 'event', part: 'whole', took: 'duration_ms' },
    sample: { text: 'The failing test names the file.', duration_ms: 1500 },
    sensitive: { text: 'prompts' },
  },
  preCompact: {
    ...observed,
    since: '2.4',
    summary: 'The conversation is about to be compacted.',
    subject: { field: 'trigger', doc: 'the trigger: `auto` or `manual`', examples: TRIGGERS },
    payload: {
      trigger: or(oneOf(TRIGGERS, 'Whether the agent or the user started it.'), 'auto'),
      context_usage_percent: or(number('How full the context is, in percent.'), 0),
      context_tokens: or(number('Tokens in the context.'), 0),
      context_window_size: or(number('Tokens that fit.'), 0),
      message_count: or(number('Messages in the conversation.'), 0),
      messages_to_compact: or(number('Messages that will be summarised.'), 0),
      is_first_compaction: or(flag('Whether it is the first of this conversation.'), true),
    },
    trace: { kind: 'event', part: 'whole' },
    answer: { user_message },
    sample: {
      trigger: 'auto',
      context_usage_percent: 85,
      context_tokens: 120000,
      context_window_size: 128000,
      message_count: 45,
      messages_to_compact: 30,
      is_first_compaction: true,
    },
  },
  stop: {
    ...observed,
    since: '1.7',
    summary: 'The agent finished its turn. Hooks may continue it with a message.',
    subject: word('Stop'),
    payload: {
      status: or(oneOf(['completed', 'aborted', 'error'], 'How the turn ended.'), 'completed'),
      loop_count: or(number('Automatic follow-ups since the last message of the user.'), 0),
      ...tokens,
    },
    trace: { kind: 'prompt', part: 'ends' },
    answer: { followup_message },
    sample: { status: 'completed', loop_count: 0 },
    loop: 'counts',
    notes: [
      '`permission: "deny"` and exit code 2 have no effect here: hooks can only continue with a message.',
    ],
  },
  beforeTabFileRead: {
    ...guarded,
    ...readFile,
    category: 'tab',
    since: '2.0',
    summary: 'Inline completion is about to read a file. Hooks may stop it.',
    subject: pathSubject,
  },
  afterTabFileEdit: {
    ...observed,
    category: 'tab',
    since: '2.0',
    summary: 'Inline completion changed a file.',
    subject: pathSubject,
    payload: { ...file.payload, edits: tabEdits },
    trace: { kind: 'edit', part: 'whole' },
    sample: {
      file_path: '/project/src/a.ts',
      edits: [
        {
          old_string: 'a',
          new_string: 'b',
          range: { start_line_number: 10, start_column: 5, end_line_number: 10, end_column: 6 },
          old_line: 'let a',
          new_line: 'let b',
        },
      ],
    },
    sensitive: { edits: 'contents' },
    accepts: file.accepts,
  },
  workspaceOpen: {
    ...observed,
    category: 'app',
    since: '3',
    summary: 'A workspace was opened or its folders changed. Hooks may name further plugins.',
    subject: { none: true, doc: 'nothing: the matcher is not used' },
    payload: {},
    conversation: false,
    answer: { pluginPaths },
    sample: {},
  },
} as const satisfies Record<string, EventRow>

export type EventName = keyof typeof EVENTS
export interface EventSpec extends EventRow {
  readonly name: EventName
}

/** The event that follows a denied tool call. */
export const DENIAL_EVENT = 'postToolUseFailure' satisfies EventName

/** The event before the user is asked. */
export const REQUEST_EVENT = 'permissionRequest' satisfies EventName

/** The rows as one shape, each with its name, in the order of the table. */
export const EVENT_SPECS: readonly EventSpec[] = Object.freeze(
  Object.entries(EVENTS).map(([name, row]) => Object.freeze({ ...row, name: name as EventName })),
)

export const EVENT_NAMES: readonly EventName[] = Object.freeze(EVENT_SPECS.map(spec => spec.name))

const byName: ReadonlyMap<string, EventSpec> = new Map(EVENT_SPECS.map(spec => [spec.name, spec]))

export const findEvent = (name: string): EventSpec | undefined => byName.get(name)
