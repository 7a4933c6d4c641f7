// A shell command as the calls of programs that it would make. Everything that would run counts: subshells, pipelines,
// substitutions, functions, code in arguments. What cannot be known before it runs makes the reading partial.

import {
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  type Function as FunctionNode,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type Word as WordNode,
  type WordPart,
} from 'unbash'
import { type Call, type Input, NO_INPUT, programOf, type Redirect, UNKNOWN, type Word } from './call.js'
import { codeOf } from './inline-code.js'
import { unwrap } from './wrappers.js'

export interface Place {
  /** The folder in which the command starts. */
  readonly cwd: string
  readonly home: string
}

export interface Reading {
  readonly calls: readonly Call[]
  /** Why parts of the command are not understood. */
  readonly unknown: readonly string[]
  /** A function that calls itself in the background or twice. */
  readonly isForkBomb: boolean
}

const LONGEST = 64 * 1024
const MOST_CALLS = 2000
const DEEPEST = 12

export function readCommand(text: string, place: Place): Reading {
  const reader = new Reader(place)
  reader.readText(text, 0)
  return { calls: reader.calls, unknown: [...reader.unknown], isForkBomb: reader.isForkBomb }
}

interface Scope {
  cwd: string | undefined
  readonly variables: Map<string, string>
  readonly isRemote: boolean
  readonly isSubstituted: boolean
}

class Reader {
  readonly calls: Call[] = []
  readonly unknown = new Set<string>()
  isForkBomb = false
  private readonly functions = new Map<string, FunctionNode>()
  private readonly aliases = new Map<string, string>()
  private readonly running = new Set<string>()
  private scope: Scope
  private isBackground = false
  /** The text that is being read. */
  private source = ''

  constructor(private readonly place: Place) {
    const { cwd, home } = place
    const variables = new Map([
      ['HOME', home],
      ['PWD', cwd],
      ['TMPDIR', '/tmp'],
      ['TMP', '/tmp'],
      ['TEMP', '/tmp'],
      ['IFS', ' '],
    ])
    this.scope = { cwd, variables, isRemote: false, isSubstituted: false }
  }

  readText(text: string, depth: number, input: Input = NO_INPUT): undefined {
    if (depth > DEEPEST || this.calls.length > MOST_CALLS) return this.skip('it is nested too deeply')
    if (text.length > LONGEST) return this.skip('it is too long')
    if (text.includes(UNKNOWN)) this.skip('a part of it is not known before it runs')
    const outer = this.source
    this.source = text
    const script = parse(text)
    if (script.errors?.length) this.skip('its syntax is not understood')
    this.readScript(script, depth, input)
    this.source = outer
  }

  private skip(reason: string): undefined {
    this.unknown.add(reason)
  }

  private readScript(script: ParsedScript, depth: number, input: Input = NO_INPUT): Call[] {
    return this.readStatements(script.commands, depth, input)
  }

  private readStatements(statements: readonly Statement[], depth: number, input: Input): Call[] {
    const start = this.calls.length
    for (const statement of statements) {
      const outer = this.isBackground
      this.isBackground ||= statement.background === true
      this.readNode(statement.command, depth, input)
      this.isBackground = outer
    }
    return this.calls.slice(start)
  }

  private readList(list: CompoundList | undefined, depth: number, input: Input): undefined {
    if (list) this.readStatements(list.commands, depth, input)
  }

  private readNode(
    node: Statement['command'] | PipelineNode | CommandNode,
    depth: number,
    input: Input,
  ): undefined {
    if (depth > DEEPEST || this.calls.length > MOST_CALLS) return this.skip('it is nested too deeply')
    switch (node.type) {
      case 'AndOr':
        for (const part of node.commands) this.readNode(part, depth, input)
        return
      case 'Pipeline': {
        let from = input
        for (const part of node.commands) {
          const start = this.calls.length
          this.readNode(part, depth, from)
          const made = this.calls.slice(start)
          from = { from: [...from.from, ...made], text: outputOf(made) }
        }
        return
      }
      case 'Command':
        return this.readSimple(node, depth, input)
      case 'Redirected': {
        const { text } = this.readRedirects(node.redirects, depth)
        return this.readNode(node.command, depth, text === undefined ? input : { from: [], text })
      }
      case 'Function':
        this.functions.set(node.name.text, node)
        return
      case 'Subshell':
        return this.inScope({}, () => this.readList(node.body, depth + 1, input))
      case 'BraceGroup':
        return this.readList(node.body, depth + 1, input)
      case 'If':
        for (const list of [
          node.clause,
          node.then,
          ...node.elif.flatMap(({ clause, then }) => [clause, then]),
          node.else,
        ])
          this.readList(list, depth + 1, input)
        return
      case 'While':
        this.isForkBomb ||= isEndless(node) && startsProcesses(node.body)
        this.readList(node.clause, depth + 1, input)
        return this.readList(node.body, depth + 1, input)
      case 'For':
      case 'Select': {
        const values = (node.wordlist ?? []).flatMap(word => this.resolve(word, depth))
        const known = values.length > 0 && values.length <= 8 ? values : [{ text: UNKNOWN, isKnown: false }]
        for (const { text } of known) {
          this.scope.variables.set(node.name.text, text)
          this.readList(node.body, depth + 1, input)
        }
        return
      }
      case 'ArithmeticFor':
        this.isForkBomb ||= node.test === undefined && startsProcesses(node.body)
        return this.readList(node.body, depth + 1, input)
      case 'Case':
        this.resolve(node.word, depth)
        for (const item of node.items) this.readList(item.body, depth + 1, input)
        return
      case 'Coproc':
        if (node.body.type === 'CompoundList') return this.readList(node.body, depth + 1, input)
        return this.readNode(node.body, depth + 1, input)
      default: {
        // Tests and arithmetic run the commands that are substituted into them.
        const [commands] = /\$\([\s\S]*\)|`[\s\S]*`/.exec(this.source.slice(node.pos, node.end)) ?? []
        if (commands !== undefined) this.readText(`: "${commands}"`, depth + 1)
        return
      }
    }
  }

