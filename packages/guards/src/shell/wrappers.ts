// Programs that run another program: where its words begin.

import { type Input, isShell, NO_INPUT, UNKNOWN, UNKNOWN_LIST, type Word } from './call.js'
import { foundBy } from './expansion.js'
import { originOf } from './origins.js'

export interface Inner {
  /** Words of calls. */
  readonly calls: readonly (readonly Word[])[]
  /** A script for a shell. */
  readonly script?: string
  readonly isRemote?: boolean
  /** The folder that the wrapper changes to. */
  readonly folder?: Word
  /** `$0`, `$1` … of the script. */
  readonly positional?: readonly string[]
  /** Nobody knows the script before it runs. */
  readonly isUnknown?: boolean
  /** The script is for PowerShell or cmd. */
  readonly isPowerShell?: boolean
  readonly input?: Input
  /** The script may be no script, so what is not understood in it does not count. */
  readonly isGuess?: boolean
  /** The wrapper itself is judged too. */
  readonly isAlsoCall?: boolean
}

/** The options that take a value, and the number of words before the program. */
const PLAIN: Readonly<Record<string, readonly [valued: RegExp, positionals?: number]>> = {
  ...Object.fromEntries(
    'nohup command builtin setsid busybox toybox dbus-run-session systemd-inhibit torsocks firejail coproc ! noglob nocorrect pkexec run0 chronic unbuffer catchsegv tini dumb-init valgrind wsl eatmydata fakechroot setpriv prlimit run-one'
      .split(' ')
      .map(name => [name, [/^$/]] as const),
  ),
  ...Object.fromEntries(
    'setarch chroot taskset faketime gosu su-exec'.split(' ').map(name => [name, [/^$/, 1]] as const),
  ),
  sudo: [/^(?:-[ugphCTRDUrtl]|--(?:user|group|prompt|host|chroot|chdir|close-from|role|type))$/],
  doas: [/^-[uC]$/],
  env: [/^(?:-[uCPa]|--(?:unset|chdir|argv0))$/],
  nice: [/^(?:-n|--adjustment)$/],
  ionice: [/^-[cnpPu]$/],
  timeout: [/^(?:-[sk]|--(?:signal|kill-after))$/, 1],
  gtimeout: [/^(?:-[sk]|--(?:signal|kill-after))$/, 1],
  time: [/^-[fo]$/],
  exec: [/^-a$/],
  stdbuf: [/^-[ioe]$/],
  unshare: [/^-[SGRw]$/],
  nsenter: [/^-[tSGrw]$/],
  chrt: [/^-[TPD]$/, 1],
  strace: [/^-[eopsPEuaSOIX]$/],
  ltrace: [/^-[eopsuaSnlxDA]$/],
  caffeinate: [/^-[tw]$/],
  rlwrap: [/^-[a-zA-Z]$/],
  'xvfb-run': [/^-[a-z]$/],
  'systemd-run': [/^(?:-[pGMHut]|--(?:unit|property|slice|uid|gid))$/],
  fakeroot: [/^-[lsib]$/],
  proxychains: [/^-f$/],
  proxychains4: [/^-f$/],
  runcon: [/^-[urtlc]$/],
  cpulimit: [/^-[lpe]$/],
  numactl: [/^-[NmiClpP]$/],
}

const FOLDER: Readonly<Record<string, RegExp>> = { env: /^(?:-C|--chdir=?)/, sudo: /^(?:-D|--chdir=?)/ }

function folderOption(name: string, options: readonly Word[]): Word | undefined {
  const pattern = FOLDER[name]
  const at = pattern ? options.findIndex(({ text }) => pattern.test(text)) : -1
  if (!pattern || at === -1) return undefined
  const text = options[at]!.text.replace(pattern, '')
  return text === '' ? options[at + 1] : { ...options[at]!, text }
}

