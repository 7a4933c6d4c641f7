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
} from 'unbash'
import { folderOf, runBuiltin } from './builtins.js'
import { type Call, type Input, NO_INPUT, programOf, type Redirect, UNKNOWN, type Word } from './call.js'
import { outputOf } from './expansion.js'
import { isEndless, startsProcesses } from './fork-bomb.js'
import { codeOf } from './inline-code.js'
import { originOf, originOfCode, unknownFrom } from './origins.js'
import { isPattern, patternOf } from './patterns.js'
import { isPowerShell, readPowerShell } from './powershell.js'
import { Streams } from './streams.js'
import { toWord, Words } from './words.js'
import { type Inner, unwrap } from './wrappers.js'

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
  /** Code that is not in the command: from the network, or encoded. */
  readonly foreignCode: readonly ('remote' | 'decoded' | 'socket')[]
}

const LONGEST = 64 * 1024
const MOST_CALLS = 2000
const DEEPEST = 12

export function readCommand(text: string, place: Place): Reading {
  const reader = new Reader(place)
  reader.readText(text, 0)
  const { calls, unknown, isForkBomb, foreignCode } = reader
  return { calls, unknown: [...unknown], isForkBomb, foreignCode: [...foreignCode] }
}

class Reader {
  readonly calls: Call[] = []
  readonly unknown = new Set<string>()
  readonly foreignCode = new Set<'remote' | 'decoded' | 'socket'>()
  isForkBomb = false
  private readonly functions = new Map<string, FunctionNode>()
  /** Aliases, files and functions whose content is being read. A new definition under the same name is read too. */
  private readonly running = new Set<string | FunctionNode>()
  /** Scripts that read what the present command writes: `> >(sh)`. */
  private sinks: ParsedScript[] = []
  private readonly streams = new Streams()
  private readonly words: Words
  private isConditional = false
  private isVarying = false
  private isBackground = false
  /** Variables of the command that is being read. */
  private variables: readonly string[] = []
  /** In front of the command that is being read. */
  private assignments: readonly string[] = []
  /** The text that is being read. */
  private source = ''

  constructor(readonly place: Place) {
    this.words = new Words(place.home, place.cwd, {
      output: (script, depth) => this.substituted(script, depth),
      pipe: (operator, script, depth) => this.piped(operator, script, depth),
      run: (text, depth) => this.readText(text, depth),
    })
  }

  readText(text: string, depth: number, input: Input = NO_INPUT): undefined {
    if (depth > DEEPEST || this.calls.length > MOST_CALLS) return this.skip('it is nested too deeply')
    if (text.length > LONGEST) return this.skip('it is too long')
    if (isPowerShell(text)) return this.readOtherShell(text, depth)
    if (text.includes(UNKNOWN)) {
      const origin = originOfCode(text)
      if (origin) this.foreignCode.add(origin)
      this.skip('a part of it is not known before it runs')
    }
    const outer = this.source
    this.source = text
    const script = parse(text)
    this.readStatements(script.commands, depth, input)
    if (script.errors?.length) {
      this.skip('its syntax is not understood')
      this.readRepaired(text, depth)
      this.readPieces(text, depth)
    }
    this.source = outer
  }

  /** A quote or parenthesis that is not closed hides nothing. */
  private readRepaired(text: string, depth: number): void {
    const end = ["'", '"', ')', '`', '\n'].find(closing => !parse(text + closing).errors?.length)
    if (depth > 1 || end === undefined) return
    this.source = text + end
    this.readStatements(parse(this.source).commands, depth + 2, NO_INPUT)
  }

  /** Another shell could run the part after a syntax error. */
  private readPieces(text: string, depth: number): void {
    if (depth > 1) return
    for (const piece of text.split(/[;&|\n]+/).slice(0, 64)) {
      const script = parse(piece)
      if (piece === text || script.errors?.length) continue
      this.source = piece
      this.readStatements(script.commands, depth + 2, NO_INPUT)
    }
  }

  private skip(reason: string): undefined {
    this.unknown.add(reason)
  }

