// Claude settings → drafts. Events and tools have other names, and hooks are nested one level deeper. Names and matchers are
// translated here, so that no other stage needs to know them.

import {
  ABSENT,
  checkFields,
  type Draft,
  FAILED,
  isComplete,
  type Loaded,
  openEntry,
  reportDuplicate,
  reportMatcher,
  toDraft,
} from '../config/entry.js'
import { describe, type Json, type Member, openDocument, quote, within } from '../config/json.js'
import { compileMatcher } from '../config/matcher.js'
import type { Report } from '../config/report.js'
import { Turns } from '../config/turns.js'
import type { Matcher } from '../protocol/config.js'
import type { EventName } from '../protocol/events.js'
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
  timeout: 'timeout',
} as const

/** Settings without hooks are the normal case, and their other keys are ignored. */
export async function loadClaudeSettings(file: string, report: Report): Promise<Loaded> {
  const root = openDocument(file, report)
  if (root === 'absent') return ABSENT
  if (root === 'failed') return FAILED
  if (root.kind !== 'object') {
    const message = `The file contains ${describe(root)}, not an object.`
    report.error('config/not-object', { place: root.place, message, hint: 'Start with {}.' })
    return FAILED
  }
  const reader = new Reader(report)
  for (const { key, value } of root.members) if (key === 'hooks') await reader.readEvents(value)
  return { state: 'loaded', drafts: reader.drafts, dropped: reader.dropped }
}

class Reader {
  readonly drafts: Draft[] = []
  dropped = 0
  private readonly seen = new Map<string, Member>()
  private readonly turns = new Turns()
  private readonly budget = new PatternBudget()

  constructor(private readonly report: Report) {}

  async readEvents(node: Json): Promise<void> {
    if (node.kind !== 'object') return this.drop('config/no-hooks', node, 'hooks', 'an object with events')
    for (const member of node.members) {
      const path = within('hooks', member.key)
      const earlier = this.seen.get(member.key)
      if (earlier) reportDuplicate(member, earlier, path, 'the hooks of both run', this.report)
      this.seen.set(member.key, member)
      const event = findClaudeEvent(member.key)
      if (!event) this.reportUnknownEvent(member, path)
      else if (member.value.kind !== 'array') this.drop('config/bad-event', member.value, path, 'an array')
      else {
        for (const [index, group] of member.value.items.entries())
          await this.readGroup(group, within(path, index), event)
      }
    }
  }

  private async readGroup(node: Json, path: string, event: EventName): Promise<void> {
    await this.turns.giveWay()
    if (node.kind !== 'object') return this.drop('config/bad-entry', node, path, 'an object with "hooks"')
    const group = openEntry(node, path, this.report)!
    const hooks = group.members.get('hooks')?.value
    if (hooks?.kind !== 'array') {
      return this.drop('config/bad-entry', hooks ?? node, path, 'an object with a list of "hooks"')
    }
    const fields = checkFields(group, GROUP_FIELDS)
    if (!fields) {
      this.dropped += Math.max(hooks.items.length, 1)
      return
    }
    const matcher = reportMatcher(translateClaudeMatcher(event, fields.matcher, this.budget), group)
    for (const [index, item] of hooks.items.entries()) {
      await this.turns.giveWay()
      const draft = this.readHook(item, within(within(path, 'hooks'), index), event, matcher)
      if (draft) this.drafts.push(draft)
      else this.dropped++
    }
  }

  private readHook(node: Json, path: string, event: EventName, matcher: Matcher): Draft | undefined {
    const entry = openEntry(node, path, this.report)
    const fields = entry && checkFields(entry, HOOK_FIELDS)
    return fields && isComplete(fields, entry) ? toDraft(event, fields, matcher, null, entry) : undefined
  }

  private drop(
    code: 'config/no-hooks' | 'config/bad-event' | 'config/bad-entry',
    node: Json,
    path: string,
    expected: string,
  ): void {
    this.dropped++
    this.report.error(code, {
      place: node.place,
      path,
      message: `${quote(path)} is ${describe(node)}; expected ${expected}.`,
      hint: 'Write "PreToolUse": [ { "matcher": "…", "hooks": [ { "type": "command", "command": "…" } ] } ].',
    })
  }

  private reportUnknownEvent({ key, place }: Member, path: string): void {
    const meant = this.report.suggest(key, Object.keys(CLAUDE_EVENTS))
    this.report.warning('config/claude-event', {
      place,
      path,
      message: `The Claude event ${quote(key)} has no counterpart here, so its hooks are skipped.`,
      ...(meant ? { hint: `If you meant ${quote(meant)}, correct the name.` } : {}),
    })
  }
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
  // There a session also starts by resuming, clearing and compacting; here only at the beginning.
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
