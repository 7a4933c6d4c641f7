// Which files a command runs, as far as its text shows. Trust covers these files. A command that may run others is not
// fully covered: it can be trusted, and everything that asks for trust shows the reason.

import { isAssignment, plainWords, SHELL_WORDS } from '../shell.js'

export interface Coverage {
  /** Words that may name a file or a folder of the workspace. */
  readonly words: ReadonlySet<string>
  /** Paths that are started, and files that are given to an interpreter, with its name. */
  readonly programs: ReadonlyMap<string, string | undefined>
  /** Paths that are started, and files that are passed to an interpreter, with its name. */
  readonly tools: ReadonlySet<string>
  /** Why the command may run files that its text does not name. */
  readonly gap: string | undefined
}

export type Variables = Readonly<Record<string, string | undefined>>

/** Bounds the time for one command; a system accepts at most 128 KiB. */
const LONGEST_COMMAND = 20_000
/** Longer than any path that a file system accepts. */
const LONGEST_PATH = 4096

export function coverageOf(command: string, variables: Variables, platform: NodeJS.Platform): Coverage {
  const reader = new Reader(platform === 'win32')
  if (command.length > LONGEST_COMMAND)
    reader.gap = `The command is longer than ${LONGEST_COMMAND} characters.`
  else reader.readList(expand(platform === 'win32' ? command.replaceAll('\\', '/') : command, variables))
  return reader
}

/** A word that counts also while it names nothing, because a file may appear there later. */
export const isAwaited = (word: string, { programs }: Coverage): boolean =>
  /[/.]/.test(word) || programs.has(word)

/** Variables are literal text inside single quotes. */
function expand(text: string, variables: Variables): string {
  const inside = (part: string) =>
    part.replace(VARIABLE, (all, name, braced) => variables[name ?? braced] ?? all)
  return text.replace(QUOTED_OR_VARIABLE, part => (part.startsWith("'") ? part : inside(part)))
}

const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g
const QUOTED_OR_VARIABLE = /'[^']*'|"[^"]*"|\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g

/** A digit belongs to the redirection only if it is a word of its own: in `guard2>&1` it is part of the name. */
const HARMLESS_REDIRECT =
  /(?:(?<![^\s;|&])[12])?>>?\s*\/dev\/null(?=[\s;|&]|$)|(?:(?<![^\s;|&])[12])?>&[12](?=[\s;|&]|$)/g
const PART = /&&|\|\||[;|\n]|(?:'[^']*'|"[^"]*"|[^'";|&\n])+|./g
const OPERATOR = /^(?:&&|\|\||[;|\n]|\s+)$/

