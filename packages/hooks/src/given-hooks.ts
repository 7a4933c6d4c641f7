// Hooks that the host registers, as a function, a prompt, a command or a request: the same definition as one from a file, without a
// file.

import { isAbsolute, join } from 'node:path'
import { type FieldName, isValidField, promptName, timeoutMs, urlName } from './config/entry.js'
import { describeValue, quote } from './config/json.js'
import { compileMatcher } from './config/matcher.js'
import { HooksError } from './errors.js'
import type { Host } from './host.js'
import {
  ENTRY_FIELDS,
  type HookDefinition,
  type HookFunction,
  SOURCES,
  type SourceKind,
} from './protocol/config.js'
import type { EventName, EventSpec } from './protocol/events.js'
import type { Payload } from './protocol/payload.js'
import type { ResponseFields } from './protocol/response.js'
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
  /** The question to the model of `evaluatePrompt`. $ARGUMENTS is replaced by the payload; without it the payload follows. */
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

export interface HttpHook<E extends EventName = EventName> extends AnyHook<E> {
  type: 'http'
  /** As in an entry of hooks.json. */
  url: string
  headers?: Readonly<Record<string, string>>
}

export type GivenHook<E extends EventName = EventName> =
  | FunctionHook<E>
  | PromptHook<E>
  | CommandHook<E>
  | HttpHook<E>

export function givenDefinition(hook: GivenHook, spec: EventSpec, host: Host): HookDefinition {
  checkFields(hook)
  const { source = 'user' } = hook
  const { type, name, ...own } = ownFields(hook, host)
  if (!Object.hasOwn(SOURCES, source)) throw badOption(`There is no source "${source}".`)
  const { rank, dialect } = SOURCES[source]
  const matcher = compileMatcher(hook.matcher)
  if (matcher.kind === 'invalid')
    throw badOption(`The matcher ${quote(matcher.text)} is not valid: ${matcher.error}`)
  return Object.freeze({
    id: `${source}:${type}:${spec.name}:${hook.name ?? name}:${host.random()}`,
    source,
    rank,
    mode: 'enforce',
    event: spec.name,
    type,
    ...own,
    name: hook.name ?? name,
    matcher,
    timeoutMs: timeoutMs(type, hook.timeout),
    ...(hook.failClosed === undefined ? {} : { failClosed: hook.failClosed }),
    loopLimit: hook.loopLimit === undefined ? ENTRY_FIELDS.loop_limit.default : hook.loopLimit,
    dialect,
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
  if ('command' in hook) {
    const { command, root } = hook
    const cwd = host.profile.config.pathBase === 'root' ? root : join(root, '.cursor')
    return { type: 'command', name: command, command, cwd, root } as const
  }
  const root = host.workspaceRoots[0] ?? host.home
  if ('url' in hook) {
    const { url, headers } = hook
    const fields = { url, ...(headers === undefined ? {} : { headers }) }
    return { type: 'http', name: urlName(url), ...fields, cwd: root, root } as const
  }
  if ('type' in hook) {
    const { prompt, model } = hook
    const fields = { prompt, ...(model === undefined ? {} : { model }) }
    return { type: 'prompt', name: promptName(prompt), ...fields, cwd: root, root } as const
  }
  const run = hook.run as HookFunction
  return { type: 'function', name: run.name || 'function', run, cwd: root, root } as const
}

interface Field {
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const entryField = (name: FieldName): Field => ({
  expected: ENTRY_FIELDS[name].expected,
  isValid: value => isValidField(name, value),
})

const FIELDS: Readonly<Record<string, Field>> = {
  command: entryField('command'),
  root: { expected: 'an absolute folder', isValid: value => typeof value === 'string' && isAbsolute(value) },
  run: { expected: 'a function', isValid: value => typeof value === 'function' },
  prompt: entryField('prompt'),
  url: entryField('url'),
  headers: entryField('headers'),
  model: entryField('model'),
  matcher: entryField('matcher'),
  timeout: entryField('timeout'),
  failClosed: entryField('failClosed'),
  loopLimit: entryField('loop_limit'),
}

function checkFields(hook: GivenHook): void {
  const other = 'url' in hook ? 'url' : 'type' in hook ? 'prompt' : 'run'
  const required = 'command' in hook ? ['command', 'root'] : [other]
  for (const [key, { expected, isValid }] of Object.entries(FIELDS)) {
    const value = (hook as unknown as Record<string, unknown>)[key]
    if ((value === undefined && !required.includes(key)) || isValid(value)) continue
    throw badOption(`"${key}" of a hook is ${describeValue(value)}; expected ${expected}.`)
  }
}

const badOption = (text: string) => new HooksError('use/bad-option', text)
