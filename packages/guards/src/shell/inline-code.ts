// Code for other interpreters in an argument or on stdin: the shell commands, deletions and writes in it. Not a parser of these
// languages: texts in quotes are replaced by their numbers, expressions of known texts are computed, and each call is read with
// the texts that reach it. Where no text reaches a call, all texts of the code count.

import type { Word } from './call.js'
import { UNKNOWN } from './call.js'
import { originOfCode } from './origins.js'
import { secretOf } from './paths.js'

export interface InlineCode {
  /** Scripts for a shell. */
  readonly scripts: readonly string[]
  /** Calls that have the same effect. */
  readonly calls: readonly (readonly string[])[]
  readonly readsInput: boolean
  /** It starts processes from texts that are not in the code. */
  readonly isUnknown: boolean
  /** It runs text that it decodes or downloads, or connects a shell to the network. */
  readonly foreign: readonly ('remote' | 'decoded' | 'socket')[]
  readonly isForkBomb: boolean
}

const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'lua osascript rscript r julia elixir groovy'.split(' ').map(name => [name, /^-e$/] as const),
  ),
  python: /^-\w*c$/,
  node: /^(?:-\w*[ep]|--eval|--print)$/,
  perl: /^-\w*[eE]$/,
  ruby: /^-\w*e$/,
  php: /^-\w*r$/,
  bun: /^(?:-e|--eval)$/,
  deno: /^eval$/,
  tclsh: /^-c$/,
  emacs: /^--?eval$/,
}

const isWeb = (name: string): boolean => /^(?:node|bun|deno)$/.test(name)

/** Programs are started by these functions; those of the second kind have other meanings too. */
const STARTS =
  /^(?:system|popen\d?|spawn\w*|exec(?:Sync|File\w*|[lv]p?e?|a|ute)?|check_(?:call|output)|getoutput|getstatusoutput|shell_exec|passthru|proc_open|Popen|capture\d\w*|posix_spawn\w*|startfile|create_subprocess_\w+|Command|shell-command|call-process|\$)$/
const STARTS_QUALIFIED = /^(?:subprocess|Open3|Process|sh|Bun|execa)\.(?:run|call|\w*)$/
/** Effects by the names of functions, as the programs that have them. */
const EFFECTS: readonly (readonly [names: RegExp, ...call: string[]])[] = [
  [
    /^(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|remove_dir_all|remove_entry_secure|rimraf|removeSync|rm|delete-directory)$/,
    'rm',
    '-rf',
  ],
  [
    /^(?:remove|unlink|unlinkSync|delete|rmdir|removedirs|truncate|truncateSync|ftruncate|delete-file)$/,
    'rm',
  ],
  [
    /^(?:touch|write_text|write_bytes|writeFile|writeFileSync|appendFile|appendFileSync|file_put_contents|sysopen|writeLines|createWriteStream|writeTextFile|writeTextFileSync)$/,
    'tee',
  ],
  [/^(?:rename|renameSync|move)$/, 'mv'],
  [/^(?:copyfile|copy2?|copytree|copyFile|copyFileSync|cpSync|cp)$/, 'cp'],
  [/^(?:symlink|symlinkSync|link|linkSync)$/, 'ln', '-s'],
  [/^l?(?:chmod|chmodSync|chown|chownSync)$/, 'chmod', '000'],
]
/** They are methods of collections too. */
const AMBIGUOUS = /^(?:remove|delete|rm|cp|move|copy2?|link|truncate|read)$/
const MODULES =
  /^(?:os|fs\w*|promises|shutil|File|FileUtils|Dir|Pathname|Deno|IO|Files|pathlib|shelljs)(?:\.promises)?(?:\.|->|::)/
const OPENS = /^(?:open|fopen|openSync)$/
const READS =
  /^(?:read_text|read_bytes|readFile|readFileSync|readTextFile|readTextFileSync|file_get_contents|readfile|read|slurp|readlines|readLines|createReadStream)$/
