// Programs that run another program: where its words begin.

import { type Input, isShell, NO_INPUT, UNKNOWN, type Word } from './call.js'
import { originOf } from './origins.js'
import { secretOf } from './paths.js'

export interface Inner {
  /** Words of calls. */
  readonly calls: readonly (readonly Word[])[]
  /** A script for a shell. */
  readonly script?: string
  readonly isRemote?: boolean
  /** `$0`, `$1` … of the script. */
  readonly positional?: readonly string[]
  /** Nobody knows the script before it runs. */
  readonly isUnknown?: boolean
  /** The script is for PowerShell or cmd. */
  readonly isPowerShell?: boolean
  readonly input?: Input
  /** The wrapper itself is judged too. */
  readonly isAlsoCall?: boolean
}

/** The options that take a value, and the number of words before the program. */
const PLAIN: Readonly<Record<string, readonly [valued: RegExp, positionals?: number]>> = {
  sudo: [/^(?:-[ugphCTRDUrtl]|--(?:user|group|prompt|host|chroot|chdir|close-from|role|type))$/],
  doas: [/^-[uC]$/],
  env: [/^(?:-[uCP]|--(?:unset|chdir))$/],
  nohup: [/^$/],
  nice: [/^(?:-n|--adjustment)$/],
  ionice: [/^-[cnpPu]$/],
  timeout: [/^(?:-[sk]|--(?:signal|kill-after))$/, 1],
  gtimeout: [/^(?:-[sk]|--(?:signal|kill-after))$/, 1],
  time: [/^-[fo]$/],
  command: [/^$/],
  builtin: [/^$/],
  exec: [/^-a$/],
  stdbuf: [/^-[ioe]$/],
  setsid: [/^$/],
  setarch: [/^$/, 1],
  chroot: [/^$/, 1],
  unshare: [/^-[SGRw]$/],
  nsenter: [/^-[tSGrw]$/],
  taskset: [/^$/, 1],
  chrt: [/^-[TPD]$/, 1],
  strace: [/^-[eopsPEuaSOIX]$/],
  ltrace: [/^-[eopsuaSnlxDA]$/],
  caffeinate: [/^-[tw]$/],
  rlwrap: [/^-[a-zA-Z]$/],
  busybox: [/^$/],
  toybox: [/^$/],
  'xvfb-run': [/^-[a-z]$/],
  'dbus-run-session': [/^$/],
  'systemd-run': [/^(?:-[pGMHut]|--(?:unit|property|slice|uid|gid))$/],
  'systemd-inhibit': [/^$/],
  fakeroot: [/^-[lsib]$/],
  proxychains: [/^-f$/],
  proxychains4: [/^-f$/],
  torsocks: [/^$/],
  faketime: [/^$/, 1],
  runcon: [/^-[urtlc]$/],
  firejail: [/^$/],
  coproc: [/^$/],
  '!': [/^$/],
  noglob: [/^$/],
  nocorrect: [/^$/],
}

