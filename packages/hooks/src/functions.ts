// Hooks that the host gives as functions: the same definition as one from a file, without a file.

import { compileMatcher } from './discover/matcher.js'
import { HooksError } from './errors.js'
import type { Host } from './host.js'
import { type HookDefinition, type HookFunction, SOURCES, type SourceKind } from './protocol/config.js'
import type { EventName, EventSpec } from './protocol/events.js'

export interface FunctionHook {
  event: EventName
  /** Answers like a script: an object with the fields of the event, or nothing. */
  run: HookFunction
  name?: string
  source?: SourceKind
  matcher?: string
  /** Seconds. */
  timeout?: number
  failClosed?: boolean
  loopLimit?: number | null
}

export function functionDefinition(hook: FunctionHook, spec: EventSpec, host: Host): HookDefinition {
  const source = hook.source ?? 'user'
  if (typeof hook.run !== 'function')
    throw new HooksError('use/bad-option', 'A function hook needs a function as "run".')
  if (!Object.hasOwn(SOURCES, source))
    throw new HooksError('use/bad-option', `There is no source "${source}".`)
  if (hook.timeout !== undefined && !(hook.timeout > 0)) {
    throw new HooksError('use/bad-option', 'The timeout of a function hook is a number of seconds above 0.')
  }
  const matcher = compileMatcher(hook.matcher)
  if (matcher.kind === 'invalid') {
    throw new HooksError(
      'use/bad-option',
      `The matcher ${JSON.stringify(hook.matcher)} is not valid: ${matcher.error}`,
    )
  }
  const name = hook.name ?? (hook.run.name || 'function')
  const root = host.workspaceRoots[0] ?? host.home
  return Object.freeze({
    id: `${source}:function:${spec.name}:${name}:${host.random()}`,
    source,
    rank: SOURCES[source].rank,
    event: spec.name,
    type: 'function',
    name,
    run: hook.run,
    matcher,
    timeoutMs: (hook.timeout ?? 60) * 1000,
    ...(hook.failClosed === undefined ? {} : { failClosed: hook.failClosed }),
    loopLimit: hook.loopLimit === undefined ? 5 : hook.loopLimit,
    dialect: SOURCES[source].dialect,
    file: null,
    line: null,
    column: null,
    path: null,
    cwd: root,
    root,
    scripts: [],
    fingerprint: '',
    trusted: true,
  })
}
