// Every behaviour that differs by version, as one row each. `holdfast` is the documented system with the safer choice
// wherever versions disagree; the others describe the versions that users run.

import { type EventRow, isAtLeast, type Version } from './event-row.js'
import { EVENT_SPECS, type EventName, type EventSpec } from './events.js'
import type { ResponseFieldName } from './response-fields.js'

/** The difference between the payload of one event and the current one. */
export interface PayloadChange {
  readonly rename?: Readonly<Record<string, string>>
  readonly drop?: readonly string[]
  /** Sent although the version has no such common field. */
  readonly keep?: readonly string[]
  /** Milliseconds that this version sends as seconds. */
  readonly seconds?: readonly string[]
  readonly attachmentKey?: 'filePath'
}

/** The difference between the row of one event and the table. */
export interface RowChange {
  readonly gate?: EventRow['gate']
  readonly ask?: EventRow['ask']
  readonly failure?: EventRow['failure']
  /** The fields of a response that are honoured (default: those of the table). */
  readonly honours?: readonly ResponseFieldName[]
  readonly payload?: PayloadChange
}

export interface Profile {
  readonly name: string
  readonly summary: string
  readonly version: Version
  readonly common: readonly string[]
  readonly events: Readonly<Partial<Record<EventName, RowChange>>>
  readonly config: {
    /** Keys of an entry that have an effect. */
    readonly keys: readonly string[]
    readonly pathBase: 'root' | 'file'
    readonly reload: 'watch' | 'watch-writes' | 'restart'
  }
  readonly run: {
    readonly which: 'all' | 'first-only' | 'first-valid'
    readonly concurrent: boolean
    /** per-script: `loop_limit` of each entry; fixed: no hook runs at all from 5 on. */
    readonly loops: 'per-script' | 'fixed'
  }
  readonly answer: {
    readonly messages: 'any' | 'snake' | 'camel'
    /** Whether `decision` and `reason` are read: on all events, on these only, or nowhere. */
    readonly decision: 'any' | 'none' | readonly EventName[]
    readonly exit2: boolean
    readonly silence: 'abstain' | 'failure'
    /** Whether the last of several JSON objects counts, or any text before the response invalidates it. */
    readonly textBefore: 'tolerated' | 'voids'
    /** Whether a well-formed deny applies whatever else happened: exit code, timeout, other output. */
    readonly denyHolds: boolean
  }
  /** open: proceed; policy: deny where the entry or the event is closed; closed: deny always. */
  readonly failure: { readonly crash: 'open' | 'policy'; readonly invalid: 'open' | 'policy' | 'closed' }
  readonly merge: {
    readonly permission: 'strictest' | 'highest-source'
    readonly single: 'highest' | 'last'
    readonly context: 'all' | 'last'
    /** judged: hooks run again on an input that another hook rewrote. taken: the rewritten input runs. */
    readonly rewrites: 'judged' | 'taken'
    /** A known bug: `continue: false` is lost if another hook of the event prints nothing. */
    readonly silenceLosesContinue: boolean
  }
}

const OLD_COMMON = ['hook_event_name', 'conversation_id', 'generation_id', 'workspace_roots']
const COMMON_2_3 = [...OLD_COMMON, 'model', 'cursor_version', 'user_email']
const COMMON_2_4 = [...COMMON_2_3, 'transcript_path']
const COMMON_3 = [...COMMON_2_4, 'session_id', 'model_id', 'model_params']

const OLD_KEYS = ['command']
const KEYS_2_4 = ['command', 'type', 'prompt', 'model', 'timeout', 'loop_limit', 'matcher']
const KEYS_3 = [...KEYS_2_4, 'failClosed']
const KEYS_OURS = [...KEYS_3, 'url', 'headers', 'async']

const SHELL_OLD = { drop: ['sandbox'] }
const MCP_OLD = { drop: ['mcp_server_name', 'mcp_server_url'] }
const TOKENS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens']
const PERMISSION_ONLY = ['permission'] as const
const PROMPT_GATE = ['continue', 'user_message'] as const
const OPEN = { failure: 'open' } as const