/** Undefined if this program runs no other one. */
export function unwrap(name: string, args: readonly Word[], input: Input): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined
  if (plain) {
    if (name === 'command' && /^-[vV]/.test(texts[0] ?? '')) return undefined
    if (name === 'env') {
      const split = texts.findIndex(text => /^(?:-S|--split-string)/.test(text))
      if (split >= 0) {
        const rest = texts[split]!.replace(/^(?:-S|--split-string=?)/, '')
        return { calls: [], script: [rest, ...texts.slice(split + 1)].join(' ') }
      }
    }
    const start = afterOptions(
      texts,
      plain[0],
      plain[1] ?? 0,
      name === 'env' || name === 'sudo' || name === 'doas',
    )
    return start < args.length ? { calls: [args.slice(start)] } : undefined
  }
  switch (name) {
    case 'pwsh':
    case 'powershell':
    case 'cmd':
      return ofWindowsShell(name, texts, input)
    case 'source':
    case '.':
      return input.text !== undefined && /^\/dev\/(?:stdin|fd\/\d+)$/.test(texts[0] ?? '')
        ? { calls: [], script: input.text, input: NO_INPUT, isAlsoCall: true }
        : undefined
    case 'man': {
      const at = texts.findIndex(text => /^(?:-P|--pager)$/.test(text))
      return at >= 0 ? { calls: [], script: texts[at + 1] ?? '', isAlsoCall: true } : undefined
    }
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
      return ofFind(args)
    case 'ssh':
    case 'mosh':
    case 'autossh': {
      const start = afterOptions(texts, /^-[BbcDEeFIiJLlmOopQRSWw]$/, 1)
      const script = texts.slice(start).join(' ')
      const proxy = ofTransfer(texts)
      if (proxy) return proxy
      return script === '' ? undefined : { calls: [], script, isRemote: true, input, isAlsoCall: true }
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
      const at = texts.findIndex(text => /^(?:-\w*c|--command(?:=.*)?)$/.test(text))
      if (at >= 0)
        return {
          calls: [],
          script: texts[at]!.includes('=') ? texts[at]!.replace(/^[^=]*=/, '') : (texts[at + 1] ?? ''),
        }
      if (name !== 'flock') return undefined
      return { calls: [args.slice(afterOptions(texts, /^-[wE]$/, 1))] }
    }
    case 'tmux':
    case 'screen': {
      const words = name === 'screen' ? args.slice(afterOptions(texts, /^-(?:\w*S|c|h|p|t)$/, 0)) : undefined
      if (words) return words.length > 0 ? { calls: [words] } : undefined
      const script = texts
        .slice(1)
        .filter(text => !/^-/.test(text))
        .join(' ')
      return /^(?:new|new-session|new-window|split-window|send-keys|neww|splitw|-dm\w*)$/.test(texts[0] ?? '')
        ? { calls: [], script }
        : undefined
    }
    case 'npx':
    case 'bunx':
    case 'pnpx':
    case 'uvx':
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return ofLauncher(name, args)
    case 'expect': {
      const scripts = texts.flatMap(text =>
        [...text.matchAll(/\b(?:spawn|exec|system)\s+([^;\n]+)/g)].map(([, one]) => one!),
      )
      return scripts.length > 0 ? { calls: [], script: scripts.join('\n'), isAlsoCall: true } : undefined
    }
    case 'gdb':
    case 'lldb': {
      const scripts = texts.flatMap(text => /^(?:shell|!|platform shell)\s*(.+)$/.exec(text)?.[1] ?? [])
      return scripts.length > 0 ? { calls: [], script: scripts.join('\n'), isAlsoCall: true } : undefined
    }
    case 'entr':
      return { calls: [args.slice(afterOptions(texts, /^$/, 0))] }
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
      return input.text === undefined ? undefined : { calls: [], script: input.text, input: NO_INPUT }
    case 'crontab':
      return input.text === undefined
        ? undefined
        : {
            calls: [],
            script: input.text.replace(/^\s*(?:@\w+|(?:\S+\s+){5})/gm, ''),
            input: NO_INPUT,
            isAlsoCall: true,
          }
    case 'make':
    case 'gmake': {
      const own = texts.flatMap(text => /^(?:SHELL|MAKE|CC|CXX)=(.+\s.+)$/.exec(text)?.[1] ?? [])
      if (own.length > 0) return { calls: [], script: own.join('\n'), isAlsoCall: true }
      // A makefile on stdin: its recipes.
      return input.text === undefined
        ? undefined
        : { calls: [], script: input.text.replace(/^[^\t;\n]*:[^;\n]*(?:;|$)/gm, ''), input: NO_INPUT }
    }
    case 'tar':
    case 'bsdtar':
    case 'gtar': {
      const [, command] =
        texts
          .map(text => /^--(?:checkpoint-action=exec|to-command|use-compress-program)=(.+)$/s.exec(text))
          .find(Boolean) ?? []
      return command === undefined
        ? undefined
        : { calls: [], script: command, input: NO_INPUT, isAlsoCall: true }
    }
    case 'vi':
    case 'vim':
    case 'nvim':
    case 'ex':
    case 'less':
    case 'more':
    case 'ed': {
      const commands = [...texts, ...(input.text?.split('\n') ?? [])].flatMap(
        text => /^\+?:?\s*!(.+)$/s.exec(text)?.[1] ?? [],
      )
      return commands.length === 0 ? undefined : { calls: [], script: commands.join('\n'), isAlsoCall: true }
    }
    case 'sed': {
      const [, command] =
        /(?:^|[;{}\d$/])\s*e\s+([^\n]+)/.exec(texts.find(text => !text.startsWith('-')) ?? '') ?? []
      return command === undefined ? undefined : { calls: [], script: command, isAlsoCall: true }
    }
    case 'git': {
      const run = texts.join(' ').match(/^bisect run (.+)$|^submodule foreach (?:--recursive )?(.+)$/s)
      if (run) return { calls: [], script: run[1] ?? run[2]!, isAlsoCall: true }
      const filters = texts.filter((_, index) =>
        /^(?:--exec|-x|--(?:tree|index|env|msg|commit|parent)-filter)$/.test(texts[index - 1] ?? ''),
      )
      if (filters.length > 0 && /^(?:rebase|filter-branch)$/.test(texts[0] ?? ''))
        return { calls: [], script: filters.join('\n'), isAlsoCall: true }
      if (texts[0] === 'config' && CONFIGURED.test(texts.find(text => /^\w+\./.test(text)) ?? ''))
        return { calls: [], script: texts.at(-1)!.replace(/^!/, ''), isAlsoCall: true }
      const configured = texts.flatMap((text, index) =>
        texts[index - 1] === '-c'
          ? (/^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath)|pager\.\w+|diff\.(?:.+\.)?(?:external|command|textconv)|sequence\.editor|gpg\.(?:.+\.)?program|credential\.(?:.+\.)?helper|difftool\..+\.cmd|mergetool\..+\.cmd|filter\..+)=!?([\s\S]+)$/i.exec(
              text,
            )?.[1] ?? [])
          : [],
      )
      if (configured.length > 0) return { calls: [], script: configured.join('\n'), isAlsoCall: true }
      // It stays for later calls.
      const stored = texts[0] === 'config' ? texts.find(text => /^!/.test(text)) : undefined
      if (stored) return { calls: [], script: stored.slice(1), isAlsoCall: true }
      const alias = texts.findIndex(
        (text, index) => index > 0 && texts[index - 1] === '-c' && /^alias\.[^=]+=!/.test(text),
      )
      const plain = texts.findIndex(
        (text, index) => index > 0 && texts[index - 1] === '-c' && /^alias\.[^=]+=[^!]/.test(text),
      )
      const [, own, value] = /^alias\.([^=]+)=([\s\S]*)$/.exec(texts[plain] ?? '') ?? []
      // Git ignores an alias with the name of one of its own commands.
      if (own && BUILTIN.test(own)) return undefined
      if (own && texts.includes(own))
        return { calls: [], script: `git ${value} ${texts.slice(texts.indexOf(own) + 1).join(' ')}` }
      return alias < 0
        ? undefined
        : { calls: [], script: texts[alias]!.replace(/^[^!]*!/, ''), isAlsoCall: true }
    }
    default:
      return isShell(name) ? ofShell(args, input) : undefined
  }
}