  private readOtherShell(text: string, depth: number): undefined {
    const { pipelines, isUnknown } = readPowerShell(text)
    if (isUnknown) this.skip('its PowerShell is not understood')
    for (const calls of pipelines) {
      let from: readonly Call[] = []
      for (const words of calls) {
        const start = this.calls.length
        this.readWords(words.map(toWord), depth + 1, { from, text: undefined }, [])
        from = [...from, ...this.calls.slice(start)]
      }
    }
  }

  private readStatements(statements: readonly Statement[], depth: number, input: Input): Call[] {
    const start = this.calls.length
    for (const [index, statement] of statements.entries()) {
      const next = statements[index + 1]
      if (next && next.pos - statement.end > 1) this.accountFor(statement.end, next.pos)
      const outer = this.isBackground
      this.isBackground ||= statement.background === true
      this.readNode(statement.command, depth, input)
      this.isBackground = outer
    }
    return this.calls.slice(start)
  }

  /** Between two statements are separators, comments and the bodies of here-documents, and nothing else. */
  private accountFor(start: number, end: number): void {
    const gap = this.source.slice(start, end)
    if (/^[\s;&]*$/.test(gap) || /#|<</.test(this.source.slice(0, end))) return
    this.skip('a part of it belongs to no command')
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
        for (const [index, part] of node.commands.entries())
          if (index === 0) this.readNode(part, depth, input)
          else this.underCondition(() => this.readNode(part, depth, input))
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
        const { redirects, text, from } = this.readRedirects(node.redirects, depth)
        const own = text === undefined && from.length === 0 ? input : { from, text }
        if (redirects.some(({ operator }) => operator !== '<')) this.add(':', [], redirects, NO_INPUT)
        return this.readNode(node.command, depth, own)
      }
      case 'Function':
        this.functions.set(node.name.text, node)
        // The shell calls it for names that it does not find.
        if (/^command_not_found_handler?$/.test(node.name.text))
          this.callFunction(node.name.text, [], depth + 1, NO_INPUT)
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
          this.underCondition(() => this.readList(list, depth + 1, input))
        return
      case 'While':
        this.isForkBomb ||= isEndless(node) && startsProcesses(node.body)
        this.readList(node.clause, depth + 1, input)
        return this.readList(node.body, depth + 1, input)
      case 'For':
      case 'Select': {
        const values = (node.wordlist ?? []).flatMap(word => this.words.resolve(word, depth))
        const known = values.length > 0 && values.length <= 8 ? values : [{ text: UNKNOWN, isKnown: false }]
        for (const { text } of known) {
          this.words.scope.variables.set(node.name.text, text)
          this.readList(node.body, depth + 1, input)
        }
        return
      }
      case 'ArithmeticFor':
        this.isForkBomb ||= node.test === undefined && startsProcesses(node.body)
        return this.readList(node.body, depth + 1, input)
      case 'Case':
        this.words.resolve(node.word, depth)
        for (const item of node.items) this.underCondition(() => this.readList(item.body, depth + 1, input))
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

  private underCondition(work: () => void): void {
    const outer = this.isConditional
    this.isConditional = true
    work()
    this.isConditional = outer
  }

  private inScope(changes: Partial<Words['scope']>, work: () => void): undefined {
    const before = this.words.scope
    this.words.scope = {
      ...before,
      variables: new Map(before.variables),
      arrays: new Map(before.arrays),
      ...changes,
    }
    try {
      work()
    } finally {
      this.words.scope = before
    }
  }

  /** Once for each value that a condition could have given to a variable of the command. */
  private readSimple(node: Command, depth: number, input: Input): undefined {
    if (this.words.alternatives.size > 0 && !this.isVarying) {
      const text = this.source.slice(node.pos, node.end)
      const { variables } = this.words.scope
      for (const [name, values] of this.words.alternatives) {
        if (!text.includes(`$${name}`) && !text.includes(`\${${name}`)) continue
        const before = variables.get(name)
        this.isVarying = true
        for (const value of values) {
          variables.set(name, value)
          this.readOnce(node, depth, input)
        }
        this.isVarying = false
        if (before !== undefined) variables.set(name, before)
        return
      }
    }
    return this.readOnce(node, depth, input)
  }

  private readOnce(node: Command, depth: number, input: Input): undefined {
    const outerSinks = this.sinks
    this.sinks = []
    const { redirects, text, from } = this.readRedirects(node.redirects, depth)
    // The shell cannot open a folder for writing, and then it starts nothing.
    if (
      redirects.some(({ operator, target }) => /^>/.test(operator) && /^(?:\.{1,2}|.*\/)$/.test(target.text))
    )
      return undefined
    const own = text === undefined && from.length === 0 ? input : { from, text }
    const assignments = node.prefix.filter((part): part is Assignment => part.type === 'Assignment')
    const start = this.calls.length
    if (node.name) {
      const words = [node.name, ...node.args].flatMap(part =>
        part.type === 'Assignment' ? this.assignmentWord(part, depth) : this.words.resolve(part, depth),
      )
      this.checkName(node, words[0])
      if ([node.name, ...node.args].some(({ text }) => HISTORY.test(text)))
        this.skip('it takes words from the history')
      this.variables = words.some(({ isKnown }) => !isKnown) ? variablesIn(node.args) : []
      const before: string[] = []
      for (const { name, value } of assignments) {
        const text = value.type === 'ArrayValue' ? '' : this.words.textOf(value, depth)
        before.push(`${name}=${text}`)
        if (COMMAND_VARIABLE.test(name)) this.readText(this.streams.pipes.get(text)?.text ?? text, depth + 1)
      }
      const outer = this.assignments
      this.assignments = before
      this.readWords(words, depth, own, redirects)
      this.assignments = outer
    } else {
      for (const assignment of assignments) this.assign(assignment, depth)
      if (redirects.length > 0) this.add(':', [], redirects, own)
    }
    const { sinks } = this
    this.sinks = outerSinks
    if (sinks.length === 0) return
    const made = this.calls.slice(start)
    const written = { from: [...made, ...made.flatMap(call => call.from)], text: outputOf(made) }
    for (const sink of sinks) this.readStatements(sink.commands, depth + 1, written)
  }

  /** `/bin/r?` is a program too, but which one depends on the files. */
  private checkName(node: Command, word: Word | undefined): void {
    if (node.name?.parts?.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob') && word)
      if (word.text !== '[' && word.text !== '[[')
        this.skip('the name of a program is not known before it runs')
  }

  private readWords(
    given: readonly Word[],
    depth: number,
    input: Input,
    redirects: readonly Redirect[],
    /** By another program, which knows no functions, or by a word such as `command` or `time`. */
    isStarted = false,
  ): undefined {
    const [first, ...args] = given
    if (!first || depth > DEEPEST) return
    if (!first.isKnown && first.text.replace(/[\0\uE001-\uE003]/g, '').replace(/.*\//, '') === '') {
      this.skip('the name of a program is not known before it runs')
      const origin = originOfCode(first.text)
      if (origin) this.foreignCode.add(origin)
      this.add('', args, redirects, input)
      return
    }
    const name = fitPattern(programOf(first.text))
    const texts = args.map(({ text }) => text)
    const own = this.streams.inputOf(name, texts, redirects, input)
    if (this.callFunction(first.text, texts, depth, own, isStarted) && !isStarted) return
    const builtin = runBuiltin(name, args, own, this.words)
    if (builtin) {
      if (builtin.script !== undefined) this.readText(builtin.script, depth + 1, builtin.input)
      return
    }
    const file = this.streams.scriptOf(name, first.text, texts)
    if (file !== undefined && !this.running.has(file)) {
      this.running.add(file)
      this.readText(file, depth + 1)
      this.running.delete(file)
    }
    const code = codeOf(name, args, own.text)
    if (code) {
      for (const text of code.scripts) this.readText(text, depth + 1, code.readsInput ? NO_INPUT : own)
      for (const call of code.calls) this.readWords(call.map(toWord), depth + 1, NO_INPUT, [])
      if (code.isUnknown) this.skip(`the code for ${name} is not known before it runs`)
      for (const kind of code.foreign) this.foreignCode.add(kind)
      this.isForkBomb ||= code.isForkBomb
    }
    const inner = code ? undefined : unwrap(name, args, own)
    if (inner) {
      if (inner.isUnknown) this.skip('the script on stdin is not known before it runs')
      const read = () => {
        if (inner.script !== undefined)
          if (inner.isPowerShell) this.readOtherShell(inner.script, depth + 1)
          else if (inner.isGuess) this.readGuess(inner.script, depth)
          else if (inner.positional) this.readScriptOf(inner, depth, own)
          else this.readText(inner.script, depth + 1, inner.input ?? own)
        for (const call of inner.calls) this.readWords(call, depth + 1, inner.input ?? own, redirects, true)
      }
      if (inner.isRemote) this.inScope({ isRemote: true, cwd: undefined }, read)
      else if (inner.folder) this.inScope({ cwd: folderOf(this.words, inner.folder) }, read)
      else read()
      if (!inner.isAlsoCall) return
    }
    this.add(name, args, redirects, own, first.text)
  }

  /** A text that may be no script. */
  private readGuess(text: string, depth: number): void {
    const before = new Set(this.unknown)
    this.readText(text, depth + 1)
    for (const reason of this.unknown) if (!before.has(reason)) this.unknown.delete(reason)
  }

  /** `sh -c SCRIPT name arg`: the script sees `$0`, `$1` … */
  private readScriptOf({ script = '', positional = [], input }: Inner, depth: number, own: Input): void {
    this.inScope({}, () => {
      const { variables } = this.words.scope
      for (const text of this.assignments) variables.set(...(text.split(/=([\s\S]*)/, 2) as [string, string]))
      if (positional.length > 0) variables.set('0', positional[0]!)
      this.words.setPositional(positional.slice(1))
      this.readText(script, depth + 1, input ?? own)
    })
  }

  private callFunction(
    name: string,
    args: readonly string[],
    depth: number,
    input: Input,
    isStarted = false,
  ): boolean {
    const alias = this.words.aliases.get(name)
    if (alias !== undefined && !this.running.has(alias)) {
      this.running.add(alias)
      this.readText([alias, ...args].join(' '), depth + 1, input)
      this.running.delete(alias)
      return true
    }
    const found = this.functions.get(name)
    if (!found) return false
    if (this.running.has(found)) {
      if (isStarted) return false
      // The second call from inside itself: the number of processes grows without end.
      this.isForkBomb ||=
        this.isBackground || input.from.length > 0 || this.calls.some(call => call.name === name)
      this.add(name, [], [], input)
      return true
    }
    this.running.add(found)
    this.inScope({}, () => {
      this.words.setPositional(args)
      const { body } = found
      if (body.type === 'CompoundList') this.readList(body, depth + 1, input)
      else this.readNode(body, depth + 1, input)
    })
    this.running.delete(found)
    return true
  }

  private add(
    name: string,
    args: readonly Word[],
    redirects: readonly Redirect[],
    input: Input,
    path = name,
  ): void {
    const { cwd, isRemote, isSubstituted } = this.words.scope
    const call: Call = {
      name,
      path,
      args,
      assignments: this.assignments,
      redirects,
      from: input.from,
      input: input.text,
      cwd,
      isRemote,
      isSubstituted,
      ...(this.variables.length > 0 ? { credentials: this.variables } : {}),
    }
    this.calls.push(call)
    this.streams.record(call)
  }

  private readRedirects(redirects: readonly Redirection[], depth: number) {
    const found: Redirect[] = []
    let text: string | undefined
    let from: readonly Call[] = []
    for (const redirect of redirects) {
      if (redirect.type === 'HereDoc') {
        text = redirect.delimiter?.quoted
          ? redirect.body.text
          : this.words.joined(redirect.body.parts ?? [], depth) || redirect.body.text
      } else if (redirect.target) {
        const [target = { text: UNKNOWN, isKnown: false }] = this.words.resolve(redirect.target, depth)
        if (redirect.type === 'HereString') text = target.text
        else {
          const { operator } = redirect
          const number = this.streams.open(redirect.descriptor, target, this.words.scope.variables)
          const opened = /^[<>]&$/.test(operator) ? this.streams.sockets.get(target.text) : undefined
          found.push({
            operator,
            target: opened ?? target,
            ...(number === undefined ? {} : { descriptor: number }),
          })
          if (operator === '<' || (opened && operator === '<&'))
            from = this.streams.pipes.get(target.text)?.from ?? [this.reading(opened ?? target)]
        }
      }
    }
    return { redirects: found, text, from }
  }

  /** Reading a file through `<`, for what is made of it. */
  private reading(target: Word): Call {
    const { cwd, isRemote } = this.words.scope
    return {
      name: 'cat',
      args: [target],
      assignments: [],
      redirects: [],
      from: [],
      input: undefined,
      cwd,
      isRemote,
      isSubstituted: false,
    }
  }

  private assign({ name, value, append }: Assignment, depth: number): void {
    const { variables, arrays } = this.words.scope
    if (value.type === 'ArrayValue') {
      const own = value.elements.flatMap(word => this.words.resolve(word, depth)).map(({ text }) => text)
      arrays.set(name, append ? [...(arrays.get(name) ?? []), ...own] : own)
      variables.set(name, own[0] ?? UNKNOWN)
      return
    }
    const text = this.words.textOf(value, depth)
    if (this.words.fixed.has(name)) return
    const before = variables.get(name)
    const after = append ? (before ?? '') + text : text
    if (COMMAND_VARIABLE.test(name)) this.readText(after, depth + 1)
    if (this.isConditional) {
      const values = this.words.alternatives.get(name) ?? new Set(before === undefined ? [] : [before])
      if (values.size < 8) this.words.alternatives.set(name, values.add(after))
    } else this.words.alternatives.delete(name)
    variables.set(name, after)
  }

  private assignmentWord(node: Assignment, depth: number): Word[] {
    if (node.value.type === 'ArrayValue') {
      this.assign(node, depth)
      return []
    }
    return [toWord(`${node.name}=${this.words.textOf(node.value, depth)}`)]
  }

  private substituted(script: ParsedScript | undefined, depth: number): string {
    if (!script) return UNKNOWN
    let made: Call[] = []
    this.inScope({ isSubstituted: true }, () => {
      made = this.readStatements(script.commands, depth + 1, NO_INPUT)
    })
    const output = outputOf(made, this.words.scope.cwd)
    return output === undefined ? unknownFrom(originOf(made)) : output.replace(/\n+$/, '')
  }

  private piped(operator: '<' | '>', script: ParsedScript | undefined, depth: number): string {
    const path = `/dev/fd/${63 - this.streams.pipes.size}`
    if (!script) return path
    if (operator === '>') {
      this.sinks.push(script)
      return '/dev/null'
    }
    let made: Call[] = []
    this.inScope({ isSubstituted: true }, () => {
      made = this.readStatements(script.commands, depth + 1, NO_INPUT)
    })
    this.streams.pipes.set(path, { from: made, text: outputOf(made, this.words.scope.cwd) })
    return path
  }
}

/** `$NAME` and `${NAME}` as words of their own or in quotes. */
const variablesIn = (words: Command['args']): string[] =>
  words.flatMap(word => [...word.text.matchAll(/\$\{?([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name!))

/** Programs start what these variables contain. */
const COMMAND_VARIABLE =
  /^(?:GIT_(?:SSH(?:_COMMAND)?|EDITOR|PAGER|EXTERNAL_DIFF|PROXY_COMMAND|ASKPASS|SEQUENCE_EDITOR)|(?:MAN|SYSTEMD_)?PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|PROMPT_COMMAND|BASH_ENV|ENV|PS[0-4]|RSYNC_RSH|SSH_ASKPASS|SUDO_ASKPASS)$/

/** `!!`, `!$`, `!-2`, `!git`: an interactive shell replaces them. */
const HISTORY = /^[^'"\\]*!(?:[!$*^]|-?\d)|^!\??[a-z]/i

/** The programs that matter, for names with `?`, `*` and `[…]`. */
const PROGRAMS = 'rm dd sh bash zsh mv chmod chown mkfs find shred curl wget nc git cat python3 perl'.split(
  ' ',
)

function fitPattern(name: string): string {
  const pattern = isPattern(name) && name.length <= 40 ? patternOf(name) : undefined
  return PROGRAMS.find(program => pattern?.test(program)) ?? name
}
