// Finds the programs in a command that turn hooks off without changing a hook file: the command of Holdfast itself, those
// that end the processes of hooks, and agents that are started without their hooks.

import { basename } from 'node:path'
import { runWithin } from '../watchdog.js'
import { patternSource, type Word } from './command-words.js'
import { toRegExp } from './protected-paths.js'

export interface Started {
  /** The program, without its folder, in lower case. */
  readonly name: string
  /** The program and its words. */
  readonly words: readonly Word[]
  /** Whether it gets further words that the command does not show, as from xargs. */
  readonly hasMore: boolean
  /** The variables that are set for it. */
  readonly variables: readonly string[]
  /** The complete command. */
  readonly command: string
  /** As the entries name it. */
  readonly agent: string
}

/** Why the program can turn hooks off. */
export const programReason = (started: Started): string | undefined =>
  ofHoldfast(started) ?? ofPackages(started) ?? ofKillers(started) ?? ofAgents(started)

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '))

const LAUNCHERS = set('npx bunx pnpx pnpm yarn bun npm node deno')
/** Not `ui`: its panel trusts and edits hooks, and the program that starts it can open it. */
const SAFE_HOLDFAST = set(
  'list check explain log doctor test fire compat schema replay help version --help --version -h -v -V',
)

function ofHoldfast({ name, words, hasMore, command: whole }: Started): string | undefined {
  const isOwn = (word: Word) => isHoldfast(word, whole)
  const at = isOwn(words[0]!) ? 0 : LAUNCHERS.has(name) ? words.findIndex(isOwn) : -1
  if (at < 0) return undefined
  const command = words.slice(at + 1).find(({ text }) => text !== '--')?.text ?? (hasMore ? '…' : undefined)
  if (command === undefined || SAFE_HOLDFAST.has(command)) return undefined
  return `"holdfast ${command}" can accept changes of hooks or turn them off.`
}

/** By its name, by a pattern that fits it, or by a substitution that mentions it, such as `$(which holdfast)`. */
function isHoldfast({ text, pattern }: Word, command: string): boolean {
  if (/^holdfast(?:@[\w.^~-]+|\.[cm]?js)?$/.test(basename(text))) return true
  if (/^\0+$/.test(pattern)) return /(?:\$\(|`)[^)`]*holdfast/i.test(command)
  return /(?<!\\)[*?[{]/.test(pattern) && toRegExp(patternSource(basename(pattern))).test('holdfast')
}

const MANAGERS = set('npm pnpm yarn bun volta')
const GLOBAL = /^(?:-g|--global|--location=global|global)$/

/** Entries start what is installed for the user. */
function ofPackages({ name, words }: Started): string | undefined {
  if (!MANAGERS.has(name)) return undefined
  const has = (regex: RegExp) => words.some(({ text }) => regex.test(text))
  const isMeant = has(/^holdfast(?:@|$)/) && (name === 'volta' || has(GLOBAL))
  return isMeant ? 'This would change the installation of Holdfast, which runs hooks.' : undefined
}

const KILLERS = set('kill pkill killall taskkill stop-process')
const SEARCHERS = set('pgrep pidof')
const ENDING = 'This would end processes that run hooks.'
/** Of the entries. If Node alone ends, the shell around it blocks; if it stops, the agent waits, and may then proceed. */
const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'holdfast-client']
/** Options of pkill and pgrep that have a value. */
const VALUED = /^(?:-[a-zA-Z]*[uUgGPst]|--(?:signal|euid|uid|group|parent|session|terminal|ns))$/
const BY_KIND = /^(?:-[a-z]*[uUgGst](?![A-Z])|--(?:e?uid|group|pgroup|session|terminal)(?:=|$))/

function ofKillers({ name, words, command, agent }: Started): string | undefined {
  const isSearch = SEARCHERS.has(name) && /\bkill\b/.test(command)
  if (!KILLERS.has(name) && !isSearch) return undefined
  if (/holdfast/i.test(command)) return ENDING
  const rest = words.slice(1).map(({ text }) => text)
  // The first -1 is a signal, unless the signal is named.
  if (name === 'kill') return rest.slice(1).includes('-1') ? ENDING : undefined
  const patterns = rest.filter((text, index) => !/^-/.test(text) && !VALUED.test(rest[index - 1] ?? ''))
  const isComplete = rest.some(text => /^-[a-zA-Z]*f|^--full$/.test(text))
  const isExact = name === 'killall' || name === 'taskkill' || rest.some(text => /^-[a-z]*x/.test(text))
  const isStop = /-(?:s ?)?(?:SIG)?T?STOP\b|-19\b/.test(command)
  // The parent of a shell of an agent is the agent, and hooks are its children.
  const isBroad = isStop || /\bPPID\b/.test(command) || rest.some(text => BY_KIND.test(text))
  if (patterns.length === 0) return isBroad ? ENDING : undefined
  const matches = (pattern: string) =>
    isComplete
      ? isMatch(pattern, entryOf(agent))
      : [...SHELLS, ...(isStop ? ['node'] : [])].some(one =>
          isExact ? one === pattern : isMatch(pattern, one),
        )
  return patterns.some(matches) ? ENDING : undefined
}

/** A process of an entry, as a search sees it. */
const entryOf = (agent: string): string =>
  `sh -c ${process.argv.slice(0, 2).join(' ')} bridge ${agent} --event X || exit 2`

/** A pattern of which the search takes too long counts. */
function isMatch(pattern: string, text: string): boolean {
  try {
    const regex = new RegExp(pattern)
    if (!/[*+{][^*+{]*[*+{]|\)[*+{]/.test(pattern)) return regex.test(text)
    let isFound = false
    const search = () => {
      isFound = regex.test(text)
    }
    return !runWithin(search, SEARCH_MS) || isFound
  } catch {
    return text.includes(pattern)
  }
}

const SEARCH_MS = 50

export const AGENT_PROGRAMS = set('claude codex gemini copilot qwen opencode cursor-agent')
const WITHOUT_HOOKS = /^--(?:bare|pure|setting-sources|settings)(?:=|$)|^\S*hooks\S*$/i
/** With another folder for its settings, an agent has no entries. */
const OTHER_FOLDER =
  /^(?:HOME|USERPROFILE|XDG_CONFIG_HOME|CLAUDE_CONFIG_DIR|(?:CODEX|COPILOT|GEMINI|QWEN)_\w+)$/

function ofAgents({ name, words, variables }: Started): string | undefined {
  const at = LAUNCHERS.has(name) ? words.findIndex(({ text }) => AGENT_PROGRAMS.has(programOf(text))) : 0
  const agent = programOf(words[at]?.text ?? '')
  if (!AGENT_PROGRAMS.has(agent)) return undefined
  const isMeant =
    variables.some(one => OTHER_FOLDER.test(one)) ||
    words.slice(at + 1).some(({ text }) => WITHOUT_HOOKS.test(text))
  return isMeant ? `This would run ${agent} without hooks, or turn them off.` : undefined
}

/** `@openai/codex@latest` is codex. */
const programOf = (text: string): string =>
  basename(text)
    .replace(/(?<=.)@.*$/, '')
    .replace(/-(?:cli|code)$/, '')
    .toLowerCase()