  private inScope(changes: Partial<Scope>, work: () => void): undefined {
    const before = this.scope
    this.scope = { ...before, variables: new Map(before.variables), ...changes }
    try {
      work()
    } finally {
      this.scope = before
    }
  }

  private readSimple(node: Command, depth: number, input: Input): undefined {
    const { redirects, text } = this.readRedirects(node.redirects, depth)
    const own = text === undefined ? input : { from: [], text }
    const assignments = node.prefix.filter((part): part is Assignment => part.type === 'Assignment')
    if (!node.name) {
      for (const assignment of assignments) this.assign(assignment, depth)
      if (redirects.length > 0) this.add(':', [], redirects, own)
      return
    }
    const words = [node.name, ...node.args].flatMap(part =>
      part.type === 'Assignment' ? this.assignmentWord(part, depth) : this.resolve(part, depth),
    )
    for (const { name, value } of assignments) {
      const texts = value.type === 'ArrayValue' ? [] : this.resolve(value, depth).map(({ text }) => text)
      if (COMMAND_VARIABLE.test(name)) this.readText(texts.join(' '), depth + 1)
    }
    this.readWords(words, depth, own, redirects)
  }

  private readWords(
    words: readonly Word[],
    depth: number,
    input: Input,
    redirects: readonly Redirect[],
  ): undefined {
    const [first, ...args] = words
    if (!first || depth > DEEPEST) return
    if (!first.isKnown && first.text.replaceAll(UNKNOWN, '').replace(/.*\//, '') === '') {
      this.skip('the name of a program is not known before it runs')
      this.add('', args, redirects, input)
      return
    }
    const name = programOf(first.text)
    const texts = args.map(({ text }) => text)
    if (this.callFunction(first.text, texts, depth, input)) return
    switch (name) {
      case 'cd':
      case 'pushd':
        this.scope.cwd = this.folderOf(args.find(({ text }) => !/^-[LPe@]*$/.test(text)))
        return
      case 'export':
      case 'declare':
      case 'local':
      case 'readonly':
      case 'typeset':
        for (const text of texts) {
          const [, variable, value] = /^(\w+)=([\s\S]*)$/.exec(text) ?? []
          if (variable) this.scope.variables.set(variable, value!)
        }
        return
      case 'alias':
        for (const text of texts) {
          const [, alias, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
          if (alias) this.aliases.set(alias, value!)
        }
        return
      case 'hash': {
        const at = texts.indexOf('-p')
        if (at >= 0 && texts[at + 2]) this.aliases.set(texts[at + 2]!, texts[at + 1]!)
        return
      }
      case 'eval':
        return this.readText(texts.join(' '), depth + 1, input)
      case 'trap':
        if (args.length > 1) this.readText(texts[0]!, depth + 1)
        return
      case 'unset':
        for (const text of texts) this.scope.variables.delete(text)
        return
    }
    const code = codeOf(name, args, input.text)
    if (code) {
      for (const text of code.scripts) this.readText(text, depth + 1, code.readsInput ? NO_INPUT : input)
      for (const call of code.calls) this.readWords(call.map(toWord), depth + 1, NO_INPUT, [])
      if (code.isUnknown) this.skip(`the code for ${name} is not known before it runs`)
    }
    const inner = unwrap(name, args, input)
    if (inner) {
      const read = () => {
        if (inner.script !== undefined) this.readText(inner.script, depth + 1, inner.input ?? input)
        for (const call of inner.calls) this.readWords(call, depth + 1, inner.input ?? input, redirects)
      }
      if (inner.isRemote) this.inScope({ isRemote: true, cwd: undefined }, read)
      else read()
      if (!inner.isAlsoCall) return
    }
    this.add(name, args, redirects, input, first.text)
  }

  private callFunction(name: string, args: readonly string[], depth: number, input: Input): boolean {
    const alias = this.aliases.get(name)
    if (alias !== undefined && !this.running.has(name)) {
      this.running.add(name)
      this.readText([alias, ...args].join(' '), depth + 1, input)
      this.running.delete(name)
      return true
    }
    const found = this.functions.get(name)
    if (!found) return false
    if (this.running.has(name)) {
      // The second call from inside itself: the number of processes grows without end.
      this.isForkBomb ||=
        this.isBackground || input.from.length > 0 || this.calls.some(call => call.name === name)
      this.add(name, [], [], input)
      return true
    }
    this.running.add(name)
    this.inScope({}, () => {
      for (const [index, text] of args.entries()) this.scope.variables.set(String(index + 1), text)
      this.scope.variables.set('@', args.join(' '))
      this.scope.variables.set('*', args.join(' '))
      const { body } = found
      if (body.type === 'CompoundList') this.readList(body, depth + 1, input)
      else this.readNode(body, depth + 1, input)
    })
    this.running.delete(name)
    return true
  }

  private add(
    name: string,
    args: readonly Word[],
    redirects: readonly Redirect[],
    input: Input,
    path = name,
  ): void {
    const { cwd, isRemote, isSubstituted } = this.scope
    this.calls.push({
      name,
      path,
      args,
      redirects,
      from: input.from,
      input: input.text,
      cwd,
      isRemote,
      isSubstituted,
    })
  }

  private folderOf(word: Word | undefined): string | undefined {
    const { cwd } = this.scope
    if (!word) return this.place.home
    if (!word.isKnown) return undefined
    if (/^[/~]/.test(word.text)) return word.text
    return cwd === undefined ? undefined : `${cwd}/${word.text}`
  }

  private readRedirects(redirects: readonly Redirection[], depth: number) {
    const found: Redirect[] = []
    let text: string | undefined
    for (const redirect of redirects) {
      if (redirect.type === 'HereDoc') {
        text = redirect.delimiter?.quoted
          ? redirect.body.text
          : this.joined(redirect.body.parts ?? [], depth) || redirect.body.text
      } else if (redirect.target) {
        const [target = { text: UNKNOWN, isKnown: false }] = this.resolve(redirect.target, depth)
        if (redirect.type === 'HereString') text = target.text
        else found.push({ operator: redirect.operator, target })
      }
    }
    return { redirects: found, text }
  }

  private assign({ name, value, append }: Assignment, depth: number): void {
    const text =
      value.type === 'ArrayValue'
        ? UNKNOWN
        : this.resolve(value, depth)
            .map(word => word.text)
            .join(' ')
    const before = append ? (this.scope.variables.get(name) ?? '') : ''
    this.scope.variables.set(name, before + text)
  }

  private assignmentWord(node: Assignment, depth: number): Word[] {
    const value =
      node.value.type === 'ArrayValue' ? [{ text: UNKNOWN, isKnown: false }] : this.resolve(node.value, depth)
    const text = `${node.name}=${value.map(word => word.text).join(' ')}`
    return [toWord(text)]
  }

  /** The words that one word becomes: several after brace expansion or an unquoted variable with spaces. */
  private resolve(node: WordNode, depth: number): Word[] {
    const parts = node.parts
    if (!parts) return expandBraces(this.tilde(node.value, node.text)).map(toWord)
    let texts = ['']
    let isSplit = false
    for (const [index, part] of parts.entries()) {
      const isBare = /Expansion$/.test(part.type) && part.type !== 'BraceExpansion'
      const options =
        part.type === 'BraceExpansion'
          ? expandBraces(part.text)
          : [
              index === 0 && part.type === 'Literal'
                ? this.tilde(part.value, node.text)
                : this.valueOf(part, depth),
            ]
      isSplit ||= isBare && / /.test(options[0]!)
      if (texts.length * options.length > 64) return [{ text: UNKNOWN, isKnown: false }]
      texts = texts.flatMap(text => options.map(option => text + option))
    }
    if (isSplit) texts = texts.flatMap(text => text.split(/\s+/).filter(piece => piece !== ''))
    return texts.map(toWord)
  }

  private tilde(value: string, source: string): string {
    if (!/^~/.test(source)) return value
    return value.replace(/^~(?=\/|$)/, this.place.home).replace(/^~root(?=\/|$)/, '/root')
  }

  private joined(parts: readonly WordPart[], depth: number): string {
    return parts.map(part => this.valueOf(part, depth)).join('')
  }

  private valueOf(part: WordPart, depth: number): string {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return part.value
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        return part.text
      case 'DoubleQuoted':
      case 'LocaleString':
        return this.joined(part.parts, depth)
      case 'SimpleExpansion':
        return this.variable(part.text.slice(1))
      case 'ParameterExpansion': {
        const { parameter, operation, prefix, index } = part
        if (prefix || index) return UNKNOWN
        const known = this.scope.variables.get(parameter)
        if (operation?.type === 'Default' && /[-=]$/.test(operation.operator))
          return (
            known ??
            this.resolve(operation.operand, depth)
              .map(word => word.text)
              .join(' ')
          )
        if (operation) return known === undefined ? UNKNOWN : `${UNKNOWN}`
        return this.variable(parameter)
      }
      case 'CommandExpansion':
        return this.substituted(part.script, depth)
      case 'ProcessSubstitution': {
        this.substituted(part.script, depth)
        return '/dev/fd/63'
      }
      case 'ArithmeticExpansion':
        // Commands in it run before the numbers are computed.
        if (/\$\(|`/.test(part.text)) this.readText(`: "${part.text.slice(3, -2)}"`, depth + 1)
        return UNKNOWN
      default:
        return UNKNOWN
    }
  }

  private variable(name: string): string {
    return this.scope.variables.get(name) ?? UNKNOWN
  }

  private substituted(script: ParsedScript | undefined, depth: number): string {
    if (!script) return UNKNOWN
    let made: Call[] = []
    this.inScope({ isSubstituted: true }, () => {
      made = this.readScript(script, depth + 1)
    })
    const output = outputOf(made, this.scope.cwd)
    return output === undefined ? UNKNOWN : output.replace(/\n+$/, '')
  }
}

const toWord = (text: string): Word => ({ text, isKnown: !text.includes(UNKNOWN) })

/** The output of calls whose output is known: texts and a few paths. */
export function outputOf(calls: readonly Call[], cwd?: string): string | undefined {
  const [last] = calls.slice(-1)
  if (calls.length !== 1 || !last) return undefined
  const texts = last.args.map(({ text }) => text)
  if (texts.some(text => text.includes(UNKNOWN))) return undefined
  switch (last.name) {
    case 'echo':
      return `${texts.filter((text, index) => index > 0 || !/^-[neE]+$/.test(text)).join(' ')}\n`
    case 'printf':
      return texts.length === 0 ? '' : formatted(texts[0]!, texts.slice(1))
    case 'cat':
      return texts.length === 0 ? last.input : undefined
    case 'pwd':
      return cwd ?? last.cwd
    case 'mktemp':
      return '/tmp/tmp.file'
    default:
      return undefined
  }
}

const formatted = (format: string, values: readonly string[]): string => {
  let next = 0
  return format
    .replace(/%(?:-?\d*)([sbdqi%])/g, (_, kind) => (kind === '%' ? '%' : (values[next++] ?? '')))
    .replace(/\\[uU]([0-9a-fA-F]{4,8})/g, (_, code) =>
      String.fromCodePoint(Number.parseInt(code.slice(0, 4), 16)),
    )
    .replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\([0-7]{1,3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\n/g, '\n')
}

/** `a{b,c}d` → `abd`, `acd`, up to 32 words. */
function expandBraces(text: string): string[] {
  const found = /^([\s\S]*?)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(text)
  if (!found || /\$$/.test(found[1]!)) return [text]
  const [, before, list, after] = found as unknown as [string, string, string, string]
  return list
    .split(',')
    .flatMap(item => expandBraces(`${before}${item}${after}`))
    .slice(0, 32)
}

/** Programs start what these variables contain. */
const COMMAND_VARIABLE =
  /^(?:GIT_(?:SSH(?:_COMMAND)?|EDITOR|PAGER|EXTERNAL_DIFF|PROXY_COMMAND|ASKPASS|SEQUENCE_EDITOR)|(?:MAN|SYSTEMD_)?PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|PROMPT_COMMAND|BASH_ENV|RSYNC_RSH|SSH_ASKPASS|SUDO_ASKPASS)$/

const isEndless = ({ kind, clause }: { kind: string; clause: CompoundList }): boolean => {
  const [only] = clause.commands
  if (clause.commands.length !== 1 || only?.command.type === undefined) return false
  const text = only.command.type === 'Command' ? programOf(only.command.name?.value ?? '') : only.command.type
  return kind === 'while' ? /^(?:true|:|TestCommand|ArithmeticCommand)$/.test(text) : text === 'false'
}

/** In the background, and nothing in the loop ends it. */
const startsProcesses = ({ commands }: CompoundList): boolean =>
  commands.some(({ background }) => background === true) &&
  !commands.some(
    ({ command }) => command.type === 'Command' && /^(?:break|exit|return)$/.test(command.name?.value ?? ''),
  )