/** Settings whose value git starts as a program. */
const CONFIGURED =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|pager\.\w+|diff\.(?:.+\.)?(?:external|command|textconv)|sequence\.editor|gpg\.(?:.+\.)?program|credential\.(?:.+\.)?helper|(?:diff|merge)tool\..+\.cmd|filter\..+\.(?:clean|smudge|process))$/i
const BUILTIN =
  /^(?:add|am|apply|archive|bisect|blame|branch|checkout|cherry-pick|clean|clone|commit|config|describe|diff|fetch|gc|grep|init|log|ls-files|merge|mv|notes|pull|push|rebase|reflog|remote|reset|restore|revert|rm|show|stash|status|submodule|switch|tag|worktree)$/

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
    if (hasAssignments && /^\w+=/.test(text)) continue
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
  if (input.text !== undefined) return { calls: [], script: input.text, input: NO_INPUT, isAlsoCall: true }
  // What `cat` prints is a file, as in `bash file`.
  return {
    calls: [],
    isAlsoCall: true,
    isUnknown: input.from.some(({ name }) => name !== 'cat') && !isJudged(input),
  }
}

/** Code from the network and decoded code are denied, whatever they are. */
const isJudged = ({ from }: Input): boolean => ['remote', 'decoded'].includes(originOf(from) ?? '')

