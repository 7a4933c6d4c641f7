// One conversation: its ids, its variables, its loop count, and the subagents that are conversations of their own.

import type { OnAsk } from './enforce/enforce.js'
import type { HookDefinition } from './protocol/config.js'
import type { EventName, EventSpec } from './protocol/events.js'
import type { AnyFields, EventFields, Payload } from './protocol/payload.js'
import type { Verdict } from './protocol/verdict.js'

export interface SessionOptions {
  conversationId?: string
  model?: string
  modelId?: string
  transcriptPath?: string | null
  isBackgroundAgent?: boolean
  composerMode?: string
  /** Of a subagent: the call that started it. */
  subagentId?: string
  /** The result of `memory()` of an earlier process. */
  memory?: SessionMemory
}

export interface StartOptions extends SessionOptions {
  /** Cancels the hooks of sessionStart. */
  signal?: AbortSignal
}

/** The state that a host stores when it starts a new process for each event. */
export interface SessionMemory {
  readonly startedAt: number
  readonly generationId: string
  readonly loopCounts: Readonly<Record<string, number>>
  readonly variables: SessionState['variables']
}

export interface FireOptions {
  signal?: AbortSignal
  /** The message was caused by a hook, so it does not begin a new loop count. */
  automatic?: boolean
  /** For `guard`: asks the user instead of the host's `onAsk`, without waiting for other questions. Null: nobody can. */
  onAsk?: OnAsk | null
  /**
   * For tools: returns the hooks that take part, possibly changed. It is called after the check of trust and before the
   * plan, so that a tool can run one hook alone, without its matcher or with another time limit.
   */
  choose?: (hooks: readonly HookDefinition[]) => readonly HookDefinition[]
}

/** The current fields of the event, with all changes by hooks, and the decision. */
export type Guarded<E extends EventName> = Omit<Payload<E>, 'verdict' | 'granted'> & {
  readonly verdict: Verdict
  /** A source that may grant allowed it, or the user agreed: the host need not ask again. */
  readonly granted: boolean
}

export interface Session {
  readonly conversationId: string
  readonly parent: Session | undefined
  /** The verdict of sessionStart, with context for the model; undefined for a session that was resumed. */
  readonly started: Verdict | undefined
  readonly loopCount: number
  /** Runs the hooks of an event and returns the verdict. Blocks nothing. */
  fire<E extends EventName>(event: E, fields: EventFields<E>, options?: FireOptions): Promise<Verdict>
  /** The same, enforced: returns, asks, or throws HookBlockedError. */
  guard<E extends EventName>(event: E, fields: EventFields<E>, options?: FireOptions): Promise<Guarded<E>>
  /** A conversation of its own inside this one. Does not fire anything by itself. */
  subagent(options?: SessionOptions): Session
  /**
   * The `additional_context` of hooks that ran after a denial, since the last call; null when there is none. `guard`
   * throws at once and runs the hooks of postToolUseFailure afterwards, so their context is for the next message.
   */
  takeContext(): string | null
  /** Resolves when no hook runs any more because of an earlier denial. Never rejects. */
  settled(): Promise<void>
  /** Waits for the hooks that run after a denial, then runs those of sessionEnd. */
  end(fields?: Partial<EventFields<'sessionEnd'>>): Promise<Verdict>
  /**
   * The same when the process is about to end and nothing can be awaited: for handlers of its `exit`. Hooks run one
   * after the other, within their time limits, and block the event loop. Hooks that ask a model fail. Hooks that still
   * run after a denial end with the process.
   */
  endSync(fields?: Partial<EventFields<'sessionEnd'>>): void
  /** Returns the state, to continue the conversation in another process. */
  memory(): SessionMemory
}

/** The state that an event reads and changes. */
export interface SessionState {
  readonly conversationId: string
  readonly parentId: string | null
  readonly subagentId: string | undefined
  readonly model: string
  readonly modelId: string | undefined
  readonly transcriptPath: string | null
  readonly composerMode: string | undefined
  readonly isBackgroundAgent: boolean
  readonly startedAt: number
  generationId: string
  /** Follow-ups in a row, for each event that can cause them. */
  readonly loopCounts: Map<EventName, number>
  /** By the rank of the source that set them. A new array when one is set, so that it can be compared. */
  variables: readonly { readonly rank: number; readonly env: Readonly<Record<string, string>> }[]
  /** Context from hooks that ran after a denial, until the host takes it. */
  context: string[]
  /** Events that run after a denial. */
  readonly background: Set<Promise<void>>
}