/** A line of a crontab: when, then what. */
const SCHEDULED = /^\s*(?:@\w+|[\d*,/-]+\s+[\d*,/-]+\s+[\d*,/?L-]+\s+[\w*,/-]+\s+[\w*,/#-]+)\s+(.+)$/gm

/** Undefined if this program runs no other one. */
export function unwrap(name: string, args: readonly Word[], input: Input): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined
  if (plain) {
    if (name === 'command' && /^-[vV]$/.test(texts[0] ?? '') && texts.length < 3) return undefined
    if (name === 'env') {
      const split = texts.findIndex(text => /^(?:-[iv0]*S|--split-string)/.test(text))
      if (split >= 0) {
        const rest = texts[split]!.replace(/^(?:-[iv0]*S|--split-string=?)/, '')
        return { calls: [], script: [rest, ...texts.slice(split + 1)].join(' ') }
      }
    }
    const start = afterOptions(
      texts,
      plain[0],
      plain[1] ?? 0,
      name === 'env' || name === 'sudo' || name === 'doas',
    )
    // Without a program, many of them start a shell, which reads its stdin.
    if (start >= args.length)
      return input.text === undefined ? undefined : { ...ofInput(input.text), isGuess: true }
    const folder = folderOption(name, args.slice(0, start))
    return { calls: [args.slice(start)], ...(folder ? { folder } : {}) }
  }
  switch (name) {
    case 'pwsh':
    case 'powershell':
    case 'cmd':
      return ofWindowsShell(name, texts, input)
    case 'source':
    case '.':
      return /^\/dev\/(?:stdin|fd\/\d+)$/.test(texts[0] ?? '') ? ofScriptOnInput(input) : undefined
    case 'watch': {
      // It joins its words for a shell.
      const start = afterOptions(texts, /^(?:-n|--interval)$/, 0)
      return texts.includes('-x')
        ? { calls: [args.slice(start)] }
        : { calls: [], script: texts.slice(start).join(' ') }
    }
    case 'socat': {
      // `EXEC:` splits words without a shell, `SYSTEM:` uses one.
      const scripts = texts.flatMap(
        text => /^(?:EXEC|SYSTEM|SHELL):["']?([\s\S]+?)["']?$/i.exec(text)?.[1] ?? [],
      )
      return scripts.length === 0
        ? undefined
        : { calls: [], script: scripts.join('\n').replaceAll('\\ ', ' '), isAlsoCall: true }
    }
    case 'rsync':
    case 'scp':
    case 'sftp':
      return ofTransfer(texts)
    case 'java': {
      const at = texts.indexOf('-jar')
      return at >= 0 ? { calls: [args.slice(at + 1)] } : undefined
    }
    case 'xargs':
    case 'parallel':
      return ofXargs(name, args, input)
    case 'find':
    case 'fd':
    case 'fdfind':
      return ofFind(name, args)
    case 'ssh':
    case 'mosh':
    case 'autossh': {
      const start = afterOptions(texts, /^-[BbcDEeFIiJLlmOopQRSWw]$/, 1)
      const script = texts.slice(start).join(' ')
      const proxy = ofTransfer(texts)
      if (proxy) return proxy
      if (script !== '') return { calls: [], script, isRemote: true, input, isAlsoCall: true }
      return input.text === undefined ? undefined : { ...ofInput(input.text), isRemote: true }
    }
    case 'capsh': {
      const at = texts.indexOf('--')
      return at >= 0 ? ofShell(args.slice(at + 1), input) : undefined
    }
    case 'docker':
    case 'podman':
    case 'buildah':
    case 'nerdctl':
      // It runs the command on this machine, in a user namespace.
      if (texts[0] === 'unshare')
        return { calls: [args.slice(1 + afterOptions(texts.slice(1), /^(?:-m|--mount)$/, 0))] }
      return ofContainer(args)
    case 'kubectl':
    case 'oc': {
      const at = texts.indexOf('--')
      return texts.includes('exec') && at > 0
        ? { calls: [args.slice(at + 1)], isRemote: true, isAlsoCall: true }
        : undefined
    }
    case 'su':
    case 'runuser':
    case 'script':
    case 'flock':
    case 'sg': {
      const isProgram = name === 'runuser' && texts.some(text => /^(?:-u|--user)/.test(text))
      if (isProgram)
        return { calls: [args.slice(afterOptions(texts, /^(?:-[ugG]|--(?:user|group|supp-group))$/, 0))] }
      const at = texts.findIndex(text => /^(?:-\w*c|--command(?:=.*)?|-c.+)$/s.test(text))
      const [, attached] = /^(?:--command=|-c)([\s\S]+)$/.exec(texts[at] ?? '') ?? []
      if (at >= 0) return { calls: [], script: attached ?? texts[at + 1] ?? '' }
      if (/^su|^runuser/.test(name)) return input.text === undefined ? undefined : ofInput(input.text)
      return name === 'sg' ? undefined : { calls: [args.slice(afterOptions(texts, /^-[wEmoOTt]$/, 1))] }
    }
    case 'screen': {
      const words = args.slice(afterOptions(texts, /^-(?:\w*S|c|h|p|t|X)$/, 0))
      return words.length > 0 ? { calls: [words], isAlsoCall: true } : undefined
    }
    case 'npx':
    case 'bunx':
    case 'pnpx':
    case 'uvx':
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return ofLauncher(name, args)
    case 'pdsh':
    case 'pssh':
    case 'clush':
      return { calls: [args.slice(afterOptions(texts, /^-[whgxl]$/, 0))], isRemote: true }
    case 'ansible': {
      const at = texts.findIndex(text => /^(?:-a|--args)$/.test(text))
      return at >= 0
        ? { calls: [], script: texts[at + 1] ?? '', isRemote: true, isAlsoCall: true }
        : undefined
    }
    case 'at':
    case 'batch':
      return input.text === undefined ? undefined : ofInput(input.text)
    case 'crontab':
      return input.text === undefined
        ? undefined
        : {
            calls: [],
            script: [...input.text.matchAll(SCHEDULED)].map(([, command]) => command!).join('\n'),
            input: NO_INPUT,
            isAlsoCall: true,
          }
    case 'make':
    case 'gmake': {
      const own = texts.flatMap(
        text =>
          /^(?:SHELL|MAKE|CC|CXX)=(.+\s.+)$/.exec(text)?.[1] ?? /\$\(shell\s+(.+)\)/.exec(text)?.[1] ?? [],
      )
      if (own.length > 0) return { calls: [], script: own.join('\n'), isAlsoCall: true }
      // A makefile on stdin: its recipes.
      return input.text === undefined
        ? undefined
        : { calls: [], script: input.text.replace(/^[^\t;\n]*:[^;\n]*(?:;|$)/gm, ''), input: NO_INPUT }
    }
    case 'sed': {
      const [, command, mark, replaced] =
        /(?:^|[;{}\d$/])\s*e\s+([^\n]+)|^s(.)(?:(?!\2).)*\2((?:\\.|(?!\2).)*)\2\w*e/.exec(
          texts.find(text => !text.startsWith('-')) ?? '',
        ) ?? []
      const script = command ?? replaced?.replaceAll(`\\${mark}`, mark!)
      return script === undefined ? undefined : { calls: [], script, isAlsoCall: true }
    }
    case 'git':
      return ofGit(args)
    default:
      return isShell(name) ? ofShell(args, input) : INERT.test(name) ? undefined : ofOther(name, args, input)
  }
}

/** Settings whose value git starts as a program. */
const CONFIGURED =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|pager\.\w+|diff\.(?:.+\.)?(?:external|command|textconv)|sequence\.editor|gpg\.(?:.+\.)?program|credential\.(?:.+\.)?helper|(?:diff|merge)tool\..+\.cmd|filter\..+\.(?:clean|smudge|process)|uploadpack\.\w+hook|alias\.[^=]+(?==!))(?==|$)/i
const BUILTIN =
  /^(?:add|am|apply|archive|bisect|blame|branch|checkout|cherry-pick|clean|clone|commit|config|describe|diff|fetch|gc|grep|init|log|ls-files|merge|mv|notes|pull|push|rebase|reflog|remote|reset|restore|revert|rm|show|stash|status|submodule|switch|tag|worktree)$/

/** Programs in settings, aliases, options and addresses; `bisect run` and `submodule foreach`. */
function ofGit(args: readonly Word[]): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const given = texts.flatMap((text, index) =>
    /^(?:-c|--config)$/.test(texts[index - 1] ?? '') ? [text] : [],
  )
  const key = texts[0] === 'config' ? texts.findIndex(text => /^[\w-]+\../.test(text)) : -1
  if (key >= 0) given.push(`${texts[key]}=${texts.slice(key + 1).join(' ')}`)
  const scripts: string[] = []
  for (const setting of given) {
    const [name = '', value = ''] = setting.split(/=([\s\S]*)/)
    if (CONFIGURED.test(setting) || value.startsWith('!')) scripts.push(value.replace(/^!/, ''))
    const [, alias] = /^alias\.(.+)$/.exec(name) ?? []
    // Git ignores an alias with the name of one of its own commands.
    const at = alias === undefined || BUILTIN.test(alias) ? -1 : texts.indexOf(alias)
    if (at >= 0 && !value.startsWith('!'))
      return { calls: [], script: `git ${value} ${texts.slice(at + 1).join(' ')}` }
  }
  for (const text of texts) {
    const [, command] = /^ext::([\s\S]+)/.exec(text) ?? []
    if (command !== undefined) scripts.push(command.replaceAll('% ', ' '))
  }
  const at = texts.findIndex((text, index) =>
    `${texts[index - 1]} ${text}`.match(/^(?:bisect run|submodule foreach)$/),
  )
  const run =
    at === -1
      ? []
      : args.slice(at + 1).filter(({ text }, index) => index > 0 || !/^--(?:recursive|quiet)$/.test(text))
  if (run.length === 1) scripts.push(run[0]!.text)
  scripts.push(...valuesThatRun(texts, false))
  return scripts.length === 0 && run.length < 2
    ? undefined
    : { calls: run.length > 1 ? [run] : [], script: scripts.join('\n'), isAlsoCall: true }
}

