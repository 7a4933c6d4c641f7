// Hooks that the host gives itself, as a function or as a command: the same definition as one from a file, without a
// file.

import { join } from 'node:path'
import { compileMatcher } from './config/matcher.js'
import { HooksError } from './errors.js'
import type { Host } from './host.js'
import { type HookDefinition, type HookFunction, SOURCES, type SourceKind } from './protocol/config.js'
import type { EventName, EventSpec } from './protocol/events.js'

interface GivenHook {
  event: EventName
  name?: string
  source?: SourceKind
  matcher?: string
  /** Seconds. */
  timeout?: number
  failClosed?: boolean
  loopLimit?: number | null
}

export interface FunctionHook extends GivenHook {
  /** Answers like a script: an object with the fields of the event, or nothing. */
  run: HookFunction
}

export interface CommandHook extends GivenHook {
  /** As in an entry of hooks.json. */
  command: string
  /** The project that it belongs to: it runs there, where the profile says that project hooks run. */
  root: string
}

export function givenDefinition(
  hook: FunctionHook | CommandHook,
  spec: EventSpec,
  host: Host,
): HookDefinition {
  const source = hook.source ?? 'user'
  const own = 'command' in hook ? commandOf(hook, host) : functionOf(hook, host)
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
    timeoutMs: (hook.timeout ?? 60) * 1000,
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

function functionOf({ run }: FunctionHook, host: Host) {
  if (typeof run !== 'function')
    throw new HooksError('use/bad-option', 'A function hook needs a function as "run".')
  const root = host.workspaceRoots[0] ?? host.home
  return { type: 'function', name: run.name || 'function', run, cwd: root, root } as const
}

function commandOf({ command, root }: CommandHook, host: Host) {
  if (typeof command !== 'string' || command.trim() === '')
    throw new HooksError('use/bad-option', 'A command hook needs a "command" that is not empty.')
  const cwd = host.profile.config.pathBase === 'root' ? root : join(root, '.cursor')
  return { type: 'command', name: command, command, cwd, root } as const
}