/** As in 1.7 to 2.3, where only a response counts: no exit code, no failure, and text beside it invalidates it. */
const ANSWER_OLD = {
  messages: 'snake',
  decision: 'none',
  exit2: false,
  silence: 'abstain',
  textBefore: 'voids',
  denyHolds: false,
} as const
const FAILURE_OLD = { crash: 'open', invalid: 'open' } as const
const MERGE_OLD = {
  permission: 'strictest',
  single: 'last',
  context: 'last',
  rewrites: 'taken',
  silenceLosesContinue: false,
} as const

export const PROFILES = {
  holdfast: {
    name: 'holdfast',
    summary: 'The documented system, with the safer choice wherever versions disagree.',
    version: '3',
    common: COMMON_3,
    events: {},
    config: { keys: KEYS_OURS, pathBase: 'root', reload: 'watch' },
    run: { which: 'all', concurrent: true, loops: 'per-script' },
    answer: {
      messages: 'any',
      decision: 'any',
      exit2: true,
      silence: 'abstain',
      textBefore: 'tolerated',
      denyHolds: true,
    },
    failure: { crash: 'policy', invalid: 'closed' },
    merge: {
      permission: 'strictest',
      single: 'highest',
      context: 'all',
      rewrites: 'judged',
      silenceLosesContinue: false,
    },
  },
  'cursor-1.7': {
    name: 'cursor-1.7',
    summary: 'The first version: six events, camelCase messages, prompts cannot be stopped.',
    version: '1.7',
    common: OLD_COMMON,
    events: {
      beforeShellExecution: { payload: SHELL_OLD },
      beforeMCPExecution: { ...OPEN, payload: MCP_OLD },
      beforeReadFile: { ...OPEN, honours: PERMISSION_ONLY },
      beforeSubmitPrompt: { gate: 'none', honours: [] },
      stop: { honours: [], payload: { drop: ['loop_count', ...TOKENS] } },
    },
    config: { keys: OLD_KEYS, pathBase: 'file', reload: 'restart' },
    run: { which: 'all', concurrent: false, loops: 'fixed' },
    answer: { ...ANSWER_OLD, messages: 'camel' },
    failure: FAILURE_OLD,
    merge: MERGE_OLD,
  },
  'cursor-2.1': {
    name: 'cursor-2.1',
    summary: 'Twelve events; only the first hook of an event runs, and agent_message is lost.',
    version: '2.1',
    common: OLD_COMMON,
    events: {
      beforeShellExecution: { honours: ['permission', 'continue', 'user_message'], payload: SHELL_OLD },
      afterShellExecution: { payload: { drop: ['duration', 'sandbox', 'cwd', 'exit_code'] } },
      beforeMCPExecution: { ...OPEN, honours: ['permission', 'continue', 'user_message'], payload: MCP_OLD },
      afterMCPExecution: { payload: { drop: [...MCP_OLD.drop, 'duration'] } },
      beforeReadFile: { ...OPEN, honours: PERMISSION_ONLY },
      beforeTabFileRead: { honours: PERMISSION_ONLY },
      beforeSubmitPrompt: { honours: ['continue'], payload: { attachmentKey: 'filePath' } },
      stop: { payload: { drop: TOKENS } },
    },
    config: { keys: OLD_KEYS, pathBase: 'file', reload: 'restart' },
    run: { which: 'first-only', concurrent: false, loops: 'fixed' },
    answer: ANSWER_OLD,
    failure: FAILURE_OLD,
    merge: MERGE_OLD,
  },
  'cursor-2.3': {
    name: 'cursor-2.3',
    summary: 'Twelve events; hooks run one after the other, and the first valid response ends the round.',
    version: '2.3',
    common: COMMON_2_3,
    events: {
      beforeMCPExecution: { ...OPEN, payload: MCP_OLD },
      afterMCPExecution: { payload: { drop: MCP_OLD.drop, seconds: ['duration'] } },
      beforeReadFile: { ...OPEN, honours: PERMISSION_ONLY },
      beforeTabFileRead: { honours: PERMISSION_ONLY },
      beforeSubmitPrompt: { honours: PROMPT_GATE, payload: { rename: { prompt: 'prompt_text' } } },
      stop: { payload: { drop: TOKENS } },
    },
    config: { keys: OLD_KEYS, pathBase: 'root', reload: 'restart' },
    run: { which: 'first-valid', concurrent: false, loops: 'fixed' },
    answer: ANSWER_OLD,
    failure: FAILURE_OLD,
    merge: MERGE_OLD,
  },
  'cursor-2.4': {
    name: 'cursor-2.4',
    summary: 'Twenty events, matchers, exit code 2; tools respond with decision and reason.',
    version: '2.4',
    common: COMMON_2_4,
    events: {
      sessionStart: { payload: { keep: ['session_id'] } },
      sessionEnd: { payload: { keep: ['session_id'] } },
      postToolUse: { honours: ['updated_mcp_tool_output'] },
      postToolUseFailure: { honours: [] },
      subagentStart: {
        payload: {
          rename: { task: 'prompt', subagent_model: 'model' },
          drop: ['subagent_id', 'parent_conversation_id', 'tool_call_id', 'is_parallel_worker', 'git_branch'],
        },
      },
      subagentStop: {
        payload: {
          rename: { summary: 'result', duration_ms: 'duration' },
          drop: ['task', 'description', 'message_count', 'tool_call_count', 'loop_count', 'modified_files'],
        },
      },
      beforeShellExecution: { payload: SHELL_OLD },
      afterShellExecution: { payload: { drop: ['sandbox', 'cwd', 'exit_code'] } },
      beforeMCPExecution: { payload: MCP_OLD },
      afterMCPExecution: { payload: MCP_OLD },
      beforeReadFile: { honours: ['permission', 'user_message'], payload: { attachmentKey: 'filePath' } },
      beforeTabFileRead: { honours: PERMISSION_ONLY },
      beforeSubmitPrompt: { honours: PROMPT_GATE, payload: { attachmentKey: 'filePath' } },
      stop: { payload: { drop: TOKENS } },
    },
    config: { keys: KEYS_2_4, pathBase: 'root', reload: 'restart' },
    run: { which: 'all', concurrent: true, loops: 'per-script' },
    answer: { ...ANSWER_OLD, decision: ['preToolUse', 'subagentStart'], exit2: true },
    failure: { crash: 'policy', invalid: 'policy' },
    merge: { ...MERGE_OLD, permission: 'highest-source', single: 'highest' },
  },
  'cursor-3': {
    name: 'cursor-3',
    summary: 'Twenty-one events; invalid responses block, a later source overrides single values.',
    version: '3',
    common: COMMON_3,
    events: {
      sessionStart: { gate: 'none', honours: ['additional_context', 'env'] },
      preToolUse: { ask: 'none' },
      beforeMCPExecution: OPEN,
      beforeReadFile: { ...OPEN, honours: ['permission', 'user_message'] },
      beforeTabFileRead: { honours: PERMISSION_ONLY },
      beforeSubmitPrompt: { honours: PROMPT_GATE },
    },
    config: { keys: KEYS_3, pathBase: 'root', reload: 'watch-writes' },
    run: { which: 'all', concurrent: true, loops: 'per-script' },
    answer: { ...ANSWER_OLD, exit2: true, silence: 'failure' },
    failure: { crash: 'policy', invalid: 'closed' },
    merge: { ...MERGE_OLD, silenceLosesContinue: true },
  },
} as const satisfies Record<string, Profile>

export type ProfileName = keyof typeof PROFILES

export const PROFILE_NAMES = Object.freeze(Object.keys(PROFILES) as ProfileName[])

export const findProfile = (name: string): Profile | undefined =>
  Object.hasOwn(PROFILES, name) ? PROFILES[name as ProfileName] : undefined

export const hasEvent = ({ name, version }: Profile, { since, isOurs }: EventRow): boolean =>
  isAtLeast(version, since) && (!isOurs || name === PROFILES.holdfast.name)

/** The table of one version: its events, with its differences. */
export const eventsUnder = (profile: Profile): ReadonlyMap<EventName, EventSpec> =>
  new Map(
    EVENT_SPECS.filter(spec => hasEvent(profile, spec)).map(spec => {
      const change = profile.events[spec.name]
      return [spec.name, change ? changed(spec, change) : spec]
    }),
  )

function changed(spec: EventSpec, { payload: _, honours, ...row }: RowChange): EventSpec {
  if (!honours) return Object.freeze({ ...spec, ...row })
  const kept = Object.entries(spec.answer).filter(([field]) => honours.includes(field as ResponseFieldName))
  return Object.freeze({ ...spec, ...row, answer: Object.fromEntries(kept) })
}
