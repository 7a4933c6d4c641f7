// The environment of one hook: the host's own, the session variables that flow down to it, the fixed names.

import { type HookDefinition, SOURCES } from '../protocol/config.js'
import { FIXED_VARIABLES, type FixedVariable } from '../protocol/environment.js'
import type { AnyFields } from '../protocol/payload.js'

export interface SessionVariables {
  readonly rank: number
  readonly env: Readonly<Record<string, string>>
}

export interface HostInfo {
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly userEmail: string | null
  readonly remote: boolean
}

/** The same from one event to the next, nearly always; so the last one is kept. */
const kept = new WeakMap<HookDefinition, { of: readonly unknown[]; env: NodeJS.ProcessEnv }>()

export function environment(
  host: HostInfo,
  hook: HookDefinition,
  payload: AnyFields,
  variables: readonly SessionVariables[],
): NodeJS.ProcessEnv {
  const of = [host, variables, payload.transcript_path]
  const last = kept.get(hook)
  if (last?.of.every((each, i) => each === of[i])) return last.env
  const env = Object.freeze(build(host, hook, payload, variables))
  kept.set(hook, { of, env })
  return env
}

function build(
  host: HostInfo,
  hook: HookDefinition,
  payload: AnyFields,
  variables: readonly SessionVariables[],
): NodeJS.ProcessEnv {
  const env = { ...host.env }
  // The variables of a source reach that source and lower ones. If two set one name, the higher takes precedence, so it
  // is applied last.
  const reaching = variables.filter(({ rank }) => rank <= hook.rank).sort((a, b) => b.rank - a.rank)
  for (const layer of reaching) {
    for (const [name, value] of Object.entries(layer.env)) if (canBeHeld(name, value)) env[name] = value
  }
  const fixed = fixedVariables(host, hook, payload)
  for (const name of FIXED_VARIABLES) {
    const value = fixed[name]
    if (value === null) delete env[name]
    else env[name] = value
  }
  // Python would write compiled modules beside the scripts, and their verification or trust would end with the first run.
  // A cache elsewhere would be a folder whose content nothing verifies.
  if (hook.source === 'team' || SOURCES[hook.source].needsTrust) env.PYTHONDONTWRITEBYTECODE = '1'
  // A program that is started directly sees the same folder as one that is started by a shell.
  env.PWD = hook.cwd
  return env
}

/** Linux takes no longer one. */
const LONGEST_BYTES = 128 * 1024 - 2

/** One variable that no process can have would keep every hook from starting, and most of them then fail open. */
const canBeHeld = (name: string, value: string): boolean =>
  /^[^=\0]+$/.test(name) && !value.includes('\0') && Buffer.byteLength(`${name}=${value}`) < LONGEST_BYTES

function fixedVariables(
  host: HostInfo,
  hook: HookDefinition,
  payload: AnyFields,
): Record<FixedVariable, string | null> {
  const transcript = payload.transcript_path
  return {
    CURSOR_PROJECT_DIR: hook.root,
    CLAUDE_PROJECT_DIR: hook.root,
    CURSOR_VERSION: host.version,
    CURSOR_USER_EMAIL: host.userEmail,
    CURSOR_TRANSCRIPT_PATH:
      typeof transcript === 'string' && canBeHeld('CURSOR_TRANSCRIPT_PATH', transcript) ? transcript : null,
    CURSOR_CODE_REMOTE: host.remote ? 'true' : null,
    CURSOR_PLUGIN_ROOT: hook.plugin ?? null,
    CLAUDE_PLUGIN_ROOT: hook.plugin ?? null,
  }
}
