// Which files a command runs, as far as its text shows. Trust covers these files. A command that may run others is not
// fully covered: it can be trusted, and everything that asks for trust shows the reason.

import { isAssignment, plainWords } from '../shell.js'

export interface Coverage {
  /** Words that may name a file or a folder of the workspace. */
  readonly words: readonly string[]
  /** Of these, the ones that matter also while they name nothing: a file may appear there later. */
  readonly awaited: ReadonlySet<string>
  /** Of these, the files that an interpreter is given. */
  readonly scripts: ReadonlySet<string>
  /** Why the command may run files that its words do not name. */
  readonly gap: string | undefined
}

export type Variables = Readonly<Record<string, string | undefined>>

export function coverageOf(command: string, variables: Variables, platform: NodeJS.Platform): Coverage {
  const isWindows = platform === 'win32'
  const slashes = isWindows ? command.replaceAll('\\', '/') : command
  const text = slashes.replace(VARIABLE, (all, name, braced) => variables[name ?? braced] ?? all)
  const words = wordsOf(text, isWindows)
  const scripts = new Set<string>()
  const gap = gapOf(text, scripts)
  const awaited = new Set([...words.filter(word => /[/.]/.test(word)), ...scripts])
  return { words, awaited, scripts, gap }
}

const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g

/** Separators of anything that could be a path. Drive letters keep their colon. */
const SEPARATORS = /[\s'"`;|&()<>{},=:]+/
const WINDOWS_SEPARATORS = /[\s'"`;|&()<>{},=]+/
const QUOTES = /'([^']*)'|"([^"]*)"/g

/** A file that is only written is not run, unless another word names it. */
const WRITTEN = /(?:>>?|\btee(?:\s+-a)?)\s*(?:"[^"]*"|'[^']*'|[^\s'"`;|&()<>]+)/g

function wordsOf(text: string, isWindows: boolean): string[] {
  const read = text.replace(WRITTEN, ' ')
  const quoted = [...read.matchAll(QUOTES)].map(match => match[1] ?? match[2]!)
  const parts = read.split(isWindows ? WINDOWS_SEPARATORS : SEPARATORS)
  // Behind a variable or a substitution, a path begins with a slash and is meant from some folder of the project.
  const behind = /[$`]/.test(read) ? parts.map(part => part.replace(/^[.-]*\/+/, '')) : []
  const words = [...(plainWords(read) ?? []), ...quoted, ...parts, ...behind].map(word =>
    word.replace(PATTERN, ''),
  )
  return [...new Set(words)].filter(
    word => /[^-]/.test(word) && !word.includes('\0') && word.length <= LONGEST,
  )
}

/** A pattern may match every file of its folder. */
const PATTERN = /(?:^|\/)[^/]*[*?[].*$/

/** Longer than any path that a file system accepts. */
const LONGEST = 4096

const HARMLESS_REDIRECT = /[12]?>>?\s*\/dev\/null(?=[\s;|&]|$)|[12]?>&[12](?=[\s;|&]|$)/g
const PART = /&&|\|\||[;|\n]|(?:'[^']*'|"[^"]*"|[^'";|&\n])+|./g

/** Each command of a list or pipe is judged alone. Any other shell syntax is a gap. */
function gapOf(text: string, scripts: Set<string>): string | undefined {
  for (const part of text.replace(HARMLESS_REDIRECT, ' ').match(PART) ?? []) {
    if (/^(?:&&|\|\||[;|\n]|\s+)$/.test(part)) continue
    const words = plainWords(part)
    if (!words) return 'The command uses shell syntax that may run other files.'
    const gap = programGap(words, scripts)
    if (gap) return gap
  }
  return undefined
}

/** Programs that run the file that they are given, and their options that name code in another way. */
const INTERPRETERS: Readonly<Record<string, RegExp>> = Object.fromEntries(
  (
    [
      ['sh bash zsh dash ksh', /^-[a-zA-Z]*[cs]$|^--(?:rcfile|init-file)\b/],
      [
        'node nodejs tsx ts-node bun deno',
        /^-(?:e|p|pe|r|C|c)$|^--(?!enable-source-maps$|no-warnings$|allow-)/,
      ],
      ['python python3', /^-[a-zA-Z]*[cmWX]$/],
      ['ruby perl', /^-[a-zA-Z]*[eErIMmnpxC]/],
      ['php', /^-[a-zA-Z]*[rdc]/],
      ['pwsh powershell', /^-(?:c|Command|e|ec|EncodedCommand)$/i],
    ] as const
  ).flatMap(([names, option]) => names.split(' ').map(name => [name, option])),
)
const SHELLS: ReadonlySet<string> = new Set('sh bash zsh dash ksh'.split(' '))
/** Programs that run nothing but themselves. */
const UTILITIES: ReadonlySet<string> = new Set(
  ': [ cat cut date echo exit false grep head holdfast jq logger printf sleep sort tail tee test tr true wc'.split(
    ' ',
  ),
)
/** Programs that start the command behind them. */
const PREFIXES: ReadonlySet<string> = new Set('command env exec nohup time'.split(' '))
/** Variables that make programs load files. */
const LOADING =
  /^(?:PATH|LD_\w+|DYLD_\w+|NODE_(?:OPTIONS|PATH)|PYTHON\w+|PERL5\w+|RUBY\w+|BASH_ENV|ENV|ZDOTDIR)\+?=/

function programGap(given: readonly string[], scripts: Set<string>): string | undefined {
  const start = given.findIndex(word => !isAssignment(word))
  const loading = given.slice(0, start === -1 ? undefined : start).find(word => LOADING.test(word))
  if (loading)
    return `The command sets ${loading.split(/\+?=/)[0]}, which can make programs load other files.`
  const [program, ...rest] = start === -1 ? [] : given.slice(start)
  if (program === undefined) return undefined
  const name = programName(program)
  if (PREFIXES.has(name) && !rest[0]?.startsWith('-')) return programGap(rest, scripts)
  if (Object.hasOwn(INTERPRETERS, name)) return scriptGap(name, rest, scripts)
  if (program.includes('/') || UTILITIES.has(name)) return undefined
  return `${name} may run files that the command does not name.`
}

function scriptGap(name: string, words: readonly string[], scripts: Set<string>): string | undefined {
  const rest = words[0] === 'run' && (name === 'deno' || name === 'bun') ? words.slice(1) : words
  const at = rest.findIndex(word => !/^[-+]./.test(word))
  const options = at === -1 ? rest : rest.slice(0, at)
  const option = options.find(word => INTERPRETERS[name]!.test(word))
  // The code of `sh -c` is a command like any other.
  if (option && SHELLS.has(name) && /^-[a-z]*c$/.test(option) && at !== -1) return gapOf(rest[at]!, scripts)
  if (option) return `${name} ${option} may load files that the command does not name.`
  const script = rest[at]
  if (script === undefined || script === '-') return `${name} reads its program from standard input.`
  if ((name === 'bun' || name === 'deno') && !/[/.]/.test(script))
    return `${name} ${script} may run files that the command does not name.`
  scripts.add(script)
  return undefined
}

const programName = (word: string): string =>
  word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/\.exe$/i, '')
    .replace(/^python3\.\d+$/, 'python3')
