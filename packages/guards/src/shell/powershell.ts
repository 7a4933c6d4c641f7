// PowerShell and cmd, as the calls that they would make under the names of POSIX programs where the effect is the same. A
// small reader: strings, variables, pipelines, script blocks and the common cmdlets. Code that it cannot follow is unknown.

import { UNKNOWN } from './call.js'

export interface PowerShellReading {
  /** Each pipeline as the words of its calls. */
  readonly pipelines: readonly (readonly (readonly string[])[])[]
  readonly isUnknown: boolean
}

const CMDLET =
  /^(?:get|set|remove|new|add|clear|copy|move|rename|invoke|start|stop|restart|out|write|import|export|convertto|convertfrom|format|select|where|foreach|test|join|split|resolve|push|pop|enable|disable|install|uninstall|update|expand|compress|initialize|mount|dismount)-[a-z]+$/i

/** A command for PowerShell, by its first program. */
export const isPowerShell = (text: string): boolean => {
  const [, first = ''] = /^\s*(?:&\s*)?([\w-]+)/.exec(text) ?? []
  return (
    CMDLET.test(first) ||
    /^(?:gci|iwr|irm|iex)$/i.test(first) ||
    /^\s*(?:\$env:\w+|\$\w+\s*=|\[[\w.]+\]::)/i.test(text)
  )
}

/** Cmdlet, then its short names. */
const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'remove-item ri rm rmdir del erase rd',
    'move-item mi mv move',
    'copy-item cpi cp copy',
    'set-content sc',
    'clear-content clc',
    'add-content ac',
    'get-content gc cat type',
    'get-childitem gci',
    'invoke-webrequest iwr curl wget',
    'invoke-restmethod irm',
    'invoke-expression iex',
    'invoke-command icm',
    'start-process saps start',
    'stop-process spps kill',
    'foreach-object %',
    'where-object ?',
  ].flatMap(line => {
    const [cmdlet, ...names] = line.split(' ')
    return names.map(name => [name, cmdlet!])
  }),
)

const VARIABLES: Readonly<Record<string, string>> = {
  home: '~',
  'env:userprofile': '~',
  'env:home': '~',
  'env:homepath': '~',
  'env:systemroot': 'C:/Windows',
  'env:windir': 'C:/Windows',
  'env:systemdrive': 'C:',
  'env:programfiles': 'C:/Program Files',
  'env:temp': '/tmp/temp',
  'env:tmp': '/tmp/temp',
  pwd: '.',
  true: 'true',
  false: 'false',
}

/** Texts in quotes, which stay, or a comment. */
const COMMENT = /'(?:''|[^'])*'|"(?:`[\s\S]|""|[^"])*"|(<#[\s\S]*?#>|(?<![^\s;{}])#[^\n]*)/g