/** `npx tool`, `npm exec tool`, `pnpm dlx tool`, and `-c` with a script. */
function ofLauncher(name: string, args: readonly Word[]): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const isPlain = /^(?:npx|bunx|pnpx|uvx)$/.test(name)
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
  const valued =
    name === 'xargs'
      ? /^(?:-[IinPLsdaE]|--(?:max-args|max-procs|replace|delimiter))$/
      : /^(?:-[jSNn]|--(?:jobs|colsep))$/
  const start = afterOptions(texts, valued, 0)
  const end = texts.findIndex(text => /^:{3,4}/.test(text))
  const own = args.slice(start, end === -1 ? undefined : end)
  const isFromFile = texts.some(text => /^(?:-a|--arg-file)/.test(text))
  const given = isFromFile
    ? [UNKNOWN]
    : end === -1
      ? (input.text?.split(/\s+/).filter(text => text !== '') ?? [UNKNOWN])
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
  if (isShell(own[0]!.text) && own.at(-1)!.text.endsWith('c'))
    return { calls: [], script: input.text ?? UNKNOWN, input: NO_INPUT, isAlsoCall: true }
  return { calls: [[...own, ...values]], input: { from: input.from, text: undefined } }
}

const FIND_TEST =
  /^-(?:i?name|i?path|i?regex|mtime|mmin|ctime|atime|size|empty|newer\w*|mindepth|type|user|perm)$/

/** `find` runs programs on what it finds below its folders; `{}` is any path below them. */
function ofFind(args: readonly Word[]): Inner | undefined {
  const texts = args.map(({ text }) => text)
  const calls: Word[][] = []
  const options = texts.findIndex(text => /^[-(!]/.test(text))
  const roots = args.slice(0, options === -1 ? undefined : options)
  for (let at = 0; at < args.length; at++) {
    if (!/^(?:-exec(?:dir)?|-ok(?:dir)?|-x|-X|--exec(?:-batch)?)$/.test(texts[at]!)) continue
    const length = texts.slice(at + 1).findIndex(text => text === ';' || text === '+')
    const own = args.slice(at + 1, length === -1 ? undefined : at + 1 + length)
    const targets = (roots.length > 0 ? roots : [{ text: '.', isKnown: true }]).map(({ text }) => text)
    // Without a test that chooses, the folder itself is found too.
    const isChosen = texts.some(text => FIND_TEST.test(text))
    const name = texts[texts.indexOf('-name') + 1]
    const secret =
      texts.includes('-name') && name && secretOf(`/${name.replaceAll('*', 'x')}`) ? name : undefined
    for (const target of targets)
      for (const found of [
        ...(secret ? [`${target.replace(/\/$/, '')}/${secret.replaceAll('*', 'x')}`] : []),
        `${target.replace(/\/$/, '')}/*`,
        ...(isChosen ? [] : [target]),
      ])
        calls.push(own.map(word => ({ ...word, text: word.text.replaceAll('{}', found) })))
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
