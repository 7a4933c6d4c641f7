// Claude settings → drafts. Events and tools have other names, and hooks are nested one level deeper. Names and matchers are
// translated here, so that no other stage needs to know them.

import { type Dialect, readBlocks } from '../config/blocks.js'
import {
  checkFields,
  type Draft,
  type Entry,
  type Fields,
  isComplete,
  type Loaded,
  openDocument,
  openEntry,
  placeOf,
  reportMatcher,
  toDraft,
} from '../config/entry.js'
import { type Json, mismatch, plain, quote, within } from '../config/json.js'
import { compileMatcher } from '../config/matcher.js'
import type { Report } from '../config/report.js'
import { HEADER_VARIABLE, type Matcher } from '../protocol/config.js'
import type { EventName } from '../protocol/events.js'
import { shellWord } from '../shell.js'
import { isFound, PatternBudget } from '../watchdog.js'

const CLAUDE_EVENTS: Readonly<Record<string, EventName>> = {
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  UserPromptSubmit: 'beforeSubmitPrompt',
  Stop: 'stop',
  SubagentStop: 'subagentStop',
  SessionStart: 'sessionStart',
  SessionEnd: 'sessionEnd',
  PreCompact: 'preCompact',
}

export const findClaudeEvent = (name: string): EventName | undefined =>
  Object.hasOwn(CLAUDE_EVENTS, name) ? CLAUDE_EVENTS[name] : undefined

/** Tools whose names differ from ours. */
export const CLAUDE_TOOLS: Readonly<Record<string, string>> = {
  Bash: 'Shell',
  Edit: 'Write',
  MultiEdit: 'Write',
  NotebookEdit: 'Write',
  Glob: 'Grep',
}

const GROUP_FIELDS = { matcher: 'matcher' } as const
const HOOK_FIELDS = {
  type: 'type',
  command: 'command',
  prompt: 'prompt',
  model: 'model',
  url: 'url',
  headers: 'headers',
  timeout: 'timeout',
} as const

/** Settings without hooks are the normal case, and their other keys are ignored. */
export async function loadClaudeSettings(file: string, report: Report): Promise<Loaded> {
  const root = openDocument(file, report)
  if ('state' in root) return root
  const blocks = root.members.filter(({ key }) => key === 'hooks')
  return readBlocks(blocks, 'hooks', report, dialect(report))
}

function dialect(report: Report): Dialect<EventName> {
  const budget = new PatternBudget()
  return {
    find: findClaudeEvent,
    reportUnknown({ key, place }, path) {
      const meant = report.suggest(key, Object.keys(CLAUDE_EVENTS))
      report.warning('config/claude-event', {
        place,
        path,
        message: `The Claude event ${quote(key)} has no counterpart here, so its hooks are skipped.`,
        ...(meant ? { hint: `If you meant ${quote(meant)}, correct the name.` } : {}),
      })
      return 0
    },
    read: (item, path, event) => readGroup(item, path, event, budget, report),
    hint: event =>
      `Write ${quote(event)}: [ { "matcher": "…", "hooks": [ { "type": "command", "command": "…" } ] } ].`,
  }
}

function* readGroup(
  node: Json,
  path: string,
  event: EventName,
  budget: PatternBudget,
  report: Report,
): Iterable<Draft | undefined> {
  const group = openEntry(node, path, report)
  const hooks = group?.members.get('hooks')?.value
  if (group && hooks?.kind !== 'array') {
    const problem = { ...mismatch(path, hooks ?? node, 'an object with a list of "hooks"'), path }
    report.error('config/bad-entry', {
      ...problem,
      hint: 'Write { "hooks": [ { "type": "command", "command": "…" } ] }.',
    })
  }
  const fields = group && hooks?.kind === 'array' ? checkFields(group, GROUP_FIELDS) : undefined
  const items = hooks?.kind === 'array' ? hooks.items : []
  if (!group || !fields) {
    // Each hook of the group is lost, and a group without a list counts as one.
    yield* Array.from({ length: Math.max(items.length, 1) }, () => undefined)
    return
  }
  const matcher = reportMatcher(translateClaudeMatcher(event, fields.matcher, budget), group)
  for (const [index, item] of items.entries()) {
    const entry = openEntry(item, within(within(path, 'hooks'), index), report)
    const own = entry && checkFields(entry, HOOK_FIELDS)
    const isUsable = own && isComplete(own, entry) && !reportRefused(entry)
    const more = isUsable ? readMeaning(own, entry) : undefined
    yield own && more ? toDraft(event, { ...own, ...more }, matcher, null, entry) : undefined
  }
}

/** Fields that change when or how Claude Code runs a hook, which no hook here can. `false` is their default. */
const REFUSED: Readonly<Record<string, string>> = {
  async: 'Claude Code would not wait for the hook',
  asyncRewake: 'Claude Code would not wait for the hook',
  once: 'the hook would run once in a session',
  if: 'the hook would run only for calls that match a permission rule',
  shell: 'another shell would run the command',
}