/** Options whose value is a command, by the words that programs use for them. */
const RUNS_VALUE =
  /^--?(?:exec(?:ute)?|run|cmd|command|call|shell|shell-command|pager|extcmd|filter|(?:tree|index|env|msg|commit|parent|tag-name)-filter|upload-pack|receive-pack|rsh|rsync-path|unzip-command|(?:use-)?compress-program|to-command|smtp-server|info-script|new-volume-script|checkpoint-action|open-files-in-pager|on-\w+|eval|ex|x|TT)$/
const SHORT_RUNS = /^-[cCeEIP]$/

function valuesThatRun(texts: readonly string[], hasShort = true): string[] {
  return texts.flatMap((text, index) => {
    const [, option, attached] =
      /^(--?[a-zA-Z-]+?)=([\s\S]+)$/.exec(text) ?? /^(-[OIP])([^-\s][\s\S]*)$/.exec(text) ?? []
    const value = attached === undefined ? text : attached
    const name = attached === undefined ? (texts[index - 1] ?? '') : option!
    return (RUNS_VALUE.test(name) || name === '-O' || (hasShort && SHORT_RUNS.test(name))) &&
      /[\s;|&`$]/.test(value)
      ? [value.replace(/^exec[= ]/, '')]
      : []
  })
}

/** They only read, show or store their words. */
const INERT =
  /^(?:|:|\[|\[\[|echo|printf|cat|tac|head|tail|grep|[efz]grep|rg|ag|ack|wc|ls|stat|file|test|true|false|which|whereis|type|info|help|tldr|apropos|whatis|cut|tr|uniq|nl|od|xxd|hexdump|strings|fold|fmt|rev|jq|yq|diff|cmp|comm|mkdir|rmdir|touch|basename|dirname|realpath|readlink|apt|apt-get|brew|dnf|yum|apk|pacman|snap|pip3?|gem|cargo-install|cp|mv|ln|rm|unlink|shred|chmod|chown|tee|kill|pkill|killall|pgrep|gh|glab|hub|curl|wget|http|https|xh|logger|notify-send|say|mail|code|open|xdg-open|xclip|pbcopy|history|fc|complete|bind|dpkg|rpm|shellcheck|bat|date|cal|seq|sleep|holdfast|nah|dcg|claude|codex|gemini|aider|cursor-agent|copilot|mysqldump|pg_dump|bd|br|base64|md5sum|sha\d+sum|du|df|ps|tree|find|column|paste|pr|dd|export|alias|unalias|set|unset|read|declare|local|return|exit|cd|pushd|popd|trap|wait|jobs|bg|fg)$/
const ESCAPE =
  /^\s*\+?:?\s*(?:sil(?:ent)?!?\s+)?(?:(?:r|read)?\s*\\?!|\.(?:shell|system)\s|(?:platform\s+)?shell\s|system\s|spawn\s|exec\s|lua os\.execute)\s*([\s\S]+)$/
/** After these words a program begins. */
const STARTER =
  /^(?:--|run|exec|shell|dlx|x|start|stuff|send-keys|run-shell|cmd\.run|new-session|new-window|split-window|neww|splitw|new)$/
/** Their words are scripts. */
const TAKES_SCRIPTS = /^(?:tmux|screen|hyperfine|concurrently|watchexec|npm-run-all|run-s|run-p)$/
const HARMFUL = /^(?:\S*\/)?(?:sudo|doas|rm|rimraf|shred|mkfs[\w.]*|wipefs)$/

/**
 * A program that this file does not know: it could start another one. Read are the values of options that are commands in
 * other programs, escapes to the shell, and words that begin with a program after `--`, `run` and the like.
 */
function ofOther(name: string, args: readonly Word[], input: Input): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const escapes = [...texts, ...(input.text?.split('\n') ?? [])].flatMap(text => ESCAPE.exec(text)?.[1] ?? [])
  const scripts = [...valuesThatRun(texts), ...escapes, ...(TAKES_SCRIPTS.test(name) ? texts : [])]
  const starter = texts.findIndex((text, index) => index < 8 && STARTER.test(text))
  let at = starter + 1
  while (starter >= 0 && /^-/.test(texts[at] ?? '')) at++
  const harmful = texts.findIndex(
    (text, index) =>
      index + 1 < texts.length &&
      (HARMFUL.test(text) ||
        (isShell(text.replace(/^.*\//, '')) && /^-\w*c$/.test(texts[index + 1]!)) ||
        (/^(?:\S*\/)?dd$/.test(text) && /^[io]f=/.test(texts[index + 1]!))),
  )
  const start = harmful >= 0 ? harmful : starter >= 0 ? at : args.length
  const words = args.slice(start)
  if (/\s/.test(words[0]?.text ?? '') && (at === starter + 1 || texts[at - 1] === '--'))
    scripts.push(words.shift()!.text)
  return scripts.length === 0 && words.length < 2
    ? undefined
    : { calls: words.length > 1 ? [words] : [], script: scripts.join('\n'), isAlsoCall: true, isGuess: true }
}

/** Programs that a connection starts on this machine. */
function ofTransfer(texts: readonly string[]): Inner | undefined {
  for (const [index, text] of texts.entries()) {
    const [, command] =
      /^(?:-\w*o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.+)$/i.exec(text) ??
      /^--rsh=(.+)$/.exec(text) ??
      []
    const script = command ?? (/^(?:-[a-zA-Z]*e|--rsh)$/.test(text) ? texts[index + 1] : undefined)
    if (script !== undefined && !/^(?:ssh|rsh)\b/.test(script))
      return { calls: [], script, input: NO_INPUT, isAlsoCall: true }
  }
  return undefined
}

function afterOptions(
  texts: readonly string[],
  valued: RegExp,
  positionals: number,
  hasAssignments = false,
): number {
  let at = 0
  for (; at < texts.length; at++) {
    const text = texts[at]!
    if (text === '--') {
      at++
      break
    }
    if (hasAssignments && (text === '-' || /^\w+=/.test(text))) continue
    if (!/^[-+]./.test(text)) break
    if (valued.test(text)) at++
  }
  return at + positionals
}

/** `-Command`, `-EncodedCommand` (UTF-16 in base64), and `cmd /c`. */
function ofWindowsShell(name: string, texts: readonly string[], input: Input): Inner | undefined {
  if (name === 'cmd') {
    const at = texts.findIndex(text => /^\/[ck]$/i.test(text))
    return at === -1 ? undefined : { calls: [], script: texts.slice(at + 1).join(' '), isPowerShell: true }
  }
  const encoded = texts.findIndex(text => /^-e(?:nc?|ncodedcommand)?$/i.test(text))
  if (encoded >= 0)
    return {
      calls: [],
      script: Buffer.from(texts[encoded + 1] ?? '', 'base64')
        .toString('utf16le')
        .replaceAll('\0', ''),
      isPowerShell: true,
    }
  const at = texts.findIndex(text => /^-c(?:ommand)?$/i.test(text))
  const script =
    at >= 0
      ? texts.slice(at + 1).join(' ')
      : texts.find(text => !text.startsWith('-') && !/\.ps1$/i.test(text))
  if (script !== undefined && script !== '-')
    return { calls: [], script, isPowerShell: true, input: NO_INPUT }
  return input.text === undefined
    ? { calls: [], isAlsoCall: true }
    : { calls: [], script: input.text, isPowerShell: true, input: NO_INPUT }
}

const ofInput = (script: string): Inner => ({ calls: [], script, input: NO_INPUT, isAlsoCall: true })

function ofShell(args: readonly Word[], input: Input): Inner | undefined {
  const texts = args.map(({ text }) => text)
  // Options that take a value: `-o pipefail`, `-O extglob`, `--rcfile x`.
  let start = 0
  for (; start < texts.length; start++) {
    if (texts[start] === '--' || !/^[-+]./.test(texts[start]!)) break
    if (/^(?:[-+]\w*[oO]|--(?:rcfile|init-file))$/.test(texts[start]!)) start++
  }
  const end = start >= texts.length ? -1 : start
  const options = end === -1 ? texts : texts.slice(0, end)
  // It reads the script and runs nothing.
  if (options.some(text => /^-[a-z]*n[a-z]*$/.test(text))) return { calls: [] }
  if (options.some(text => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text))) {
    const [script = '', ...positional] = texts.slice(texts[start] === '--' ? start + 1 : start)
    return { calls: [], script, input, positional }
  }
  const after = end === -1 ? [] : texts.slice(texts[end] === '--' ? end + 1 : end)
  // `bash -- -c 'x'` runs a file named -c.
  if (after.length > 0 && !/^(?:-|\/dev\/(?:stdin|fd\/\d+))$/.test(after[0]!))
    return { calls: [], isAlsoCall: true }
  return ofScriptOnInput(input)
}

const ofScriptOnInput = (input: Input): Inner =>
  input.text !== undefined
    ? ofInput(input.text)
    : {
        calls: [],
        isAlsoCall: true,
        // What `cat` prints is a file, as in `bash file`.
        isUnknown: input.from.some(({ name }) => name !== 'cat') && !isJudged(input),
      }

/** Code from the network and decoded code are denied, whatever they are. */
const isJudged = ({ from }: Input): boolean => ['remote', 'decoded'].includes(originOf(from) ?? '')

/** `npx tool`, `npm exec tool`, `pnpm dlx tool`, and `-c` with a script. */
function ofLauncher(name: string, args: readonly Word[]): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const isPlain = /^(?:npx|bunx|pnpx|uvx)$/.test(name)
  const [, stored = texts[0] === 'set-script' ? texts[2] : undefined] =
    /^scripts\.[\w:-]+=([\s\S]+)$/.exec(texts[2] ?? '') ?? []
  if (stored !== undefined) return { calls: [], script: stored, isAlsoCall: true }
  if (!isPlain && !/^(?:exec|x|dlx)$/.test(texts[0] ?? '')) return undefined
  const first = isPlain ? 0 : 1
  const script = texts.findIndex(text => /^(?:-c|--call)$/.test(text))
  if (script >= 0) return { calls: [], script: texts[script + 1] ?? '', isAlsoCall: true }
  const start = first + afterOptions(texts.slice(first), /^(?:-p|--package|--from|--with|-w|--workspace)$/, 0)
  const program = args[start]
  if (!program) return undefined
  const own = { ...program, text: program.text.replace(/(?<=.)@[\w.^~-]+$/, '') }
  return { calls: [[own, ...args.slice(start + 1)]], isAlsoCall: true }
}

function ofXargs(name: string, args: readonly Word[], input: Input): Inner | undefined {
  const texts = args.map(({ text }) => text)
  if (/^--(?:help|version)$/.test(texts[0] ?? '')) return undefined
  const valued =
    name === 'xargs'
      ? /^(?:-[InPLsdaE]|--(?:max-args|max-procs|replace|delimiter))$/
      : /^(?:-[jSNn]|--(?:jobs|colsep))$/
  const start = afterOptions(texts, valued, 0)
  const end = texts.findIndex(text => /^:{3,4}/.test(text))
  const own = args.slice(start, end === -1 ? undefined : end)
  const isFromFile = texts.some(text => /^(?:-a|--arg-file)/.test(text))
  const given = isFromFile
    ? [UNKNOWN_LIST]
    : end === -1
      ? (input.text?.split(/\s+/).filter(text => text !== '') ?? [UNKNOWN_LIST])
      : texts.slice(end + 1)
  if (name === 'parallel' && own.length === 1 && / /.test(own[0]!.text))
    return {
      calls: [],
      script: given
        .map(text =>
          own[0]!.text.includes('{}') ? own[0]!.text.replaceAll('{}', text) : `${own[0]!.text} ${text}`,
        )
        .join('\n'),
      input: NO_INPUT,
    }
  const values = given.map(text => ({ text, isKnown: !text.includes(UNKNOWN) }))
  const replace = texts.findIndex(text => /^(?:-I|-i|--replace)/.test(text))
  const optional = texts[replace]?.replace(/^(?:-[Ii]|--replace=?)/, '')
  const mark =
    replace < 0 ? '{}' : optional || (texts[replace] === '-I' ? texts[replace + 1] : undefined) || '{}'
  if (own.length === 0)
    return name === 'parallel'
      ? { calls: [], script: values.map(({ text }) => text).join('\n'), input: NO_INPUT }
      : { calls: [], input: NO_INPUT, isAlsoCall: true }
  if (own.some(({ text }) => text.includes(mark)))
    return {
      isAlsoCall: own.some(({ text }) => text === mark) && isShell(own[0]!.text),
      calls: values
        .slice(0, 16)
        .map(value =>
          own.map(word =>
            word.text.includes(mark)
              ? { text: word.text.replaceAll(mark, value.text), isKnown: word.isKnown && value.isKnown }
              : word,
          ),
        ),
      input: NO_INPUT,
    }
  // Each word of the input is a script: `xargs bash -c`.
  if (isShell(own[0]!.text) && own.at(-1)!.text.endsWith('c')) {
    const script = end >= 0 || isFromFile ? given.join('\n') : (input.text ?? UNKNOWN)
    return { calls: [], script, input: NO_INPUT, isAlsoCall: true }
  }
  return { calls: [[...own, ...values]], input: { from: input.from, text: undefined } }
}

/** `find` and `fd` run programs on what they find; `{}` stands for it. */
function ofFind(name: string, args: readonly Word[]): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const calls: Word[][] = []
  const found = foundBy(name, texts)
  for (let at = 0; at < args.length; at++) {
    if (!/^(?:-exec(?:dir)?|-ok(?:dir)?|-x|-X|--exec(?:-batch)?)$/.test(texts[at]!)) continue
    const length = texts.slice(at + 1).findIndex(text => text === ';' || text === '+')
    const own = args.slice(at + 1, length === -1 ? undefined : at + 1 + length)
    const isLast = name !== 'find' && !own.some(({ text }) => text.includes('{}'))
    const words = isLast ? [...own, { text: '{}', isKnown: true }] : own
    for (const path of found)
      calls.push(
        words.map((word, index) =>
          !word.text.includes('{}')
            ? word
            : index === 0
              ? { text: UNKNOWN, isKnown: false }
              : { text: word.text.replaceAll('{}', path), isKnown: word.isKnown },
        ),
      )
  }
  return { calls, isAlsoCall: true }
}

function ofContainer(args: readonly Word[]): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const at = texts.findIndex(text => text === 'exec' || text === 'run')
  if (at === -1) return undefined
  const valued =
    /^(?:-[euwvplmhc]|--(?:env|user|workdir|volume|publish|name|network|entrypoint|mount|memory|cpus|label|platform|env-file|add-host|hostname|device))$/
  const start = at + 1 + afterOptions(texts.slice(at + 1), valued, 1)
  return { calls: start < args.length ? [args.slice(start)] : [], isRemote: true, isAlsoCall: true }
}
