// Code for other interpreters in an argument or on stdin: the shell commands, deletions and writes in it. Not a parser of these
// languages: texts in quotes are taken out first, so that what they mention is not taken for calls of the code.

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
  python: /^-\w*c$/,
  node: /^(?:-\w*[ep]|--eval|--print)$/,
  perl: /^-\w*[eE]$/,
  ruby: /^-\w*e$/,
  php: /^-\w*r$/,
  lua: /^-e$/,
  osascript: /^-e$/,
  bun: /^-e$/,
  deno: /^eval$/,
  rscript: /^-e$/,
  r: /^-e$/,
  tclsh: /^-c$/,
  julia: /^-e$/,
  elixir: /^-e$/,
  groovy: /^-e$/,
}

const STARTS =
  /\b(?:system|popen|spawn\w*|exec\w*|subprocess|check_(?:call|output)|shell_exec|passthru|proc_open|Popen|do shell script|IO\.popen|Open3|run|call|qx|os\.exec\w*|child_process|Deno\.Command)\b|`|\$\(/
/** Effects by the names of functions, as in `rm -rf PATH`. */
const EFFECTS: readonly (readonly [names: RegExp, ...call: string[]])[] = [
  [
    /^(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|remove_dir_all|remove_entry_secure|rimraf|removeSync|rm)$/,
    'rm',
    '-rf',
  ],
  [/^(?:remove|unlink|unlinkSync|delete|rmdir|removedirs|truncate|truncateSync|ftruncate)$/, 'rm'],
  [
    /^(?:touch|write_text|write_bytes|writeFile|writeFileSync|appendFile|appendFileSync|file_put_contents|sysopen|writeLines|symlink|symlinkSync|createWriteStream|rename|renameSync|replace_file|copyfile|copy2|copyFileSync)$/,
    'tee',
  ],
  [/^(?:chmod|chmodSync|chown|chownSync|lchown)$/, 'chmod', '000'],
]
/** `open(path, "w")` and its like. */
const OPENS = /\b(?:open|fopen|File\.open|openSync|io\.open)\s*\(/
const WRITE_MODE = /^(?:[wax][bt+]*|r\+b?|>{1,2}|\+<)$/
const RUNS_TEXT = /\b(?:eval|exec|load|loadstring|runInThisContext|instance_eval|call_user_func)\b/
const DECODES =
  /\b(?:\w*b64decode|base64_decode|decode_base64|atob|unhexlify|fromhex|decode64|unpack)\b|['"](?:base64|hex)['"]/
const FETCHES =
  /\b(?:urlopen|urlretrieve|fetch|requests\.get|LWP|Net::HTTP|open-uri|https?\.get)\b|file_get_contents\s*\(\s*['"]https?:/
const NETWORK =
  /\b(?:requests|urllib|http\.client|httpx|aiohttp|fetch|axios|https?\.request|socket|TCPSocket|Net::HTTP|LWP|curl_exec|fsockopen|smtplib|ftplib|paramiko)\b/
const SOCKETS = /\b(?:socket|TCPSocket|fsockopen|net\.connect|net\.Socket|IO::Socket|UNIXSocket)\b/
const STARTS_SHELL = /(?:\/bin\/|['"])(?:ba|z|da|k)?sh\b(?:['" ])|cmd\.exe|pty\.spawn/
const READS_FILE =
  /\b(?:open|read_text|readFile|readFileSync|file_get_contents|File\.read|slurp|readlines|read_bytes|Path)\b/

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
  if (attached && kind === 'python' && !option.test(args[0]!.text)) return readCode(attached[1]!, false)
  const at = args.findIndex(({ text }) => option.test(text))
  const isFromInput = at === -1 && args.every(({ text }) => /^-/.test(text)) && input !== undefined
  if (at === -1 && !isFromInput) return undefined
  const code = isFromInput ? input : (args[at + 1]?.text ?? '')
  if (isCommand(code)) return { ...NOTHING, scripts: [code] }
  return readCode(code, isFromInput)
}

const NOTHING: InlineCode = {
  scripts: [],
  calls: [],
  readsInput: false,
  isUnknown: false,
  foreign: [],
  isForkBomb: false,
}

/** A shell command given to the wrong program: `ruby -e "rm -rf /"`. */
const isCommand = (code: string): boolean => /^\s*(?:sudo\s+)?(?:rm|dd|mkfs|git)\s+-?\w/.test(code)

function readCode(code: string, readsInput: boolean, depth = 0): InlineCode {
  const texts: string[] = []
  // Texts are replaced by their number, so names in them are not calls.
  const skeleton = code.replace(LITERAL, (_, _quote, text, percent) => {
    texts.push(plain(text ?? percent ?? ''))
    return /^`/.test(_) ? `\`"${texts.length - 1}"` : `"${texts.length - 1}"`
  })
  // A list of arguments is one command: ["rm", "-rf", "/"].
  const flat = skeleton.replace(/("\d+"\s*,\s*)\[/g, '$1')
  const lists = [...flat.matchAll(/[[(]\s*((?:"\d+"\s*,?\s*){2,})[\])]/g)].map(([, list]) =>
    [...list!.matchAll(/"(\d+)"/g)].map(([, index]) => texts[Number(index)]!),
  )
  const called = new Set([...skeleton.matchAll(/(\w+)\s*(?:\(|"\d|glob\b)/g)].map(([, name]) => name!))
  // Looked up by name: getattr(os, "remove"), os["remove"], call_user_func("unlink", …).
  if (/\bgetattr\b|\[\s*"\d+"\s*\]|call_user_func|array_map|\bsend\b|__import__/.test(skeleton))
    for (const text of texts) if (/^\w+$/.test(text)) called.add(text)
  const starts = STARTS.test(skeleton) || [...called].some(name => STARTS.test(name))
  const paths = texts.filter(isPath).map(expand)
  const isReplaced = /^[^()]*\b(?:os|shutil|fs)\s*=(?!=)/m.test(skeleton.replace(/import\s+\w+\s+as/g, ''))
  const calls = isReplaced
    ? []
    : EFFECTS.flatMap(([names, ...call]) =>
        [...called].some(name => names.test(name)) ? paths.map(path => [...call, path]) : [],
      )
  const opensToWrite =
    (OPENS.test(skeleton) && texts.some(text => WRITE_MODE.test(text))) ||
    /O_(?:WRONLY|RDWR|TRUNC)/.test(skeleton)
  const inner =
    RUNS_TEXT.test(skeleton) && depth < 4 ? texts.map(text => readCode(text, false, depth + 1)) : []
  return {
    scripts: [
      ...(starts ? texts.filter(text => /[a-z]/i.test(text)) : []),
      ...inner.flatMap(({ scripts }) => scripts),
    ],
    calls: [
      ...(starts ? lists : []),
      ...calls,
      // The content that it reads is printed or sent.
      ...(READS_FILE.test(skeleton) && !opensToWrite
        ? paths.map(path => (NETWORK.test(skeleton) ? ['curl', '-T', path, 'host'] : ['cat', path]))
        : []),
      ...(opensToWrite ? paths.map(path => ['tee', path]) : []),
      ...inner.flatMap(one => one.calls),
    ],
    readsInput,
    isUnknown: (starts && texts.length === 0) || code.includes(UNKNOWN),
    foreign: foreignIn(code, starts || RUNS_TEXT.test(skeleton)),
    isForkBomb: /\bfork\b/.test(skeleton) && /\b(?:while|until|loop|for)\b/.test(skeleton),
  }
}

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
  const scripts = [...code.matchAll(LITERAL)]
    .map(([, , text]) => plain(text ?? ''))
    .filter(text => /^\s*[\w./~]/.test(text))
  return { ...NOTHING, scripts, isUnknown: scripts.length === 0 }
}

const LITERAL = /(['"`])((?:\\[\s\S]|(?!\1)[\s\S])*)\1|(?:%[xq]|\bqx\s*)[({[]([^)}\]]*)[)}\]]/g

const plain = (text: string): string =>
  text
    .replace(/\\x([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\u\{?([0-9a-f]{4})\}?/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(['"`\\])/g, '$1')
    .replace(/\\n/g, '\n')

const isPath = (text: string): boolean =>
  /^[/~.$]/.test(text) || secretOf(text) !== undefined || (text.includes('/') && !/\s/.test(text))

const expand = (text: string): string =>
  text.replace(/^\$(?:\{?HOME\}?|ENV\{HOME\})/, '~').replace(/^\/(?=\.[a-z])/, '~/')
