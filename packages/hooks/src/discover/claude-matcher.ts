// Matchers of Claude settings use Claude's tool names. They are translated when the file is read, so that no other
// stage needs to know those names.

import type { Matcher } from '../protocol/config.js'
import type { EventName } from '../protocol/events.js'
import { isFound } from '../watchdog.js'
import { CLAUDE_TOOLS } from './claude-names.js'
import { compileMatcher } from './matcher.js'

const TOOL_EVENTS: readonly EventName[] = ['preToolUse', 'postToolUse']

export function translateClaudeMatcher(event: EventName, text: string | undefined): Matcher {
  const matcher = compileMatcher(text)
  if (matcher.kind === 'all' || matcher.kind === 'invalid' || matcher.kind === 'never') return matcher
  if (TOOL_EVENTS.includes(event)) return translateTools(matcher.text, matcher.regex)
  // There a session also starts by resuming, clearing and compacting; here only at the beginning.
  if (event === 'sessionStart') {
    const isNever = isFound(matcher.regex, 'startup') === false
    return isNever ? { kind: 'never', text: matcher.text } : compileMatcher(undefined)
  }
  return event === 'preCompact' ? matcher : compileMatcher(undefined)
}

/** Names joined by | match whole names only; anything else is searched, as a regular expression. */
function translateTools(text: string, regex: RegExp): Matcher {
  if (/^[\w-]+(?:\s*\|\s*[\w-]+)*$/.test(text)) {
    const names = text.split('|').map(name => translateName(name.trim()))
    return compileMatcher(`^(?:${[...new Set(names)].join('|')})$`)
  }
  const translated = text
    .replace(/mcp__(?:(?:(?!__|\|).)*__)?/g, 'MCP:')
    .replace(TOOL_NAME, (_, before: string, name: string) => before + (CLAUDE_TOOLS[name] ?? name))
  const matcher = compileMatcher(translated)
  if (matcher.kind !== 'regex' && matcher.kind !== 'plain') return matcher
  // `Notebook.*` finds NotebookEdit, which has another name here: what it found there it must find here. A pattern that
  // takes too long counts as found.
  const lost = Object.keys(CLAUDE_TOOLS)
    .filter(name => isFound(regex, name) !== false)
    .map(name => CLAUDE_TOOLS[name]!)
    .filter(name => isFound(matcher.regex, name) !== true)
  if (lost.length === 0) return matcher
  return compileMatcher(`(?:${translated})|^(?:${[...new Set(lost)].join('|')})$`)
}

/** A whole word; in `\bBash` the b before it is no letter of it. */
const TOOL_NAME = new RegExp(`(^|\\W|\\\\[bB])(${Object.keys(CLAUDE_TOOLS).join('|')})(?![\\w])`, 'g')

/** A server without a tool means all its tools; which server it is cannot be seen here. */
function translateName(name: string): string {
  const mcp = /^mcp__(?:(.*)__)?(.*)$/.exec(name)
  if (mcp) return mcp[1] === undefined ? 'MCP:.*' : `MCP:${mcp[2]}`
  return Object.hasOwn(CLAUDE_TOOLS, name) ? CLAUDE_TOOLS[name]! : name
}
