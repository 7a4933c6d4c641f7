// The text of a source's file: hooks.json, the manifest of a team, or Claude settings.

import { findProfile } from '../packages/hooks/src/protocol/profiles.js'
import type { Case, CaseHook, SourceName } from './case.js'
import { profileOf } from './load.js'

export interface Placed {
  readonly hook: CaseHook
  readonly at: number
  readonly event: string
}

/** The path of a hook's script from the folder of its source. */
export function scriptName(hook: CaseHook, at: number): string {
  if (hook.script !== undefined) return hook.script
  const name = `hook-${at}.sh`
  if (hook.source === 'team') return name
  if (hook.source === 'project') return `.cursor/hooks/${name}`
  return hook.source.startsWith('claude') ? `.claude/hooks/${name}` : `hooks/${name}`
}

/** The command that starts it. In some versions a project hook starts in the folder of hooks.json. */
function commandOf(one: Case, hook: CaseHook, at: number): string {
  if (hook.command !== undefined) return hook.command
  const name = scriptName(hook, at)
  const base = findProfile(profileOf(one))?.config.pathBase
  return hook.source === 'project' && base === 'file' ? name.replace(/^\.cursor\//, './') : `./${name}`
}

export function configText(
  one: Case,
  source: SourceName,
  hooks: readonly Placed[],
  extra: readonly (readonly [string, object])[],
): string {
  const config = one.config?.[source]
  if (config?.raw !== undefined) return config.raw
  if (source === 'team') return manifestText(hooks)
  if (source.startsWith('claude')) return claudeText(one, hooks)
  const events = new Map<string, string[]>()
  const add = (event: string, entry: string) => events.set(event, [...(events.get(event) ?? []), entry])
  const lines: string[] = []
  for (const [event, value] of Object.entries(config?.hooks ?? {})) {
    const own = hooks.some(one => one.event === event)
    if (own && Array.isArray(value)) for (const entry of value) add(event, JSON.stringify(entry))
    else lines.push(`    "${event}": ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
  for (const { hook, at, event } of hooks) add(event, JSON.stringify(entryOf(one, hook, at)))
  for (const [event, entry] of extra) add(event, JSON.stringify(entry))
  for (const [event, entries] of events)
    lines.push(`    "${event}": [\n      ${entries.join(',\n      ')}\n    ]`)
  const version = config?.version === undefined ? 1 : config.version
  const head = version === null ? '' : `  "version": ${JSON.stringify(version)},\n`
  return `${config?.before ?? ''}{\n${head}  "hooks": {\n${lines.join(',\n')}\n  }\n}\n${config?.after ?? ''}`
}

function entryOf(one: Case, hook: CaseHook, at: number): Record<string, unknown> {
  const what =
    hook.type === 'prompt' ? { type: 'prompt', prompt: hook.prompt } : { command: commandOf(one, hook, at) }
  const timeout = timeoutOf(hook)
  return {
    ...what,
    ...(hook.model === undefined ? {} : { model: hook.model }),
    ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
    ...(hook.failClosed === undefined ? {} : { failClosed: hook.failClosed }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(hook.loop_limit === undefined ? {} : { loop_limit: hook.loop_limit }),
    ...hook.entry,
  }
}

/** Short for a hook that never ends; longer if it must print first. */
function timeoutOf({ timeout, exit }: CaseHook): number | undefined {
  if (timeout !== undefined || !exit?.timeout) return timeout
  return exit.stdout === undefined ? 0.3 : 1
}

function manifestText(hooks: readonly Placed[]): string {
  const list = hooks.map(({ hook, at, event }, id) => {
    const { matcher, loop_limit, mode, type, prompt, model } = hook
    const what = type === 'prompt' ? { type, prompt, model } : { script_name: scriptName(hook, at) }
    return {
      id: id + 1,
      hook_step: event,
      ...what,
      matcher,
      timeout: timeoutOf(hook),
      fail_closed: hook.failClosed,
      loop_limit,
      mode,
    }
  })
  return JSON.stringify({ version: 1, hooks: list }, null, 2)
}

/** Native event → the name in Claude settings. */
export const CLAUDE_NAMES: Readonly<Record<string, string>> = {
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  beforeSubmitPrompt: 'UserPromptSubmit',
  stop: 'Stop',
  subagentStop: 'SubagentStop',
  sessionStart: 'SessionStart',
  sessionEnd: 'SessionEnd',
  preCompact: 'PreCompact',
}

function claudeText(one: Case, hooks: readonly Placed[]): string {
  const events: Record<string, unknown[]> = {}
  for (const { hook, at, event } of hooks) {
    const timeout = timeoutOf(hook)
    const inner = {
      type: 'command',
      command: commandOf(one, hook, at),
      ...(timeout === undefined ? {} : { timeout }),
    }
    const name = CLAUDE_NAMES[event]!
    events[name] ??= []
    events[name].push({ ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }), hooks: [inner] })
  }
  return JSON.stringify({ hooks: events }, null, 2)
}