export function readPowerShell(text: string): PowerShellReading {
  const variables = new Map(Object.entries(VARIABLES))
  const pipelines: string[][][] = []
  let isUnknown = false
  const read = (code: string, depth: number): void => {
    if (depth > 6) {
      isUnknown = true
      return
    }
    for (const statement of split(code, /[;\n]|&&|\|\|/y)) {
      const [, name, value] = /^\s*\$(\w+)\s*=\s*([\s\S]+)$/.exec(statement) ?? []
      if (name && value) {
        const [word] = wordsOf(value, variables)
        variables.set(name.toLowerCase(), /^['"$]/.test(value) && word ? word : UNKNOWN)
        read(value, depth + 1)
        continue
      }
      const calls = passOn(
        split(statement, /\|/y).flatMap(part => callOf(part, variables, block => read(block, depth + 1))),
      )
      if (calls.length > 0) pipelines.push(calls)
    }
  }
  read(
    text.replace(COMMENT, (all, comment) => (comment === undefined ? all : ' ')),
    0,
  )
  if (/\[(?:System\.)?Reflection|Add-Type|-join|\.Invoke\(|\[char\]/i.test(text)) isUnknown = true
  return { pipelines, isUnknown }
}

/** A cmdlet without operands works on what the one before it found. */
function passOn(calls: string[][]): string[][] {
  for (const [index, call] of calls.entries()) {
    const before = calls[index - 1]
    if (
      !before ||
      !/^(?:rm|mv|stop-process)$/.test(call[0]!) ||
      call.slice(1).some(text => !text.startsWith('-'))
    )
      continue
    if (call[0] === 'stop-process') call.splice(0, call.length, 'pkill', before.length > 1 ? before[1]! : '.')
    else
      call.push(
        ...before
          .slice(1)
          .filter(text => !text.startsWith('-'))
          .map(text => `${text.replace(/\/$/, '')}/*`),
      )
  }
  return calls
}

/** At separators outside of quotes and blocks. */
function split(code: string, separator: RegExp): string[] {
  const parts: string[] = []
  let start = 0
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    const letter = code[at]!
    if (letter === '`') at++
    else if (letter === "'" || letter === '"') {
      const end = code.indexOf(letter, at + 1)
      at = end === -1 ? code.length : end
    } else if ('({['.includes(letter)) depth++
    else if (')}]'.includes(letter)) depth--
    else if (depth <= 0) {
      separator.lastIndex = at
      const found = separator.exec(code)
      if (!found) continue
      parts.push(code.slice(start, at))
      at += found[0].length - 1
      start = at + 1
    }
  }
  parts.push(code.slice(start))
  return parts.filter(part => part.trim() !== '')
}

function wordsOf(code: string, variables: ReadonlyMap<string, string>): string[] {
  const known = (text: string) =>
    text
      .replace(/\$\{?(env:\w+|\w+)\}?/gi, (_, name) => variables.get(name.toLowerCase()) ?? UNKNOWN)
      .replace(/`(.)/g, '$1')
      .replaceAll('\\', '/')
  return [...code.matchAll(/'((?:''|[^'])*)'|"((?:""|`.|[^"])*)"|([^\s,'"]+)/g)].map(
    ([, single, double, bare]) =>
      single === undefined ? known(double ?? bare ?? '') : single.replaceAll("''", "'").replaceAll('\\', '/'),
  )
}

function callOf(
  part: string,
  variables: ReadonlyMap<string, string>,
  readBlock: (code: string) => void,
): string[][] {
  const calls: string[][] = []
  // Blocks and parentheses run on their own.
  const flat = part.replace(/\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g, (_, block) => {
    readBlock(block.replace(/\$_(?:\.\w+)?|\$PSItem(?:\.\w+)?/g, '$unknown'))
    return ' '
  })
  for (const [, inner] of flat.matchAll(/\$?\(([^()]+)\)/g))
    if (/[a-z]-[a-z]/i.test(inner!)) readBlock(inner!)
  if (/\.Download(?:String|Data|File)\s*\(/i.test(flat)) calls.push(['invoke-webrequest'])
  if (
    /^\W*(?:iex|invoke-expression)\b.*\b(?:iwr|irm|curl|wget|invoke-(?:webrequest|restmethod))\b/i.test(flat)
  )
    calls.push(['invoke-webrequest'])
  if (/FromBase64String/i.test(flat)) calls.push(['base64', '-d'])
  const [, method, target] =
    /\[(?:System\.)?IO\.(?:Directory|File)\]::(Delete|Move|WriteAll\w+)\s*\(\s*(['"][^'"]*['"]|\$[\w:]+)/i.exec(
      flat,
    ) ?? []
  if (method && target)
    calls.push([
      /delete/i.test(method) ? 'rm' : 'mv',
      ...(/delete/i.test(method) ? ['-rf'] : []),
      ...wordsOf(target, variables),
    ])
  const [first, ...rest] = wordsOf(flat.replace(/^\s*[&.]\s+/, '').replace(/^\s*\(/, ''), variables)
  if (first === undefined) return calls
  const name = ALIASES[first.toLowerCase()] ?? first.toLowerCase()
  const mapped = posix(name, rest)
  // A script for another process: Start-Process, Invoke-Command, cmd /c.
  return [...calls, mapped]
}

/** Options that take a value which is not a path. */
const VALUED =
  /^-(?:encoding|filter|include|exclude|erroraction|ea|value|message|computername|method|headers|body|depth)$/i

function posix(name: string, args: readonly string[]): string[] {
  const isOn = (option: RegExp) => args.some(text => option.test(text))
  const operands = args.filter((text, index) => !text.startsWith('-') && !VALUED.test(args[index - 1] ?? ''))
  if (isOn(/^-whatif$/i)) return ['echo']
  switch (name) {
    case 'remove-item':
      return [
        'rm',
        isOn(/^-r(?:e\w*)?$/i) || isOn(/^\/s$/i) ? '-rf' : '-f',
        ...operands.filter(text => !/^\/[sqfa]$/i.test(text)),
      ]
    case 'move-item':
      return ['mv', ...operands]
    case 'copy-item':
      return ['cp', ...operands]
    case 'set-content':
    case 'clear-content':
    case 'add-content':
    case 'out-file':
    case 'tee-object':
      return ['tee', ...operands.slice(0, 1)]
    case 'get-content':
      return ['cat', ...operands]
    case 'invoke-webrequest':
    case 'invoke-restmethod': {
      const at = args.findIndex(text => /^-outf\w*$/i.test(text))
      const body = args.findIndex(text => /^-(?:infile|body)$/i.test(text))
      return [
        'curl',
        ...(at >= 0 ? ['-o', args[at + 1] ?? ''] : []),
        ...(body >= 0 ? ['-T', args[body + 1] ?? ''] : []),
        ...operands,
      ]
    }
    case 'invoke-expression':
      return ['iex', ...operands]
    case 'start-process':
    case 'invoke-command': {
      const list = args.findIndex(text => /^-arg\w*$/i.test(text))
      return list >= 0 ? [operands[0] ?? '', ...args.slice(list + 1)] : [...operands]
    }
    default:
      return [name, ...args]
  }
}
