// THE TABLE. Every fact about an event is in its row: what hooks read, what they may say, what the matcher is
// held against, whether it can stop the action and what a failure means. Types, JSON Schemas, reference pages
// and samples are derived from here. Adding an event is adding a row.

import type * as v from 'valibot'
import { ANSWER_FIELDS, type AnswerField, type AnswerFieldName, PERMISSION_WITHOUT_ASK } from './answer.js'
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
import type { Version } from './versions.js'

/** What a matcher is held against: a field, a word of the event's own, or nothing at all. */
export type Subject =
  | {
      readonly field: string
      readonly otherwise?: string
      readonly doc: string
      /** What it often is: a tool can say which of these a pattern takes. */
      readonly examples: readonly string[]
    }
  | { readonly word: string; readonly doc: string }
  | { readonly none: true; readonly doc: string }

export interface EventRow {
  readonly category: 'agent' | 'tab' | 'app'
  readonly since: Version
  readonly summary: string
  /** How hooks stop the action: with `permission`, with `continue`, or not at all. */
  readonly gate: 'permission' | 'continue' | 'none'
  /** What `ask` does: it asks, counts as deny, is not a valid word here, or means nothing. */
  readonly ask: 'asks' | 'denies' | 'invalid' | 'none'
  /** What a failed hook does when its entry has no failClosed. */
  readonly failure: 'open' | 'closed' | 'recorded'
  readonly subject: Subject
  /** The host's facts. Fields without a default must be given. */
  readonly payload: Readonly<Record<string, v.GenericSchema>>
  /** Whether the payload belongs to a conversation and carries its ids. */
  readonly conversation: boolean
  readonly answer: Readonly<Partial<Record<AnswerFieldName, AnswerField>>>
  readonly sample: Readonly<Record<string, unknown>>
  /** The part of the host's own state that this event moves. */
  readonly loop?: 'counts' | 'resets'
  /** A follow-up is taken only when this field has this value. */
  readonly followupWhen?: { readonly field: string; readonly is: string }
  /** Fields whose content is private: the log can leave them out by kind. */
  readonly sensitive?: Readonly<Record<string, 'contents' | 'prompts' | 'outputs'>>
  /** Other spellings of payload fields that are accepted from hosts and recordings. */
  readonly accepts?: Readonly<Record<string, string>>
  /** Texts of a block, word for word where the original gives them; {field} stands for a fact. */
  readonly blocked?: {
    readonly user?: string
    readonly agent?: string
    /** Said instead of `user` when a failed hook is the reason. */
    readonly failedClosed?: string
    readonly code?: string
    /** A line that always ends what the model reads. */
    readonly agentNote?: string
  }
  /** The tool call that a denial of this event ends: its name, and the facts that were its input. */
  readonly denies?: { readonly tool: string; readonly input: readonly string[] }
  /** Its place in what is told of a conversation afterwards. */
  readonly trace?: Trace
  /** Other rules that a reader of the reference needs. */
  readonly notes?: readonly string[]
}

/** Some work begins or ends with an event, or is over in it. */
export interface Trace {
  readonly kind: 'session' | 'prompt' | 'tool' | 'shell' | 'mcp' | 'read' | 'edit' | 'subagent' | 'event'
  readonly part: 'begins' | 'ends' | 'whole'
  /** Fields by which an end finds its beginning: all that both have must be the same. */
  readonly by?: readonly string[]
  /** The field that says how long it took, in milliseconds. */
  readonly took?: string
}

const { permission, user_message, agent_message, additional_context } = ANSWER_FIELDS
const { followup_message, updated_input, updated_mcp_tool_output, env, pluginPaths } = ANSWER_FIELDS
const continueField = ANSWER_FIELDS.continue

const gateAnswer = { permission, continue: continueField, user_message, agent_message }
const readAnswer = {
  permission: PERMISSION_WITHOUT_ASK,
  continue: continueField,
  user_message,
  agent_message,
}

const tool = {
  tool_name: text('The tool: Shell, Read, Write, Delete, Grep, LS, Task, WebFetch, MCP:<tool> …'),
  tool_input: or(object('What the tool is called with.'), {}),
  tool_use_id: or(text('Identifies this call.'), ''),
  cwd: or(text('Folder of the call; may be empty.'), ''),
}