/** Whether the hook was reported, because without one of its fields it would do something else. */
function reportRefused({ members, path, report }: Entry): boolean {
  const refused = [...members.values()].filter(
    ({ key, value }) => Object.hasOwn(REFUSED, key) && plain(value) !== false,
  )
  for (const { key, place } of refused) {
    report.error('config/bad-entry', {
      place,
      path: within(path, key),
      message: `The Claude field ${quote(key)} is not supported here: ${REFUSED[key]}. The hook is skipped.`,
      hint: 'Write the hook in hooks.json, with a matcher, or let its script decide.',
    })
  }
  return refused.length > 0
}

/** What `args`, `onFailure` and `allowedEnvVars` mean in our fields. */
function readMeaning(fields: Fields, entry: Entry): Partial<Fields> | undefined {
  const { members, path, report } = entry
  const { command, headers = {} } = fields
  // Claude Code leaves other variables of headers empty.
  const allowed = members.get('allowedEnvVars')?.value
  const names = allowed?.kind === 'array' ? allowed.items.map(plain) : []
  const used = Object.values(headers).flatMap(text => [...text.matchAll(HEADER_VARIABLE)])
  const other = used.find(([, braced, bare]) => !names.includes(braced ?? bare))
  if (other) {
    const message = `The headers use ${other[0]}, which is not in "allowedEnvVars".`
    report.error('config/bad-entry', { ...placeOf(entry, 'headers'), message })
    return undefined
  }
  const isClosed = members.has('onFailure') && plain(members.get('onFailure')!.value) === 'block'
  const closed = isClosed ? { failClosed: true } : {}
  const member = members.get('args')
  if (!member || command === undefined) return closed
  const args = member.value.kind === 'array' ? member.value.items.map(plain) : [undefined]
  if (args.every(arg => typeof arg === 'string'))
    return { ...closed, command: [command, ...args].map(shellWord).join(' ') }
  report.error('config/bad-entry', mismatch(within(path, 'args'), member.value, 'a list of texts'))
  return undefined
}

const TOOL_EVENTS: readonly EventName[] = ['preToolUse', 'postToolUse']

export function translateClaudeMatcher(
  event: EventName,
  text: string | undefined,
  budget = new PatternBudget(),
): Matcher {
  const matcher = compileMatcher(text)
  if (matcher.kind === 'all' || matcher.kind === 'invalid' || matcher.kind === 'never') return matcher
  if (TOOL_EVENTS.includes(event)) return translateTools(matcher.text, matcher.regex, budget)
  // A session of Claude Code also starts by resuming, clearing and compacting; here only at the beginning.
  if (event === 'sessionStart') {
    const isNever = isFound(matcher.regex, 'startup', budget) === false
    return isNever ? { kind: 'never', text: matcher.text } : compileMatcher(undefined)
  }
  return event === 'preCompact' ? matcher : compileMatcher(undefined)
}

/** Names joined by | match complete names only; anything else is a regular expression. */
function translateTools(text: string, regex: RegExp, budget: PatternBudget): Matcher {
  if (/^[\w-]+(?:\s*\|\s*[\w-]+)*$/.test(text)) {
    const names = text.split('|').map(name => translateName(name.trim()))
    return compileMatcher(`^(?:${[...new Set(names)].join('|')})$`)
  }
  const translated = text
    .replace(/mcp__(?:(?:(?!__|\|).)*__)?/g, 'MCP:')
    .replace(TOOL_NAME, (_, before: string, name: string) => before + (CLAUDE_TOOLS[name] ?? name))
  const matcher = compileMatcher(translated)
  if (matcher.kind !== 'regex' && matcher.kind !== 'plain') return matcher
  // `Notebook.*` finds NotebookEdit, which is called Write here, so the translation must find Write. A pattern that takes
  // too long counts as found.
  const lost = Object.keys(CLAUDE_TOOLS)
    .filter(name => isFound(regex, name, budget) !== false)
    .map(name => CLAUDE_TOOLS[name]!)
    .filter(name => isFound(matcher.regex, name, budget) !== true)
  if (lost.length === 0) return matcher
  return compileMatcher(`(?:${translated})|^(?:${[...new Set(lost)].join('|')})$`)
}

/** A complete word. The b of `\bBash` is not part of it. */
const TOOL_NAME = new RegExp(`(^|\\W|\\\\[bB])(${Object.keys(CLAUDE_TOOLS).join('|')})(?![\\w])`, 'g')

/** A server without a tool means all tools of all servers: subjects do not contain the server. */
function translateName(name: string): string {
  const mcp = /^mcp__(?:(.*)__)?(.*)$/.exec(name)
  if (mcp) return mcp[1] === undefined ? 'MCP:.*' : `MCP:${mcp[2]}`
  return Object.hasOwn(CLAUDE_TOOLS, name) ? CLAUDE_TOOLS[name]! : name
}
