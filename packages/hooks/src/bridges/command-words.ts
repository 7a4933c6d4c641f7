// Splits a command as a shell would, as far as that is possible without running it. Good enough to find the files that a
// command names; never used to run anything.

export interface Word {
  /** Without quotes and escapes, with the values of known variables. */
  readonly text: string
  /** Contains something that only the shell knows: a variable, a substitution, a pattern. */
  readonly unsure: boolean
  /** The text for matching: characters of a pattern are bare, all others escaped; \0 is an unknown text. */
  readonly pattern: string
}

export interface SimpleCommand {
  readonly words: readonly Word[]
  /** The operator between this command and the one before. */
  readonly after: string
  /** The files of its redirections. */
  readonly written: readonly Word[]
  readonly read: readonly Word[]
  /** The text of here-documents and here-strings. */
  readonly input: string
  /** The code of substitutions. */
  readonly inner: readonly string[]
}

export interface SplitOptions {
  readonly home: string
  /** On Windows a backslash separates folders and escapes nothing. */
  readonly backslash: 'escapes' | 'separates'
  readonly variable: (name: string) => string | undefined
}

// Sticky: each is tried at the current position.
const PLAIN = /[\w\-./:=@%+]+/y
const OPERATOR = /&&|\|\||\|&|;;|[;&|()\n]/y
const REDIRECT = /[0-9]*(?:<<<|<<-?|<>|>>|>\||[<>]&?)|&>>?/y
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y
const DELIMITER = /[ \t]*(?:(['"])(.*?)\1|\\?([^\s;&|<>()'"]+))/y
const ANSI = /\$'((?:[^'\\]|\\[\s\S])*)'/y
const ESCAPE = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3})|([\s\S]))/gi
const SPECIAL = /[*?[\]{},\\]/g
const SUBSTITUTION = /\$\(([\s\S]*?)\)|`([^`]*)`/g

export function splitCommand(command: string, options: SplitOptions): SimpleCommand[] {
  return new Splitter(command, options).split()
}

type Part = { -readonly [K in keyof SimpleCommand]: SimpleCommand[K] } & {
  words: Word[]
  written: Word[]
  read: Word[]
  inner: string[]
}

const newPart = (after: string): Part => ({ words: [], after, written: [], read: [], input: '', inner: [] })

class Splitter {
  private at = 0
  private part = newPart('')
  private readonly parts: Part[] = [this.part]
  private text = ''
  private pattern = ''
  private started = false
  private unsure = false
  /** The list for the next word: it may be a file that is read or written. */
  private list: 'words' | 'written' | 'read' | 'input' = 'words'
  private documents: { part: Part; end: string; isQuoted: boolean }[] = []

  constructor(
    private readonly command: string,
    private readonly options: SplitOptions,
  ) {}

  split(): SimpleCommand[] {
    while (this.at < this.command.length) this.step()
    this.endWord()
    return this.parts.filter(({ words, written, inner }) => words.length + written.length + inner.length > 0)
  }

  private take(regex: RegExp): RegExpExecArray | null {
    regex.lastIndex = this.at
    return regex.exec(this.command)
  }

  /** Moves on by at least one character. */
  private step(): void {
    const { command, at } = this
    const run = this.take(PLAIN)?.[0]
    const character = command[at]!
    if (run !== undefined && !/[<>]/.test(command[at + run.length] ?? '')) this.add(run, run.length)
    else if (/[ \t\r]/.test(character)) {
      this.endWord()
      this.at++
    } else if (!this.started && character === '#') {
      const end = command.indexOf('\n', at)
      this.at = end === -1 ? command.length : end
    } else if (!this.readRedirect() && !this.readOperator()) this.readCharacter(character)
  }

  private readRedirect(): boolean {
    const operator = this.take(REDIRECT)?.[0]
    // In `a2>b` the 2 is part of the word; in `a 2>b` it is the channel.
    if (operator === undefined || (this.started && /^\d/.test(operator))) return false
    this.endWord()
    this.at += operator.length
    this.list = operator.includes('<<<') ? 'input' : operator.includes('>') ? 'written' : 'read'
    if (!/^\d*<<-?$/.test(operator)) return true
    this.list = 'words'
    const found = this.take(DELIMITER)
    if (!found) return true
    const end = found[2] ?? found[3]!
    this.documents.push({ part: this.part, end, isQuoted: !/^[ \t]*\w/.test(found[0]) })
    this.at += found[0].length
    return true
  }

  private readOperator(): boolean {
    const operator = this.take(OPERATOR)?.[0]
    if (operator === undefined) return false
    this.endWord()
    this.list = 'words'
    this.at += operator.length
    if (operator === '\n') this.readDocuments()
    this.part = newPart(operator === '\n' ? ';' : operator)
    this.parts.push(this.part)
    return true
  }

  private readDocuments(): void {
    for (const { part, end, isQuoted } of this.documents.splice(0)) {
      const lines = this.command.slice(this.at).split('\n')
      const last = lines.findIndex(line => line.replace(/^\t+/, '').replace(/\r$/, '') === end)
      const body = lines.slice(0, last === -1 ? lines.length : last).join('\n')
      part.input += `${body}\n`
      if (!isQuoted) for (const [, code, old] of body.matchAll(SUBSTITUTION)) part.inner.push(code ?? old!)
      this.at += body.length + (last === -1 ? 0 : lines[last]!.length + (last === 0 ? 0 : 1))
    }
  }

  private readCharacter(character: string) {
    const { command, at, options } = this
    const next = command[at + 1]
    // Braces are expanded first: in `{~,x}/y` it starts a word.
    if (character === '~' && (!this.started || '{,'.includes(command[at - 1]!))) {
      const isOwn = next === undefined || /[\s/\\;&|,}]/.test(next)
      return isOwn ? this.add(options.home, 1) : this.addUnknown(1)
    }
    if (character === "'") return this.readSingle()
    if (character === '"') return this.readDouble()
    if (character === '$' || character === '`') return this.readExpansion(false)
    if (character === '\\' && options.backslash === 'escapes')
      return this.add(next === undefined || next === '\n' ? '' : next, 2)
    if ('*?['.includes(character)) this.unsure = true
    this.add(character, 1, character)
  }

  /** A closing quote that is missing makes the word unsure. */
  private readSingle(): void {
    const end = this.command.indexOf("'", this.at + 1)
    if (end === -1) this.unsure = true
    const text = this.command.slice(this.at + 1, end === -1 ? undefined : end)
    this.add(text, text.length + 2)
  }

  private readDouble(): void {
    this.add('', 1)
    for (;;) {
      const character = this.command[this.at]
      const next = this.command[this.at + 1]
      if (character === undefined) this.unsure = true
      if (character === undefined || character === '"') break
      if (character === '\\' && next !== undefined && '"\\$`\n'.includes(next))
        this.add(next === '\n' ? '' : next, 2)
      else if (character === '$' || character === '`') this.readExpansion(true)
      else this.add(character, 1)
    }
    this.at++
  }

  private readExpansion(isQuoted: boolean) {
    const ansi = isQuoted ? null : this.take(ANSI)
    if (ansi) return this.add(ansi[1]!.replace(ESCAPE, decodeEscape), ansi[0].length)
    const [all, name, braced] = this.take(VARIABLE) ?? []
    const value = all === undefined ? undefined : this.options.variable(name ?? braced!)
    // Without quotes the shell would split the value at its spaces.
    if (!isQuoted && value !== undefined && /\s/.test(value)) this.unsure = true
    if (value !== undefined) return this.add(value, all!.length)
    const end = all === undefined ? this.endOfExpansion() : this.at + all.length
    const code = this.command.slice(this.at, end).replace(/^\$?[(`]|[)`]$/g, '')
    if (all === undefined && code.trim() !== '') this.part.inner.push(code)
    this.addUnknown(end - this.at)
  }

  /** The end of `$(…)`, `${…}`, `` `…` `` or a lone `$`. Only brackets are counted. */
  private endOfExpansion(): number {
    const { command, at } = this
    if (command[at] === '`') return command.indexOf('`', at + 1) + 1 || command.length
    const open = command[at + 1]
    if (open !== '(' && open !== '{') return at + 1
    const close = open === '(' ? ')' : '}'
    let depth = 0
    for (let i = at + 1; i < command.length; i++) {
      if (command[i] === open) depth++
      else if (command[i] === close && --depth === 0) return i + 1
    }
    return command.length
  }

  private add(text: string, length: number, pattern = text.replace(SPECIAL, '\\$&')): void {
    this.started = true
    this.text += text
    this.pattern += pattern
    this.at += length
  }

  private addUnknown(length: number): void {
    this.unsure = true
    this.add('', length, '\0')
  }

  private endWord(): void {
    const { text, pattern, started, list } = this
    // A bracket alone is the name of a program.
    const word = { text, pattern, unsure: this.unsure && !/^\[\[?$/.test(text) }
    if (started && list === 'input') this.part.input += text
    else if (started && list !== 'input') this.part[list].push(word)
    if (started) this.list = 'words'
    this.text = this.pattern = ''
    this.started = this.unsure = false
  }
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const decodeEscape = (_: string, hex?: string, wide?: string, octal?: string, other = ''): string => {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
  const code = hex ?? wide
  return code === undefined ? (ESCAPED[other] ?? other) : String.fromCharCode(Number.parseInt(code, 16))
}

const MOST_WILDCARDS = 6

/** The regular expression for a pattern. With many wildcards, only the text before the first one counts. */
export function patternSource(pattern: string): string {
  const tokens = pattern.match(/\\[\s\S]|\*\*\/|\*+|\[[!^]?\]?[^\]]*\]|[\s\S]/g) ?? []
  const isWild = (token: string) => /^[*?[{\0]/.test(token)
  const isLong = tokens.filter(isWild).length > MOST_WILDCARDS
  let source = ''
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    if (isLong && isWild(token)) return `${source}.*`
    // A wildcard does not match the dot of a hidden file.
    const start = index === 0 || tokens[index - 1]!.endsWith('/') ? '(?!\\.)' : ''
    if (token === '**/') source += '(?:(?!\\.)[^/]+/)*'
    else if (token.startsWith('*')) source += `${start}[^/]*`
    else if (token === '?') source += `${start}[^/]`
    else if (token === '\0') source += '.*'
    else if (/^\[.+\]$/.test(token))
      source += `${start}[${token
        .slice(1, -1)
        .replace(/^!/, '^')
        .replace(/[\\\]]|\[(?!:)/g, '\\$&')}]`
    else if (token === '{' && !isLong) {
      source += '(?:'
      depth++
    } else if (token === ',' && depth > 0) source += '|'
    else if (token === '}' && depth > 0) {
      source += ')'
      depth--
    } else source += token.replace(/^\\(?=[\s\S])/, '').replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  }
  return source + ')'.repeat(depth)
}
