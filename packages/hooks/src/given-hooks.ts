// Hooks that the host registers, as a function, a prompt, a command or a request: the definition of one from a file, but
// without the file.

import { isAbsolute, join } from 'node:path'
import { type FieldName, isValidField, promptName, timeoutMs, urlName } from './config/entry.js'
import { quote } from './config/json.js'
import { compileMatcher } from './config/matcher.js'
import type { Host } from './host.js'
import { badOption, checkOptions, type Option, type Options, option } from './options.js'
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
  checkOptions(hook, 'a hook', OPTIONS, requiredBy(hook))
  const { source = 'user' } = hook
  const { type, name, ...own } = ownFields(hook, host)
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

const entryField = (name: FieldName): Option =>
  option(ENTRY_FIELDS[name].expected, value => isValidField(name, value))

const OPTIONS: Options = {
  event: option('the name of an event', value => typeof value === 'string'),
  name: option('a text', value => typeof value === 'string'),
  source: option(Object.keys(SOURCES).join(', '), value => Object.hasOwn(SOURCES, value as SourceKind)),
  type: entryField('type'),
  command: entryField('command'),
  root: option('an absolute folder', value => typeof value === 'string' && isAbsolute(value)),
  run: option('a function', value => typeof value === 'function'),
  prompt: entryField('prompt'),
  url: entryField('url'),
  headers: entryField('headers'),
  model: entryField('model'),
  matcher: entryField('matcher'),
  timeout: entryField('timeout'),
  failClosed: entryField('failClosed'),
  loopLimit: entryField('loop_limit'),
}

const requiredBy = (hook: GivenHook): readonly string[] => {
  if ('command' in hook) return ['command', 'root']
  return 'url' in hook ? ['url'] : 'type' in hook ? ['prompt'] : ['run']
}