export function newState(
  options: SessionOptions,
  id: string,
  now: number,
  parent?: SessionState,
): SessionState {
  return {
    conversationId: options.conversationId ?? id,
    parentId: parent?.conversationId ?? null,
    subagentId: options.subagentId,
    model: options.model ?? parent?.model ?? 'default',
    modelId: options.modelId ?? parent?.modelId,
    // A subagent has no transcript of the conversation that started it.
    transcriptPath: options.transcriptPath ?? null,
    composerMode: options.composerMode ?? parent?.composerMode,
    isBackgroundAgent: options.isBackgroundAgent ?? parent?.isBackgroundAgent ?? false,
    startedAt: options.memory?.startedAt ?? now,
    generationId: options.memory?.generationId ?? parent?.generationId ?? '',
    loopCounts: new Map(Object.entries(options.memory?.loopCounts ?? {}) as [EventName, number][]),
    variables: options.memory?.variables ?? parent?.variables ?? [],
    context: [],
    background: new Set(),
  }
}

export const memoryOf = ({ startedAt, generationId, loopCounts, variables }: SessionState): SessionMemory => {
  return { startedAt, generationId, loopCounts: Object.fromEntries(loopCounts), variables }
}

/** The fields of the conversation, for events that belong to one. */
export const conversationFields = (state: SessionState): AnyFields => ({
  conversation_id: state.conversationId,
  generation_id: state.generationId,
  model: state.model,
  transcript_path: state.transcriptPath,
  session_id: state.conversationId,
  ...(state.modelId === undefined ? {} : { model_id: state.modelId }),
  // Only of subagents.
  ...(state.parentId === null ? {} : { parent_conversation_id: state.parentId }),
  ...(state.subagentId === undefined ? {} : { subagent_id: state.subagentId }),
})

/** Values of the session for fields that the host left out. */
export const OWN_FIELDS: Readonly<
  Record<string, (state: SessionState, spec: EventSpec, cwd: string) => unknown>
> = {
  cwd: (_state, _spec, cwd) => cwd,
  loop_count: (state, { name }) => state.loopCounts.get(name) ?? 0,
  composer_mode: state => state.composerMode,
  is_background_agent: state => state.isBackgroundAgent,
  parent_conversation_id: state => state.parentId ?? state.conversationId,
}

/** Their names: a host need not give these fields. */
export const SESSION_FIELDS: readonly string[] = Object.freeze(Object.keys(OWN_FIELDS))

export function withSessionFields(
  state: SessionState,
  spec: EventSpec,
  fields: AnyFields,
  cwd: string,
): AnyFields {
  let out = fields
  for (const name in OWN_FIELDS) {
    if (fields[name] !== undefined || !(name in spec.payload)) continue
    const value = OWN_FIELDS[name]!(state, spec, cwd)
    if (value !== undefined) out = { ...out, [name]: value }
  }
  return out
}

export function beforeEvent(
  state: SessionState,
  spec: EventSpec,
  automatic: boolean,
  newId: () => string,
): void {
  if (spec.loop !== 'resets') return
  state.generationId = newId()
  // A message of the user starts a new count. A message that a hook caused does not.
  if (!automatic) state.loopCounts.clear()
}

export function afterEvent(state: SessionState, spec: EventSpec, verdict: Verdict): void {
  if (spec.loop === 'counts' && verdict.followupMessage !== null)
    state.loopCounts.set(spec.name, (state.loopCounts.get(spec.name) ?? 0) + 1)
  for (const { rank, env } of verdict.variables) {
    const before = state.variables.find(each => each.rank === rank)
    const others = state.variables.filter(each => each.rank !== rank)
    state.variables = [...others, { rank, env: { ...before?.env, ...env } }]
  }
}
