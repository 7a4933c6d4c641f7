// Hooks that the host registers, as a function, a prompt or a command: the same definition as one from a file, without a
// file.

import { join } from 'node:path'
import type * as v from 'valibot'
import { compileMatcher } from './config/matcher.js'
import { HooksError } from './errors.js'
import type { Host } from './host.js'
import type { AnswerField, AnswerFieldName } from './protocol/answer.js'
import { type HookDefinition, type HookFunction, SOURCES, type SourceKind } from './protocol/config.js'
import type { EVENTS, EventName, EventSpec } from './protocol/events.js'
import type { Payload } from './protocol/payload.js'
import type { HandlerResult } from './sdk/responses.js'

interface AnyHook<E extends EventName> {
  event: E
  name?: string
  /** (default: user) */
  source?: SourceKind
  matcher?: string
  /** Seconds (default: 60, for prompts 30). */
  timeout?: number
  failClosed?: boolean
  /** (default: 5) */
  loopLimit?: number | null
}

type AnswerOf<E extends EventName> = (typeof EVENTS)[E]['answer']
type Fields<E extends EventName> = {
  -readonly [F in keyof AnswerOf<E>]?: AnswerOf<E>[F] extends AnswerField
    ? v.InferOutput<AnswerOf<E>[F]['schema']>
    : never
} & { [F in Exclude<AnswerFieldName, keyof AnswerOf<E>>]?: undefined }
type Decision = 'permission' | 'continue'
type Message = 'user_message' | 'agent_message'
type Plain<T> = { [F in keyof T]: T[F] }

/**
 * The fields that a script may print for this event. On events that can be stopped, a message needs a decision beside it:
 * the compiler does not check what functions return for unknown keys, and so it finds a misspelt `permission`.
 */
export type ResponseFields<E extends EventName> = E extends EventName
  ? keyof AnswerOf<E> extends never
    ? Record<string, never>
    : (typeof EVENTS)[E]['gate'] extends 'none'
      ? Plain<Fields<E>>
      : Decided<Fields<E>>
  : never

type Decided<T> =
  | { [D in keyof T & Decision]: Plain<T & Required<Pick<T, D>>> }[keyof T & Decision]
  | Plain<Omit<T, Message> & { [F in Message]?: undefined }>

/** Responses of the SDK such as `deny()`, a plain object, or nothing. */
export type HookResult<E extends EventName> = E extends EventName
  ? HandlerResult<E> | ResponseFields<E> | null | undefined
  : never

export interface FunctionHook<E extends EventName = EventName> extends AnyHook<E> {
  /** Receives a copy of the payload. The signal aborts when the run is over: cancelled, or at its time limit. */
  run: (payload: Payload<E>, context: { signal: AbortSignal }) => HookResult<E> | Promise<HookResult<E>>
}

export interface PromptHook<E extends EventName = EventName> extends AnyHook<E> {
  type: 'prompt'
  /** The question to the model of `evaluatePrompt`. $ARGUMENTS stands for the payload; without it the payload follows. */
  prompt: string
  model?: string
}

export interface CommandHook<E extends EventName = EventName> extends AnyHook<E> {
  type?: 'command'
  /** As in an entry of hooks.json. */
  command: string
  /** The project that it belongs to: it runs there, where the profile says that project hooks run. */
  root: string
}

export type GivenHook<E extends EventName = EventName> = FunctionHook<E> | PromptHook<E> | CommandHook<E>

export function givenDefinition(hook: GivenHook, spec: EventSpec, host: Host): HookDefinition {
  const source = hook.source ?? 'user'
  const own = ownFields(hook, host)
  if (!Object.hasOwn(SOURCES, source))
    throw new HooksError('use/bad-option', `There is no source "${source}".`)
  if (hook.timeout !== undefined && !(hook.timeout > 0)) {
    throw new HooksError('use/bad-option', 'The timeout of a hook is a number of seconds above 0.')
  }
  const matcher = compileMatcher(hook.matcher)
  if (matcher.kind === 'invalid') {
    throw new HooksError(
      'use/bad-option',
      `The matcher ${JSON.stringify(hook.matcher)} is not valid: ${matcher.error}`,
    )
  }
  const name = hook.name ?? own.name
  return Object.freeze({
    id: `${source}:${own.type}:${spec.name}:${name}:${host.random()}`,
    source,
    rank: SOURCES[source].rank,
    mode: 'enforce',
    event: spec.name,
    ...own,
    name,
    matcher,
    timeoutMs: (hook.timeout ?? (own.type === 'prompt' ? 30 : 60)) * 1000,
    ...(hook.failClosed === undefined ? {} : { failClosed: hook.failClosed }),
    loopLimit: hook.loopLimit === undefined ? 5 : hook.loopLimit,
    dialect: SOURCES[source].dialect,
    file: null,
    line: null,
    column: null,
    path: null,
    scripts: [],
    covered: [],
    fingerprint: '',
    trusted: true,
  })
}

function ownFields(hook: GivenHook, host: Host) {
  if ('command' in hook) return commandOf(hook, host)
  const root = host.workspaceRoots[0] ?? host.home
  return { ...('type' in hook ? promptOf(hook) : functionOf(hook)), cwd: root, root }
}

function functionOf({ run }: FunctionHook) {
  if (typeof run !== 'function')
    throw new HooksError('use/bad-option', 'A function hook needs a function as "run".')
  return { type: 'function', name: run.name || 'function', run: run as HookFunction } as const
}

function promptOf({ prompt, model }: PromptHook) {
  mustHaveText('prompt', prompt)
  const words = prompt.trim().replace(/\s+/g, ' ')
  const name = words.length > 60 ? `${words.slice(0, 59)}…` : words
  return { type: 'prompt', name, prompt, ...(model === undefined ? {} : { model }) } as const
}

function commandOf({ command, root }: CommandHook, host: Host) {
  mustHaveText('command', command)
  const cwd = host.profile.config.pathBase === 'root' ? root : join(root, '.cursor')
  return { type: 'command', name: command, command, cwd, root } as const
}

function mustHaveText(field: 'prompt' | 'command', value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return
  throw new HooksError('use/bad-option', `A ${field} hook needs a "${field}" that is not empty.`)
}
