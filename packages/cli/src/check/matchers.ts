// Finds matchers that cannot match. Tool names and the values of an event are closed lists; commands, paths and names
// of MCP tools are open, and nothing is reported about them.

import { isFound } from '@holdfast/hooks'
import { findBridge } from '@holdfast/hooks/bridges'
import { EVENT_SPECS, findEvent, type HookDefinition } from '@holdfast/hooks/protocol'
import { list } from '../print/words.js'

interface MatcherProblem {
  readonly message: string
  readonly hint: string
}

/** Tools that editors report to hooks, besides the examples of the table. The last ones come from few versions. */
const OTHER_TOOLS = [
  'WebSearch',
  'MCP',
  'CallMcpTool',
  'StrReplace',
  'ApplyPatch',
  'EditNotebook',
  'TodoWrite',
]

/** The tools of Claude Code under their names here; by lower case, since case is the other common mistake. */
const FOREIGN_TOOLS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(findBridge('claude-code')!.names.tools).map(
    ([name, { as }]) => [name.toLowerCase(), as] as const,
  ),
  ['run_terminal_cmd', 'Shell'],
])

/** How sessions of Claude Code start. Modes of a composer are an open list. */
const FOREIGN_STARTS: readonly string[] = ['startup', 'resume', 'clear', 'compact']

/** The events of all tools, by the prefix that they give to tools of MCP servers. */
export function isToolSubject(examples: readonly string[]): boolean {
  return examples.some(name => name.startsWith('MCP:'))
}

/** Subjects of these fields can be anything. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['command', 'file_path'])

export function matcherProblem(hook: HookDefinition): MatcherProblem | undefined {
  const { matcher, event } = hook
  if (matcher.kind !== 'plain' && matcher.kind !== 'regex') return undefined
  const { text, regex } = matcher
  const shown = JSON.stringify(text)
  const { subject } = findEvent(event)!
  if ('none' in subject) return undefined
  if (isImpossible(text))
    return { message: `The matcher ${shown} matches nothing.`, hint: 'Correct the pattern, or remove it.' }
  const matches = (known: readonly string[]) => known.some(each => isFound(regex, each) !== false)
  if ('word' in subject)
    return matches([subject.word])
      ? undefined
      : {
          message: `${event} is matched against ${subject.word} only, so ${shown} never matches.`,
          hint: 'Remove the matcher.',
        }
  const { field, examples } = subject
  const words = wordsOf(text)
  const never = { message: `${shown} matches none of ${list(examples)}, so the hook never runs.` }
  if (isToolSubject(examples)) return toolProblem(text, words, [...examples, ...OTHER_TOOLS], matches)
  if (field === 'tool_name' && !('otherwise' in subject))
    return words?.every(word => /^(?:MCP:|mcp__)/.test(word))
      ? {
          message: `${event} is matched against the name of the tool alone, so ${shown} never matches.`,
          hint: 'Remove the prefix.',
        }
      : undefined
  if (field === 'subagent_type')
    return !matches(examples) && words?.every(isTool)
      ? {
          message: `${event} is matched against the type of the subagent, not a tool, so ${shown} never matches.`,
          hint: `Write a type such as ${list(examples, 'or')}, or remove the matcher.`,
        }
      : undefined
  if (field === 'composer_mode' && !words?.every(word => FOREIGN_STARTS.includes(word))) return undefined
  if (OPEN_FIELDS.has(field)) return undefined
  if (matches(examples)) return undefined
  return 'otherwise' in subject
    ? {
        message: `${event} is matched against the tool (${list(examples, 'or')}), so ${shown} never matches.`,
        hint: 'Remove the matcher, and check file_path in the script.',
      }
    : { ...never, hint: `Write one of ${list(examples, 'or')}, or remove the matcher.` }
}

const TOOLS: readonly string[] = [
  ...new Set(
    EVENT_SPECS.flatMap(({ subject }) =>
      'field' in subject && isToolSubject(subject.examples) ? subject.examples : [],
    ),
  ),
  ...OTHER_TOOLS,
]

const isTool = (word: string): boolean => TOOLS.includes(word) || FOREIGN_TOOLS.has(word.toLowerCase())

/** Any word can be part of the name of an MCP tool, so only names of other agents, and anchored patterns, are proven. */
function toolProblem(
  text: string,
  words: readonly string[] | undefined,
  known: readonly string[],
  matches: (known: readonly string[]) => boolean,
): MatcherProblem | undefined {
  const builtIn = known.filter(name => !name.includes(':'))
  const meantBy = (word: string) =>
    FOREIGN_TOOLS.get(word.toLowerCase()) ?? builtIn.find(name => name.toLowerCase() === word.toLowerCase())
  const wrong = (words ?? []).filter(word => {
    const meant = meantBy(word)
    return meant !== undefined && !builtIn.includes(word) && !matches([meant])
  })
  if (wrong.length > 0) {
    const fixed = [...new Set(words!.map(word => meantBy(word) ?? word))].join('|')
    const right = [...new Set(wrong.map(word => meantBy(word)!))]
    return {
      message: `No built-in tool is called ${list(wrong, 'or')} here; ${right.length > 1 ? 'the names are' : 'the name is'} ${list(right)}.`,
      hint: `Write ${JSON.stringify(/^\^/.test(text) ? `^(?:${fixed})$` : fixed)}.`,
    }
  }
  const isAnchored = /^\^(?!.*\|)[\w-]+\$?$/.test(text) || /^\^\((?:\?:)?[\w|-]+\)\$$/.test(text)
  if (!isAnchored || /^\^\(?(?:\?:)?M?C?P?$/.test(text) || matches(known)) return undefined
  return {
    message: `${JSON.stringify(text)} matches no tool, so the hook never runs.`,
    hint: `Built-in tools are ${list(builtIn.slice(0, 9))}; tools of MCP servers begin with MCP:.`,
  }
}

/** The alternatives of a pattern that is a list of plain words; undefined for any other. */
function wordsOf(text: string): string[] | undefined {
  const inner = text.replace(/^\^?\((?:\?:)?([^()]*)\)\$?$/, '$1')
  const words = inner.split('|').map(word => word.replace(/^\^|\$$/g, ''))
  return words.every(word => /^[\w:-]+$/.test(word)) ? words : undefined
}

/** The empty class and the empty negative lookahead match at no place. */
const isImpossible = (text: string): boolean =>
  !text.includes('|') && /(?:^|[^\\[(])(?:\[\]|\(\?!\))(?![?*{])/.test(text)