const WRITE_MODE = /^(?:[wax][bt+]*|r\+b?|>{1,2}|\+<)$/
const RUNS_TEXT = /^(?:eval|exec|load|loadstring|runInThisContext|instance_eval|Function)$/
const DECODES =
  /\b(?:\w*b64decode|base64_decode|decode_base64|atob|unhexlify|fromhex|fromCharCode|decode64|unpack)\b|['"](?:base64|hex)['"]|\bmap\(\s*chr\b/
const FETCHES =
  /\b(?:urlopen|urlretrieve|fetch|requests\.get|LWP|Net::HTTP|open-uri|https?\.get)\b|file_get_contents\s*\(\s*['"]https?:/
const NETWORK =
  /\b(?:requests|urllib|http\.client|httpx|aiohttp|fetch|axios|https?\.request|socket|TCPSocket|Net::HTTP|LWP|curl_exec|fsockopen|smtplib|ftplib|paramiko)\b/
const SOCKETS = /\b(?:socket|TCPSocket|fsockopen|net\.connect|net\.Socket|IO::Socket|UNIXSocket)\b/
const STARTS_SHELL = /(?:\/bin\/|['"])(?:ba|z|da|k)?sh\b(?:['" ])|cmd\.exe|pty\.spawn/

export function codeOf(
  name: string,
  args: readonly Word[],
  input: string | undefined,
): InlineCode | undefined {
  if (/^[gmn]?awk$/.test(name)) return ofAwk(args)
  const kind = name
    .replace(/[\d.]+$/, '')
    .replace(/^(?:pypy|ipython|py)$/, 'python')
    .replace(/^nodejs$/, 'node')
    .replace(/^luajit$/, 'lua')
  const option = Object.hasOwn(INTERPRETERS, kind) ? INTERPRETERS[kind] : undefined
  if (!option) return undefined
  const attached = /^-[a-zA-Z]*[ceE](['"\w].*)$/s.exec(args[0]?.text ?? '')
  if (attached && kind === 'python' && !option.test(args[0]!.text)) return readCode(attached[1]!, kind, false)
  const codes = args.flatMap((_, index) =>
    option.test(args[index - 1]?.text ?? '') || args[index - 1]?.text === 'timeit' ? [args[index]!.text] : [],
  )
  const isFromInput = codes.length === 0 && args.every(({ text }) => /^-/.test(text)) && input !== undefined
  const code = isFromInput ? input : codes.join('\n')
  if (codes.length === 0 && !isFromInput) return undefined
  if (isCommand(code)) return { ...NOTHING, scripts: [code] }
  return readCode(code, kind, isFromInput)
}

const NOTHING: InlineCode = {
  scripts: [],
  calls: [],
  readsInput: false,
  isUnknown: false,
  foreign: [],
  isForkBomb: false,
}

/** A shell command given to the wrong program: `ruby -e "rm -rf /"`; Tcl has the words of a shell. */
const isCommand = (code: string): boolean =>
  /^\s*(?:sudo\s+)?(?:(?:rm|dd|mkfs|git)\s+-?\w|exec\s+[\w/])/.test(code)

function readCode(code: string, kind: string, readsInput: boolean, depth = 0): InlineCode {
  const source = new Source(code, kind)
  const scripts = [...source.commands]
  const calls: string[][] = []
  const inner = source.embedded
  let isUnknown = code.includes(UNKNOWN)
  let startsAny = source.commands.length > 0
  for (const { name, full, receiver, args } of source.calls()) {
    const given = args.map(arg => source.textsIn(arg))
    const known = given.flat()
    const own = source.textsIn(receiver)
    if (STARTS.test(name) ? !isWeb(kind) || isStarter(code, name) : STARTS_QUALIFIED.test(full)) {
      startsAny = true
      const texts = known.length > 0 ? known : source.texts
      if (known.length > 1) calls.push(known)
      scripts.push(...texts.filter(text => /[a-z]/i.test(text)))
      isUnknown ||= texts.length === 0
    }
    if (RUNS_TEXT.test(name) && !/\.exec$/.test(full)) {
      startsAny = true
      if (depth < 4) inner.push(...(known.length > 0 ? known : source.texts))
    }
    const pathsIn = (texts: readonly string[]) => texts.filter(isPath).map(expand)
    const found = pathsIn([...own, ...known])
    const paths =
      found.length > 0 || own.length > 0 || args.every(arg => arg === '') || known.length > 0
        ? found
        : pathsIn(source.texts)
    const first = own.length > 0 ? own : (given[name === 'writeLines' ? 1 : 0] ?? [])
    const target = (OPENS.test(name) ? paths : pathsIn(first)).slice(0, 1)
    const isOther = AMBIGUOUS.test(name) && /[.>:]/.test(full) && !MODULES.test(full) && own.length === 0
    for (const [names, ...call] of isOther ? [] : EFFECTS)
      if (names.test(name) || (call[0] === 'mv' && full === 'os.replace'))
        if (/^(?:mv|cp|ln)$/.test(call[0]!)) calls.push([...call, ...paths])
        else if (call[0] === 'tee') calls.push(...target.map(path => [...call, path]))
        else calls.push(...paths.map(path => [...call, path]))
    const isOpen = OPENS.test(name)
    const writes =
      (isOpen &&
        (known.some(text => WRITE_MODE.test(text)) ||
          args.some(arg => /O_(?:WRONLY|RDWR|TRUNC)/.test(arg)))) ||
      /^(?:File|IO)\.(?:bin)?write$/.test(full)
    const redirected = isOpen
      ? known.flatMap(text => /^\s*\+?>{1,2}\s*([^\s>].*)$/s.exec(text)?.[1] ?? [])
      : []
    if (writes) calls.push(...target.map(path => ['tee', path]))
    else if (redirected.length > 0) calls.push(...redirected.map(path => ['tee', expand(path)]))
    // The content that it reads is printed or sent.
    else if (isOpen || READS.test(name))
      calls.push(...paths.map(path => (NETWORK.test(code) ? ['curl', '-T', path, 'host'] : ['cat', path])))
  }
  const read = depth < 4 ? inner.map(text => readCode(text, kind, false, depth + 1)) : []
  return {
    scripts: [...scripts, ...read.flatMap(one => one.scripts)],
    calls: [...calls, ...read.flatMap(one => one.calls)],
    readsInput,
    isUnknown: isUnknown || (startsAny && read.some(one => one.isUnknown)),
    foreign: [...foreignIn(code, startsAny), ...read.flatMap(one => one.foreign)],
    isForkBomb: /\bfork\b/.test(source.skeleton) && /\b(?:while|until|loop|for)\b/.test(source.skeleton),
  }
}

/** `exec` is a method of regular expressions too. */
const isStarter = (code: string, name: string): boolean =>
  name !== 'exec' || /child_process|execa|shelljs|\bBun\b|\bDeno\b|\bzx\b/.test(code)

interface CodeCall {
  readonly name: string
  /** With the names in front of it, as in `os.remove`. */
  readonly full: string
  readonly receiver: string
  readonly args: readonly string[]
}

/** Code without its texts and comments, with what is known of its variables. */
class Source {
  readonly texts: string[] = []
  /** In backticks, where they start programs. */
  readonly commands: string[] = []
  /** Code inside of texts: `f"{…}"`, `${…}`, `#{…}`. */
  readonly embedded: string[] = []
  readonly skeleton: string
  private readonly variables = new Map<string, string>()

  constructor(code: string, kind: string) {
    const taken = code.replace(
      isWeb(kind) || kind === 'groovy' ? WEB : kind === 'perl' ? PERL : kind === 'php' ? PHP : HASH,
      (all, quote, text, percent, at: number) => {
        if (quote === undefined && percent === undefined) return ' '
        const value = text ?? percent
        if (quote !== "'" || /f$/i.test(code.slice(0, at)))
          for (const [, inside] of value.matchAll(/[$#]?\{([^{}]+)\}/g)) this.embedded.push(inside!)
        const isCommand =
          quote === undefined
            ? /^(?:%x|qx)/.test(all)
            : quote === '`' && (!isWeb(kind) || /\$$/.test(code.slice(0, at)))
        if (isCommand) this.commands.push(plain(value))
        return this.add(plain(value))
      },
    )
    this.skeleton = this.fold(taken)
    for (const pattern of ASSIGNMENTS)
      for (const { groups } of this.skeleton.matchAll(pattern))
        for (const name of groups!.name!.match(/\w+/g) ?? [])
          this.variables.set(name, `${this.variables.get(name) ?? ''} ${groups!.value}`)
  }

  private add(text: string): string {
    this.texts.push(text)
    return `"${this.texts.length - 1}"`
  }

  private text(index: string | undefined): string {
    return this.texts[Number(index)] ?? ''
  }

  /** Computes what consists of known texts: names that are looked up, joined texts, paths. */
  private fold(code: string): string {
    const joined = (list: string, separator: string) =>
      this.add([...list.matchAll(/"(\d+)"/g)].map(([, index]) => this.text(index)).join(separator))
    const named = (all: string, before: string, index: string) =>
      /^\w+$/.test(this.text(index)) ? `${before}.${this.text(index)}` : all
    let text = code.replace(/\b(?:__import__|import_module|require)\s*\(\s*"(\d+)"\s*\)/g, (_, index) =>
      this.text(index).replace(/^node:/, ''),
    )
    text = text
      .replace(/\bdo shell script\b/g, 'system')
      .replace(
        /[\w.$]*(?:environ(?:\.get)?|getenv|ENV|\benv|_SERVER)\s*[[({.]\s*(?:"(\d+)"|(HOME|USERPROFILE)\b)\s*[\])}]?/g,
        (all, index, name) => (/^(?:HOME|USERPROFILE)$/.test(name ?? this.text(index)) ? this.add('~') : all),
      )
      .replace(/\b[\w.]*(?:Path\.home|homedir|Dir\.home)\b(?:\(\))?/g, () => this.add('~'))
      .replace(
        /\b(?:call_user_func(?:_array)?|array_map|array_walk)\s*\(\s*"(\d+)"\s*,/g,
        (_, index) => `${this.text(index)}(`,
      )
      .replace(/\bsend\s*\(\s*(?::(\w+)|"(\d+)")\s*,/g, (_, name, index) => `${name ?? this.text(index)}(`)
      .replace(/\bmap\(\s*([a-z][\w.]*\.[\w.]+)\s*,/g, '$1(')
      .replace(/\.(?:forEach|map|each)\(\s*&?(?:\w+\.)*(\w+)\s*\)/g, '.$1()')
    for (let round = 0, before = ''; round < 16 && before !== text && this.texts.length < 2000; round++) {
      before = text
      text = text
        .replace(WRAPPED, '$1')
        .replace(/"(\d+)"\s*(?:\+|\.(?!\w)|(?<=")\s+(?="))\s*"(\d+)"/g, all => joined(all, ''))
        .replace(/"(\d+)"\s*\/\s*"(\d+)"/g, all => joined(all, '/'))
        .replace(/"(\d+)"\.(?:glob|rglob|joinpath|iterdir)\(\s*("\d+")?\s*\)/g, all => joined(all, '/'))
        .replace(/(?:\b\w+\.)+join\(\s*("\d+"(?:\s*,\s*"\d+")*)\s*\)/g, (_, list) => joined(list, '/'))
        .replace(/[[(]\s*("\d+"(?:\s*,\s*"\d+")*)\s*[\])]\.join\(\s*(?:"(\d+)")?\s*\)/g, (_, list, index) =>
          joined(list, this.text(index)),
        )
        .replace(/"(\d+)"\.join\(\s*[[(]?\s*("\d+"(?:\s*,\s*"\d+")*)\s*[\])]?\s*\)/g, (_, index, list) =>
          joined(list, this.text(index)),
        )
        .replace(/getattr\(\s*([\w.]+(?:\(\))?)\s*,\s*"(\d+)"\s*\)/g, named)
        .replace(/(\w)\s*\[\s*"(\d+)"\s*\](?=\s*\()/g, named)
    }
    return text
  }

  /** With the variables that a text names: `{x}`, `${x}`, `$x`. */
  private filled(text: string, depth: number): string {
    if (!/[{$]/.test(text) || depth > 3) return text
    return text.replace(/[$#]?\{(\w+)\}|\$(\w+)/g, (all, braced, plain) => {
      const value = this.variables.get(braced ?? plain)
      return value === undefined ? all : (this.textsIn(value, depth + 1)[0] ?? UNKNOWN)
    })
  }

  /** The name that a variable or an import stands for. */
  private nameOf(name: string): string {
    const value = this.variables.get(name)?.trim() ?? ''
    const text = /^"(\d+)"$/.exec(value) ? this.text(value.slice(1, -1)) : value
    return /^[\w.]+$/.test(text) ? text : name
  }

  /** The texts that an expression contains, also through variables. */
  textsIn(expression: string, depth = 0): string[] {
    const found: string[] = []
    for (const [, index, name] of expression.matchAll(/"(\d+)"|(?<![.\w])[$@%]?([A-Za-z_]\w*)/g))
      if (index) found.push(this.filled(this.text(index), depth))
      else if (depth < 4 && this.variables.has(name!))
        found.push(...this.textsIn(this.variables.get(name!)!, depth + 1))
    return found.slice(0, 64)
  }

  *calls(): Generator<CodeCall> {
    const { skeleton } = this
    for (const match of skeleton.matchAll(
      /(?:[\w$]+(?:\.|->|::))*([\w$-]+)[!?]?\s*(?=\(|"\d|\$\w|glob\b|[A-Z]\w*\s*,)|\$(?="\d)/g,
    )) {
      const start = match.index + match[0].length
      const full = match[0]
        .trim()
        .replace(/[!?]$/, '')
        .replace(/^\$(?=\w)/, '')
        .replace(/^\w+/, name => this.nameOf(name))
      const before = skeleton.slice(0, match.index)
      // `"/etc".unlink()`, `Path(p).unlink()`: the expression in front of the dot.
      const receiver =
        /[.>:]$/.test(before) || /\.|->/.test(full)
          ? `${/[^;\n={}]*$/.exec(before)![0]} ${full.replace(/\W?\w+$/, '')}`
          : ''
      const args =
        skeleton[start] === '('
          ? argumentsAt(skeleton, start + 1)
          : splitArguments(/^[^;\n}]*/.exec(skeleton.slice(start))![0])
      yield { name: /[\w$-]*$/.exec(full)![0], full, receiver, args }
    }
  }
}

/** The parts between commas, up to the parenthesis that closes. */
function argumentsAt(code: string, start: number): string[] {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    if ('([{'.includes(code[at]!)) depth++
    else if (')]}'.includes(code[at]!) && depth-- === 0) return splitArguments(code.slice(start, at))
  }
  return splitArguments(code.slice(start))
}

function splitArguments(code: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < code.length; at++)
    if ('([{'.includes(code[at]!)) depth++
    else if (')]}'.includes(code[at]!)) depth--
    else if (code[at] === ',' && depth === 0) {
      parts.push(code.slice(start, at).trim())
      start = at + 1
    }
  return [...parts, code.slice(start).trim()]
}

/** Functions whose result is the path that they take, or a path below it. */
const WRAPPED =
  /(?:\b\w+\.)*\b(?:Path|PurePath|PosixPath|expanduser|expandvars|abspath|realpath|normpath|resolve|glob|iglob|walk|scandir|listdir|readdirSync|readdir|expand_path|entries|str|String)\s*\(\s*("\d+")\s*(?:,[^()]*)?\)|(?<=\W)glob\s+("\d+")/g

const ASSIGNMENTS = [
  /(?<name>\w+)\s*:?=(?![=>~])\s*(?<value>[^;\n]+)/g,
  /\bfor(?:each)?\s*\(?\s*(?:const|let|var|my)?\s*(?<name>[\w$, ]+?)\s*(?:\bin\b|\bof\b|\()\s*(?<value>[^:;\n{\]]+)/g,
  /\bforeach\s*\((?<value>[^;{]+?)\bas\b(?<name>[\w$ =>]+)\)/g,
  /(?<value>[^;\n]+?)\.(?:each\w*|map|forEach|select|filter)\s*(?:\{|do\b|\()\s*[|(]?(?<name>[\w, ]+)(?:\||\)?\s*=>)/g,
  /(?:\b(?:with|import)\s+|,\s*)(?<value>[^:;,\n]+?)\s+as\s+(?<name>\w+)/g,
]

const TEXT = `("""|'''|['"\`])((?:\\\\[\\s\\S]|(?!\\1)[\\s\\S])*)\\1|(?:%[xqQ]|\\bq[qx]?\\s*)[({[]([^)}\\]]*)[)}\\]]`
const HASH = new RegExp(`${TEXT}|(?<![^\\s;(){}])#[^\\n]*|(?<=^|\\n)=begin\\b[\\s\\S]*?(?:\\n=end\\b|$)`, 'g')
/** A \`#\` is a delimiter of many operators of Perl, so only a line of its own is a comment. */
const PERL = new RegExp(`${TEXT}|(?<=^|\\n)[ \\t]*#[^\\n]*|(?<=^|\\n)=\\w+\\b[\\s\\S]*?(?:\\n=cut\\b|$)`, 'g')
const WEB = new RegExp(`${TEXT}|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g')
const PHP = new RegExp(`${WEB.source}|(?<![^\\s;(){}])#[^\\n]*`, 'g')

function foreignIn(code: string, runs: boolean): InlineCode['foreign'] {
  const origin = code.startsWith(UNKNOWN) ? originOfCode(code) : undefined
  return [
    ...(origin ? [origin] : []),
    ...(runs && DECODES.test(code) ? (['decoded'] as const) : []),
    ...(runs && FETCHES.test(code) ? (['remote'] as const) : []),
    ...(SOCKETS.test(code) && STARTS_SHELL.test(code) ? (['socket'] as const) : []),
  ]
}

/** Programs that awk starts: `system("…")`, `"…" | getline`, `print | "…"`. */
function ofAwk(args: readonly Word[]): InlineCode | undefined {
  const code = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  if (!/\bsystem\s*\(|\|\s*(?:getline|"|&)|"\s*\|/.test(code)) return undefined
  const scripts = [...code.matchAll(HASH)]
    .map(([, , text]) => plain(text ?? ''))
    .filter(text => /^\s*[\w./~]/.test(text))
  return { ...NOTHING, scripts, isUnknown: scripts.length === 0 }
}

const plain = (text: string): string =>
  text
    .replace(/\\x([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\u\{?([0-9a-f]{4})\}?/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\([0-7]{2,3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\(['"`\\])/g, '$1')
    .replace(/\\n/g, '\n')

const isPath = (text: string): boolean =>
  /^[/~.$]/.test(text) || secretOf(text) !== undefined || (text.includes('/') && !/\s/.test(text))

const expand = (text: string): string =>
  text.replace(/^\$(?:\{?HOME\}?|ENV\{HOME\})/, '~').replace(/^~\/\//, '~/')