const toolSubject = {
  field: 'tool_name',
  doc: 'the tool name, such as `Shell` or `MCP:query`',
  examples: ['Shell', 'Read', 'Write', 'Delete', 'Grep', 'LS', 'Task', 'WebFetch', 'MCP:query'],
}
const mcpSubject = {
  field: 'tool_name',
  doc: 'the name of the MCP tool',
  examples: ['query', 'execute_sql', 'search', 'read_file', 'write_file', 'create_issue', 'send_message'],
}
const subagentSubject = {
  field: 'subagent_type',
  doc: 'the type of the subagent, such as `explore`',
  examples: ['explore', 'generalPurpose', 'shell'],
}
const commandSubject = {
  field: 'command',
  doc: 'the full command text',
  examples: [
    'ls -la',
    'git status',
    'git commit -m "Fix"',
    'git push origin main',
    'git push --force origin main',
    'git reset --hard',
    'gh pr create',
    'npm test',
    'npm install left-pad',
    'rm -rf build',
    'sudo ls',
    'curl https://example.com',
    'wget https://example.com',
    'docker run alpine',
    'kubectl apply -f app.yaml',
    'terraform apply',
    'python3 app.py',
    'psql -c "drop table users"',
  ],
}
const pathSubject = {
  field: 'file_path',
  doc: 'the file path',
  examples: [
    'src/a.ts',
    'src/a.js',
    'a.py',
    'a.go',
    'a.rs',
    'README.md',
    'package.json',
    'a.yaml',
    'a.sh',
    '.env',
  ],
}
const END_REASONS = ['completed', 'aborted', 'error', 'window_close', 'user_close'] as const
const TRIGGERS = ['auto', 'manual'] as const
const word = (name: string): Subject => ({ word: name, doc: `the constant \`${name}\`` })

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
      is_background_agent: or(flag('Whether nobody sits in front of it.'), false),
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
    category: 'agent',
    since: '2.4',
    summary: 'A conversation ends. Answers are recorded and not used.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: { field: 'reason', doc: 'the reason, such as `completed`', examples: END_REASONS },
    payload: {
      reason: or(oneOf(END_REASONS, 'Why it ended.'), 'completed'),
      duration_ms: or(number('How long it lasted, in milliseconds.'), 0),
      is_background_agent: or(flag('Whether nobody sat in front of it.'), false),
      final_status: or(text('Last status of the conversation.'), 'none'),
      error_message: maybe(text('What went wrong, when the reason is error.')),
    },
    trace: { kind: 'session', part: 'ends', took: 'duration_ms' },
    conversation: true,
    answer: {},
    sample: { reason: 'completed', duration_ms: 45000, is_background_agent: false, final_status: 'none' },
  },
  preToolUse: {
    category: 'agent',
    since: '2.4',
    summary: 'Any tool is about to be called. Hooks may stop the call, ask, or change its input.',
    gate: 'permission',
    ask: 'asks',
    failure: 'open',
    subject: toolSubject,
    payload: { ...tool, agent_message: maybe(text('What the model said before the call.')) },
    blocked: { agent: 'Error', agentNote: 'Agent note: Do not suggest workarounds to the blocked tool.' },
    denies: { tool: '{tool_name}', input: ['tool_input'] },
    trace: { kind: 'tool', part: 'begins', by: ['tool_use_id', 'tool_name'] },
    conversation: true,
    answer: { ...gateAnswer, updated_input },
    sample: { ...shellSample, agent_message: 'Running the tests.' },
    sensitive: { tool_input: 'contents', agent_message: 'prompts' },
    notes: ['The specific `before…` event of the same call follows and sees the updated input.'],
  },
  postToolUse: {
    category: 'agent',
    since: '2.4',
    summary: 'A tool call succeeded. Hooks may add context, and replace the output of MCP tools.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: toolSubject,
    payload: {
      ...tool,
      tool_output: or(text('The result as a JSON string.'), ''),
      duration: or(number('How long it took, in milliseconds.'), 0),
    },
    trace: { kind: 'tool', part: 'ends', by: ['tool_use_id', 'tool_name'], took: 'duration' },
    conversation: true,
    answer: { additional_context, updated_mcp_tool_output },
    sample: { ...shellSample, tool_output: '{"output":"ok","exitCode":0}', duration: 5432 },
    sensitive: { tool_input: 'contents', tool_output: 'outputs' },
  },
  postToolUseFailure: {
    category: 'agent',
    since: '2.4',
    summary: 'A tool call failed, timed out or was denied.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: toolSubject,
    payload: {
      ...tool,
      error_message: or(text('What went wrong.'), ''),
      failure_type: or(oneOf(['error', 'timeout', 'permission_denied'], 'Which kind of failure.'), 'error'),
      duration: or(number('How long it took, in milliseconds.'), 0),
      is_interrupt: or(flag('Whether the person interrupted.'), false),
    },
    trace: { kind: 'tool', part: 'ends', by: ['tool_use_id', 'tool_name'], took: 'duration' },
    conversation: true,
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
  subagentStart: {
    category: 'agent',
    since: '2.4',
    summary: 'A subagent is about to start. Hooks may stop it.',
    gate: 'permission',
    ask: 'denies',
    failure: 'open',
    subject: subagentSubject,
    payload: {
      subagent_id: or(text('Identifies the subagent; the same as tool_call_id.'), ''),
      subagent_type: text('generalPurpose, explore, shell, or a name of your own.'),
      task: or(text('What it shall do.'), ''),
      parent_conversation_id: or(text('The conversation that starts it.'), ''),
      tool_call_id: or(text('The Task call that starts it.'), ''),
      subagent_model: or(text('Its model.'), ''),
      is_parallel_worker: or(flag('Whether it works beside others.'), false),
      git_branch: maybe(text('The branch it works on.')),
    },
    blocked: { user: 'The subagent was blocked by a hook', agent: 'The subagent was rejected by a hook' },
    denies: { tool: 'Task', input: ['subagent_type', 'task'] },
    trace: { kind: 'subagent', part: 'begins', by: ['subagent_type', 'task'] },
    conversation: true,
    answer: gateAnswer,
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
    category: 'agent',
    since: '2.4',
    summary: 'A subagent ended. Hooks may continue it with a message.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: subagentSubject,
    payload: {
      subagent_type: text('generalPurpose, explore, shell, or a name of your own.'),
      status: or(oneOf(['completed', 'error', 'aborted'], 'How it ended.'), 'completed'),
      task: or(text('What it was asked to do.'), ''),
      description: or(text('The short form of the task.'), ''),
      summary: or(text('What it reports.'), ''),
      duration_ms: or(number('How long it took, in milliseconds.'), 0),
      message_count: or(number('Messages exchanged.'), 0),
      tool_call_count: or(number('Tools called.'), 0),
      loop_count: or(number('Automatic follow-ups so far.'), 0),
      modified_files: or(strings('Files it changed.'), []),
      agent_transcript_path: or(nullable(text('File with its own conversation.')), null),
      error_message: maybe(text('What went wrong.')),
    },
    trace: { kind: 'subagent', part: 'ends', by: ['subagent_type', 'task'], took: 'duration_ms' },
    conversation: true,
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
    category: 'agent',
    since: '1.7',
    summary: 'A shell command is about to run. Hooks may stop it or ask.',
    gate: 'permission',
    ask: 'asks',
    failure: 'open',
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
    conversation: true,
    answer: gateAnswer,
    sample: { command: 'git push --force origin main', cwd: '/project', sandbox: false },
  },
  afterShellExecution: {
    category: 'agent',
    since: '2.0',
    summary: 'A shell command ran.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: commandSubject,
    payload: {
      command: text('The full command.'),
      output: or(text('What it printed.'), ''),
      duration: or(number('How long it ran, in milliseconds, without waiting for approval.'), 0),
      sandbox: or(flag('Whether it ran in a sandbox.'), false),
      cwd: maybe(text('Folder it ran in.')),
      exit_code: maybe(number('Its exit code, where the host knows it.')),
    },
    trace: { kind: 'shell', part: 'ends', by: ['command'], took: 'duration' },
    conversation: true,
    answer: {},
    sample: { command: 'npm test', output: 'ok', duration: 1234, sandbox: false },
    sensitive: { output: 'outputs' },
    accepts: { exitCode: 'exit_code' },
  },
  beforeMCPExecution: {
    category: 'agent',
    since: '1.7',
    summary: 'An MCP tool is about to be called. Hooks may stop the call or ask.',
    gate: 'permission',
    ask: 'asks',
    failure: 'closed',
    subject: mcpSubject,
    payload: {
      tool_name: text('The tool, without the server.'),
      tool_input: or(text('Its arguments as a JSON string.'), '{}'),
      mcp_server_name: maybe(text('The key of the server in mcp.json.')),
      mcp_server_url: maybe(text('Address of an HTTP server.')),
      url: maybe(text('The same as mcp_server_url.')),
      command: maybe(text('How a stdio server is started.')),
    },
    blocked: {
      user: 'Command execution was blocked by a hook',
      agent: 'The MCP tool call was rejected by a hook',
    },
    denies: { tool: 'MCP:{tool_name}', input: ['tool_input'] },
    trace: { kind: 'mcp', part: 'begins', by: ['tool_name', 'mcp_server_name'] },
    conversation: true,
    answer: gateAnswer,
    sample: {
      tool_name: 'query',
      tool_input: '{"sql":"select 1"}',
      mcp_server_name: 'db',
      command: 'npx db-server',
    },
    sensitive: { tool_input: 'contents' },
    accepts: { server: 'mcp_server_name', server_name: 'mcp_server_name' },
    notes: ['A hook that fails blocks the call, unless its entry says `failClosed: false`.'],
  },
  afterMCPExecution: {
    category: 'agent',
    since: '2.0',
    summary: 'An MCP tool was called.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: mcpSubject,
    payload: {
      tool_name: text('The tool, without the server.'),
      tool_input: or(text('Its arguments as a JSON string.'), '{}'),
      mcp_server_name: maybe(text('The key of the server in mcp.json.')),
      mcp_server_url: maybe(text('Address of an HTTP server.')),
      result_json: or(text('The result as a JSON string.'), '{}'),
      duration: or(number('How long it took, in milliseconds.'), 0),
    },
    trace: { kind: 'mcp', part: 'ends', by: ['tool_name', 'mcp_server_name'], took: 'duration' },
    conversation: true,
    answer: {},
    sample: {
      tool_name: 'query',
      tool_input: '{"sql":"select 1"}',
      mcp_server_name: 'db',
      result_json: '{"content":[{"type":"text","text":"1"}]}',
      duration: 250,
    },
    sensitive: { tool_input: 'contents', result_json: 'outputs' },
    accepts: { server: 'mcp_server_name', server_name: 'mcp_server_name' },
  },
  beforeReadFile: {
    category: 'agent',
    since: '1.7',
    summary: 'A file is about to reach the model. Hooks may stop it.',
    gate: 'permission',
    ask: 'invalid',
    failure: 'closed',
    subject: {
      field: 'tool_name',
      otherwise: 'Read',
      doc: 'the tool that reads: `Read`, or `TabRead` from inline completion',
      examples: ['Read', 'TabRead'],
    },
    payload: {
      file_path: text('Absolute path.'),
      content: or(text('The whole content.'), ''),
      attachments,
      tool_name: maybe(text('The tool that reads, when it is not Read.')),
    },
    blocked: {
      user: 'File reading was blocked by a hook',
      agent:
        'File reading was blocked by a security hook: {file_path}. Do not attempt to work around this restriction using alternative methods or commands.',
    },
    denies: { tool: 'Read', input: ['file_path'] },
    trace: { kind: 'read', part: 'whole' },
    conversation: true,
    answer: readAnswer,
    sample: { file_path: '/project/.env', content: 'KEY=value\n', attachments: [] },
    sensitive: { content: 'contents' },
    accepts: { path: 'file_path', filePath: 'file_path' },
    notes: ['A hook that fails blocks the read, unless its entry says `failClosed: false`.'],
  },
  afterFileEdit: {
    category: 'agent',
    since: '1.7',
    summary: 'The agent changed a file.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: {
      field: 'tool_name',
      otherwise: 'Write',
      doc: 'the tool that wrote: `Write`, or `TabWrite` from inline completion',
      examples: ['Write', 'TabWrite'],
    },
    payload: {
      file_path: text('Absolute path.'),
      edits,
      tool_name: maybe(text('The tool that wrote, when it is not Write.')),
    },
    trace: { kind: 'edit', part: 'whole' },
    conversation: true,
    answer: {},
    sample: { file_path: '/project/src/a.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
    sensitive: { edits: 'contents' },
    accepts: { path: 'file_path', filePath: 'file_path' },
  },
  beforeSubmitPrompt: {
    category: 'agent',
    since: '1.7',
    summary: 'The person sends a message. Hooks may keep it from being sent.',
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
    answer: { continue: continueField, user_message },
    sample: { prompt: 'deploy to production', attachments: [] },
    loop: 'resets',
    sensitive: { prompt: 'prompts' },
    accepts: { prompt_text: 'prompt' },
    notes: ['A blocked prompt is gone: it never joins the next message.'],
  },
  afterAgentResponse: {
    category: 'agent',
    since: '2.0',
    summary: 'The model finished a message.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: word('AgentResponse'),
    payload: {
      text: text('The message.'),
      input_tokens: maybe(number('Tokens read, cache included.')),
      output_tokens: maybe(number('Tokens written.')),
      cache_read_tokens: maybe(number('Tokens read from the cache.')),
      cache_write_tokens: maybe(number('Tokens written to the cache.')),
    },
    trace: { kind: 'event', part: 'whole' },
    conversation: true,
    answer: {},
    sample: { text: 'The tests pass now.' },
    sensitive: { text: 'prompts' },
  },
  afterAgentThought: {
    category: 'agent',
    since: '2.0',
    summary: 'The model finished a block of reasoning.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: word('AgentThought'),
    payload: {
      text: text('The reasoning.'),
      duration_ms: maybe(number('How long it took, in milliseconds.')),
    },
    trace: { kind: 'event', part: 'whole', took: 'duration_ms' },
    conversation: true,
    answer: {},
    sample: { text: 'The failing test names the file.', duration_ms: 1500 },
    sensitive: { text: 'prompts' },
  },
  preCompact: {
    category: 'agent',
    since: '2.4',
    summary: 'The conversation is about to be compacted.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: { field: 'trigger', doc: 'the trigger: `auto` or `manual`', examples: TRIGGERS },
    payload: {
      trigger: or(oneOf(TRIGGERS, 'Who asked for it.'), 'auto'),
      context_usage_percent: or(number('How full the context is, 0 to 100.'), 0),
      context_tokens: or(number('Tokens in the context.'), 0),
      context_window_size: or(number('Tokens that fit.'), 0),
      message_count: or(number('Messages in the conversation.'), 0),
      messages_to_compact: or(number('Messages that will be summarised.'), 0),
      is_first_compaction: or(flag('Whether it is the first of this conversation.'), true),
    },
    trace: { kind: 'event', part: 'whole' },
    conversation: true,
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
    category: 'agent',
    since: '1.7',
    summary: 'The agent finished its turn. Hooks may continue it with a message.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: word('Stop'),
    payload: {
      status: or(oneOf(['completed', 'aborted', 'error'], 'How the turn ended.'), 'completed'),
      loop_count: or(number('Automatic follow-ups since the last message of the person.'), 0),
      input_tokens: maybe(number('Tokens read, cache included.')),
      output_tokens: maybe(number('Tokens written.')),
      cache_read_tokens: maybe(number('Tokens read from the cache.')),
      cache_write_tokens: maybe(number('Tokens written to the cache.')),
    },
    trace: { kind: 'prompt', part: 'ends' },
    conversation: true,
    answer: { followup_message },
    sample: { status: 'completed', loop_count: 0 },
    loop: 'counts',
    notes: [
      '`permission: "deny"` and exit code 2 have no effect here: hooks can only continue with a message.',
    ],
  },
  beforeTabFileRead: {
    category: 'tab',
    since: '2.0',
    summary: 'Inline completion is about to read a file. Hooks may stop it.',
    gate: 'permission',
    ask: 'invalid',
    failure: 'open',
    subject: pathSubject,
    payload: {
      file_path: text('Absolute path.'),
      content: or(text('The whole content.'), ''),
    },
    blocked: {
      user: 'File reading was blocked by a hook',
      agent:
        'File reading was blocked by a security hook: {file_path}. Do not attempt to work around this restriction using alternative methods or commands.',
    },
    trace: { kind: 'read', part: 'whole' },
    conversation: true,
    answer: readAnswer,
    sample: { file_path: '/project/.env', content: 'KEY=value\n' },
    sensitive: { content: 'contents' },
    accepts: { path: 'file_path', filePath: 'file_path' },
  },
  afterTabFileEdit: {
    category: 'tab',
    since: '2.0',
    summary: 'Inline completion changed a file.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
    subject: pathSubject,
    payload: { file_path: text('Absolute path.'), edits: tabEdits },
    trace: { kind: 'edit', part: 'whole' },
    conversation: true,
    answer: {},
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
    accepts: { path: 'file_path', filePath: 'file_path' },
  },
  workspaceOpen: {
    category: 'app',
    since: '3',
    summary: 'A workspace was opened or its folders changed. Hooks may name further plugins.',
    gate: 'none',
    ask: 'none',
    failure: 'recorded',
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

/** The event that tells of a denied tool call. */
export const DENIAL_EVENT = 'postToolUseFailure' satisfies EventName

/** The rows as one shape, each with its name, in the order of the table. */
export const EVENT_SPECS: readonly EventSpec[] = Object.freeze(
  Object.entries(EVENTS).map(([name, row]) => Object.freeze({ ...row, name: name as EventName })),
)

export const EVENT_NAMES: readonly EventName[] = Object.freeze(EVENT_SPECS.map(spec => spec.name))

const byName: ReadonlyMap<string, EventSpec> = new Map(EVENT_SPECS.map(spec => [spec.name, spec]))

export const findEvent = (name: string): EventSpec | undefined => byName.get(name)
