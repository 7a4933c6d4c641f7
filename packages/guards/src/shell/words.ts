// What the words of a shell become: quotes, variables, arrays, parameters, braces, and the output of substituted commands.

import type { ParameterExpansionPart, ParsedScript, Word as WordNode, WordPart } from 'unbash'
import { UNKNOWN, type Word } from './call.js'
import { changeOf, expandBraces } from './expansion.js'

export interface Scope {
  cwd: string | undefined
  readonly variables: Map<string, string>
  readonly arrays: Map<string, readonly string[]>
  readonly isRemote: boolean
  readonly isSubstituted: boolean
}

/** What the words need of the reader: commands inside of them run. */
export interface Substitution {
  /** The output of a script, or a mark for what is not known. */
  output(script: ParsedScript | undefined, depth: number): string
  /** The path under which a program reads or writes the script. */
  pipe(operator: '<' | '>', script: ParsedScript | undefined, depth: number): string
  /** Commands in text that is not parsed, as in arithmetic. */
  run(text: string, depth: number): void
}

export class Words {
  /** Names that stand for another variable: `declare -n`. */
  readonly references = new Map<string, string>()
  /** Variables that keep their value. */
  readonly fixed = new Set<string>()
  readonly aliases = new Map<string, string>()
  /** What a variable could be, where a condition decides. */
  readonly alternatives = new Map<string, Set<string>>()
  scope: Scope

  constructor(
    readonly home: string,
    cwd: string,
    private readonly substitution: Substitution,
  ) {
    const variables = new Map([
      ['HOME', home],
      ['PWD', cwd],
      ['TMPDIR', '/tmp'],
      ['TMP', '/tmp'],
      ['TEMP', '/tmp'],
      ['IFS', ' '],
    ])
    this.scope = { cwd, variables, arrays: new Map(), isRemote: false, isSubstituted: false }
  }

  /** The words that one word becomes: several after brace expansion or an unquoted variable with spaces. */
  resolve(node: WordNode, depth: number): Word[] {
    const { parts } = node
    if (!parts) return expandBraces(this.tilde(node.value, node.text)).map(toWord)
    const isQuoted = parts.every(({ type }) => QUOTED.test(type))
    const list = parts.length === 1 ? this.list(parts[0]!) : undefined
    if (list) return list.map(toWord)
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
      isSplit ||= isBare && this.separators().test(options[0]!)
      if (texts.length * options.length > 64) return [{ text: UNKNOWN, isKnown: false }]
      texts = texts.flatMap(text => options.map(option => text + option))
    }
    if (isSplit) texts = texts.flatMap(text => text.split(this.separators()).filter(piece => piece !== ''))
    return texts.map(text => (isQuoted ? { ...toWord(text), isQuoted } : toWord(text)))
  }

  /** `$1`, `$2` …, `$@`. */
  setPositional(values: readonly string[]): void {
    const { variables, arrays } = this.scope
    for (const [index, text] of values.entries()) variables.set(String(index + 1), text)
    for (const name of ['@', '*']) variables.set(name, values.join(' '))
    arrays.set('@', values)
  }

  textOf(word: WordNode, depth: number): string {
    return this.resolve(word, depth)
      .map(({ text }) => text)
      .join(' ')
  }

  joined(parts: readonly WordPart[], depth: number): string {
    return parts.map(part => this.valueOf(part, depth)).join('')
  }

  /** All elements of an array: `"${a[@]}"`, `"$@"`. */
  private list(part: WordPart): readonly string[] | undefined {
    const [only] = part.type === 'DoubleQuoted' && part.parts.length === 1 ? part.parts : [part]
    if (only?.type === 'SimpleExpansion' && /^\$[@*]$/.test(only.text)) return this.scope.arrays.get('@')
    if (only?.type !== 'ParameterExpansion' || only.operation || only.prefix) return undefined
    if (/^[@*]$/.test(only.parameter)) return this.scope.arrays.get('@')
    return /^[@*]$/.test(only.index?.text ?? '') ? this.scope.arrays.get(only.parameter) : undefined
  }

  /** The characters that split an unquoted expansion. */
  private separators(): RegExp {
    const own = this.scope.variables.get('IFS')
    if (own === undefined || own === ' ' || own.includes(UNKNOWN)) return /\s+/
    return own === '' ? /(?!)/ : new RegExp(`[${own.replace(/[\]\\^-]/g, '\\$&')}\\s]+`)
  }

  private tilde(value: string, source: string): string {
    if (!source.startsWith('~')) return value
    return value
      .replace(/^~[+-]?(?=\/|$)/, this.home)
      .replace(/^~root(?=\/|$)/, '/root')
      .replace(/^~(?=\w)/, '/home/')
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
      case 'ParameterExpansion':
        return this.parameter(part, depth)
      case 'CommandExpansion':
        return this.substitution.output(part.script, depth)
      case 'ProcessSubstitution':
        return this.substitution.pipe(part.operator, part.script, depth)
      case 'ArithmeticExpansion':
        // Commands in it run before the numbers are computed.
        if (/\$\(|`/.test(part.text)) this.substitution.run(`: "${part.text.slice(3, -2)}"`, depth + 1)
        return UNKNOWN
      default:
        return UNKNOWN
    }
  }

  private parameter(part: ParameterExpansionPart, depth: number): string {
    const { parameter, operation, prefix, index } = part
    if (prefix === '!') {
      const name = this.scope.variables.get(parameter)
      return name === undefined || operation ? UNKNOWN : this.variable(name)
    }
    if (prefix) return UNKNOWN
    if (index) {
      const at = Number(this.textOf(index, depth))
      return this.scope.arrays.get(parameter)?.at(Number.isInteger(at) ? at : 0) ?? UNKNOWN
    }
    const known = this.scope.variables.get(parameter)
    if (!operation) return this.variable(parameter)
    if (operation.type === 'Default' && /[-=]$/.test(operation.operator))
      return known ?? this.textOf(operation.operand, depth)
    return changeOf(known, operation, word => this.textOf(word, depth)) ?? UNKNOWN
  }

  private variable(name: string): string {
    return this.scope.variables.get(this.references.get(name) ?? name) ?? UNKNOWN
  }
}

const QUOTED = /^(?:SingleQuoted|DoubleQuoted|AnsiCQuoted)$/

export const toWord = (text: string): Word => ({ text, isKnown: !text.includes(UNKNOWN) })