/** Separators of anything that could be a path. Drive letters of Windows keep their colon. */
const SEPARATORS = /[\s'"`;|&()<>{},=:]+/
const WINDOWS_SEPARATORS = /[\s'"`;|&()<>{},=]+/
const QUOTES = /'([^']*)'|"([^"]*)"/g
/** A file that is only written is not run, unless another word names it. */
const WRITTEN = />>?\s*(?:"[^"]*"|'[^']*'|[^\s'"`;|&()<>]+)/g
/** A pattern may match every file of its folder. */
const PATTERN = /(?:^|\/)[^/]*[*?[].*$/
/** Behind a variable or a substitution, a path begins with a slash and may be meant from a folder of the project. */
const EXPANDED = /^(?:\$\w+|[.-]*)\/+/
/** `link/..` is not the folder that contains the link. */
const THROUGH_PARENT = /(?:^|\/)(?!\.{1,2}\/)[^/]+\/+\.\.(?:\/|$)/

interface Interpreter {
  /** Options that load no other code. Any other option is a gap. */
  readonly safe: RegExp
  /** Of these, the ones whose value is the next word. */
  readonly valued?: RegExp
}

const SHELL: Interpreter = {
  safe: /^(?:[-+][abefhiklmnopuvxBCEHOPT]+|--(?:norc|noprofile|posix)?)$/,
  valued: /^[-+][a-zA-Z]*[oO]$/,
}
/** Programs that run the file that they are given, and no settings of the project. */
const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  ...Object.fromEntries(['sh', 'bash', 'zsh', 'dash', 'ksh'].map(name => [name, SHELL])),
  ...both('node', 'nodejs', { safe: /^--(?:enable-source-maps$|no-warnings$|allow-)/ }),
  ...both('python', 'python3', { safe: /^-[BEIOPSbdqsuv]+$/ }),
  ...both('ruby', 'perl', { safe: /^-[wW]$/ }),
  php: { safe: /^-[nqf]$/ },
  ...both('pwsh', 'powershell', {
    safe: /^-(?:NoProfile|NonInteractive|NoLogo|File|ExecutionPolicy)$/i,
    valued: /^-ExecutionPolicy$/i,
  }),
}

function both(one: string, other: string, interpreter: Interpreter): Record<string, Interpreter> {
  return { [one]: interpreter, [other]: interpreter }
}

/** Programs that run nothing but themselves, each with the words that make it run or load something else. */
const UTILITIES: Readonly<Record<string, RegExp | undefined>> = {
  ...Object.fromEntries(
    ': cat cut date echo exit false grep head logger sleep tail tee tr true wc'
      .split(' ')
      .map(name => [name, undefined]),
  ),
  // A name of a variable may contain code as its index: `a[$(./x)]`.
  ...Object.fromEntries(['[', 'printf', 'test'].map(name => [name, /^-[vR]/])),
  jq: /\b(?:import|include)\b|^-[a-zA-Z]*[Lf]|^--(?:library|from-file)/,
}
/** Programs that start the command behind them. */
const PREFIXES: ReadonlySet<string> = new Set('command env exec nohup time'.split(' '))
/** Variables that make programs load files, or that change what the words of the command mean. */
const LOADING =
  /^(?:PATH|HOME|PWD|CDPATH|IFS|PS\d|PROMPT_COMMAND|SHELL|ENV|BASH\w+|ZDOTDIR|EDITOR|VISUAL|PAGER|CLASSPATH|LOCPATH|VIRTUAL_ENV|\w*JAVA_\w+|(?:LD|DYLD|XDG|NODE|NPM|GEM|GIT|LUA|DENO|BUN|UV|OPENSSL|GCONV|CURSOR|CLAUDE|HOLDFAST)_\w+|(?:PYTHON|PERL|RUBY|PHP)\w+)\+?=/i
/** Other variables may have a value that is neither a path nor code. */
const PLAIN_VALUE = /=[\w.,:+@%-]*$/

class Reader implements Coverage {
  readonly words = new Set<string>()
  readonly programs = new Map<string, string | undefined>()
  readonly tools = new Set<string>()
  gap: string | undefined

  constructor(private readonly isWindows: boolean) {}

  /** Examines each command of a list or pipe alone. Any other shell syntax is a gap. */
  readList(text: string): void {
    for (const part of text.replace(HARMLESS_REDIRECT, ' ').match(PART) ?? []) {
      if (OPERATOR.test(part)) continue
      const words = plainWords(part)
      if (words) this.readSimple(words)
      else this.readSyntax(part)
    }
  }

  private readSyntax(part: string): void {
    this.gap ??= 'The command uses shell syntax that may run other files.'
    const read = part.replace(WRITTEN, ' ')
    for (const [, single, double] of read.matchAll(QUOTES)) this.addWord(single ?? double!)
    for (const word of this.split(read)) {
      this.addWord(word)
      if (/[$`)}]/.test(part)) this.addWord(word.replace(EXPANDED, ''))
    }
  }

  private readSimple(given: readonly string[]): void {
    let at = 0
    for (;;) {
      for (; at < given.length && isAssignment(given[at]!); at++) this.readAssignment(given[at]!)
      const next = given[at + 1]
      if (next === undefined || next.startsWith('-') || !PREFIXES.has(toolName(given[at]!))) break
      this.addTool(given[at]!)
      at++
    }
    const program = given[at]
    if (program === undefined) return
    const name = nameOf(program)
    const tool = toolName(program)
    const rest = given.slice(at + 1)
    this.addWord(program)
    this.addTool(program)
    if (tool === 'tee') return
    for (const word of rest) this.addWithParts(word)
    // An interpreter of the project, such as that of a virtual environment, loads files beside it.
    if (Object.hasOwn(INTERPRETERS, name) && tool === '') this.addProgram(program)
    if (Object.hasOwn(INTERPRETERS, name)) this.readScript(name, INTERPRETERS[name]!, rest)
    else if (Object.hasOwn(UTILITIES, tool)) {
      const word = rest.find(each => UTILITIES[tool]?.test(each))
      if (word !== undefined) this.gap ??= `${tool} ${word} may run code that the command does not name.`
    } else if (tool === 'holdfast' && rest[0] === 'guard') return
    else if (program.includes('/')) this.addProgram(program)
    else this.gap ??= `${name} may run files that the command does not name.`
  }

  private readAssignment(word: string): void {
    this.addWithParts(word)
    if (LOADING.test(word) || !PLAIN_VALUE.test(word))
      this.gap ??= `The command sets ${word.split(/\+?=/)[0]}, which can make programs load other files.`
  }

  private readScript(name: string, { safe, valued }: Interpreter, words: readonly string[]): void {
    let isCode = false
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!
      if (!/^[-+]./.test(word)) {
        if (isCode) this.readList(word)
        else if (word === '-') break
        else this.addProgram(word, name)
        return
      }
      // The code of `sh -c` is a command like any other.
      const isShellCode = safe === SHELL.safe && /^-[a-zA-Z]*c/.test(word)
      if (isShellCode) isCode = true
      const option = isShellCode ? word.replace('c', '') : word
      if (option !== '-' && !safe.test(option))
        this.gap ??= `${name} ${word} may load files that the command does not name.`
      if (valued?.test(word)) at++
    }
    this.gap ??= `${name} reads its program from standard input.`
  }

  private addTool(word: string): void {
    if (!word.includes('/') && !SHELL_WORDS.has(word)) this.tools.add(word)
  }

  private addProgram(path: string, interpreter?: string): void {
    this.programs.set(path, interpreter)
    if (THROUGH_PARENT.test(path)) this.gap ??= `The path ${path} depends on links, because it contains "..".`
    if (/(?:^|\/)node_modules\//.test(path)) this.gap ??= `${path} may load other files of its package.`
  }

  private addWithParts(word: string): void {
    this.addWord(word)
    for (const part of this.split(word)) this.addWord(part)
  }

  private addWord(given: string): void {
    const word = given.replace(PATTERN, '')
    if (/[^-]/.test(word) && !word.includes('\0') && word.length <= LONGEST_PATH) this.words.add(word)
  }

  private split(text: string): string[] {
    return text.split(this.isWindows ? WINDOWS_SEPARATORS : SEPARATORS)
  }
}

const SYSTEM_FOLDER = /^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/bin\/[^/]+$/

/** The name of a program of the machine. A program of the project may have the same name. */
const toolName = (word: string): string =>
  !word.includes('/') || SYSTEM_FOLDER.test(word) ? nameOf(word) : ''

const nameOf = (word: string): string =>
  word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/\.exe$/i, '')
    .replace(/^python3\.\d+$/, 'python3')
