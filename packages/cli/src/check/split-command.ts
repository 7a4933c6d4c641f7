// A command as a shell would split it, as far as that can be known without running it. Only good enough to
// find the scripts that a command names; never used to run anything.

export interface Word {
  readonly text: string
  /** Holds something that only the shell knows: a variable, a substitution, a pattern. */
  readonly unsure: boolean
}

export interface SimpleCommand {
  readonly words: readonly Word[]
  /** What stands before it: nothing, or the operator that joins it to the one before. */
  readonly after: string
}

export interface SplitOptions {
  readonly home: string
  /** On Windows a backslash separates folders and escapes nothing. */
  readonly backslash: 'escapes' | 'separates'
  readonly variable: (name: string) => string | undefined
}

// Sticky: each is tried where the reader stands.
const PLAIN = /[\w\-./:=,@%+]+/y
const OPERATOR = /&&|\|\||\|&|;;|[;&|()\n]/y
const REDIRECT = /[0-9]*(?:<<<|<<-?|<>|>>|>\||[<>]&?)|&>>?/y
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|\{([A-Za-z_]\w*):?[-+?=])/y

export function splitCommand(command: string, options: SplitOptions): SimpleCommand[] {
  return new Splitter(command, options).split()
}

class Splitter {
  private at = 0
  private readonly commands: { words: Word[]; after: string }[] = [{ words: [], after: '' }]
  private text = ''
  private started = false
  private unsure = false
  /** The next word is a file that is read or written, not an argument. */
  private isRedirected = false

  constructor(
    private readonly command: string,
    private readonly options: SplitOptions,
  ) {}

  split(): SimpleCommand[] {
    while (this.at < this.command.length && this.step()) {
      // each step moves on by at least one character
    }
    this.endWord()
    return this.commands.filter(({ words }) => words.length > 0)
  }

  /** False when the rest is not a command any more. */
  private step(): boolean {
    const { command, at } = this
    PLAIN.lastIndex = at
    const run = PLAIN.exec(command)?.[0]
    if (run !== undefined && !/^[<>]/.test(command[at + run.length] ?? '')) {
      this.started = true
      this.text += run
      this.at += run.length
      return true
    }
    const character = command[at]!
    if (character === ' ' || character === '\t' || character === '\r') {
      this.endWord()
      this.at++
      return true
    }
    if (!this.started && character === '#') {
      const end = command.indexOf('\n', at)
      this.at = end === -1 ? command.length : end
      return true
    }
    return this.readOperator(character)
  }

  private readOperator(character: string): boolean {
    const { command, at } = this
    REDIRECT.lastIndex = at
    const redirect = REDIRECT.exec(command)?.[0]
    // In `a2>b` the 2 belongs to the word; in `a 2>b` it is the channel.
    if (redirect !== undefined && !(this.started && /^\d/.test(redirect))) {
      // What follows << is text, not a command.
      if (/^\d*<<-?$/.test(redirect)) return false
      this.endWord()
      this.isRedirected = true
      this.at += redirect.length
      return true
    }
    OPERATOR.lastIndex = at
    const operator = OPERATOR.exec(command)?.[0]
    if (operator !== undefined) {
      this.endWord()
      this.isRedirected = false
      this.commands.push({ words: [], after: operator === '\n' ? ';' : operator })
      this.at += operator.length
      return true
    }
    this.readPart(character)
    return true
  }

  private readPart(character: string) {
    if (!this.started && character === '~') return this.readHome()
    this.started = true
    if (character === "'") return this.readSingle()
    if (character === '"') return this.readDouble()
    if (character === '$' || character === '`') return this.readExpansion(false)
    if (character === '\\' && this.options.backslash === 'escapes') {
      const next = this.command[this.at + 1]
      if (next !== undefined && next !== '\n') this.text += next
      this.at += 2
      return
    }
    if ('*?['.includes(character)) this.unsure = true
    this.text += character
    this.at++
  }

  private readHome() {
    this.started = true
    const next = this.command[this.at + 1]
    if (next === undefined || /[\s/\\;&|]/.test(next)) this.text += this.options.home
    else this.unsure = true
    this.at++
  }

  private readSingle() {
    const end = this.command.indexOf("'", this.at + 1)
    if (end === -1) this.unsure = true
    this.text += this.command.slice(this.at + 1, end === -1 ? undefined : end)
    this.at = end === -1 ? this.command.length : end + 1
  }

  private readDouble() {
    this.at++
    while (this.at < this.command.length && this.command[this.at] !== '"') {
      const character = this.command[this.at]!
      const next = this.command[this.at + 1]
      if (character === '\\' && next !== undefined && '"\\$`\n'.includes(next)) {
        if (next !== '\n') this.text += next
        this.at += 2
      } else if (character === '$' || character === '`') this.readExpansion(true)
      else {
        this.text += character
        this.at++
      }
    }
    if (this.at >= this.command.length) this.unsure = true
    this.at++
  }

  private readExpansion(quoted: boolean) {
    VARIABLE.lastIndex = this.at
    const found = VARIABLE.exec(this.command)
    if (found && found[3] === undefined) {
      const value = this.options.variable(found[1] ?? found[2] ?? '')
      // Without quotes the shell would split the value at its spaces.
      if (value === undefined || (!quoted && /\s/.test(value))) this.unsure = true
      this.text += value ?? ''
      this.at += found[0].length
      return
    }
    this.unsure = true
    this.at = this.endOfExpansion()
  }

  /** Past `$(…)`, `${…}`, `` `…` `` or a lone `$`; brackets are counted, nothing else is understood. */
  private endOfExpansion(): number {
    const { command, at } = this
    if (command[at] === '`') {
      const end = command.indexOf('`', at + 1)
      return end === -1 ? command.length : end + 1
    }
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

  private endWord() {
    if (this.started) {
      // A bracket by itself is the name of a program.
      const word = { text: this.text, unsure: this.unsure && !/^\[\[?$/.test(this.text) }
      if (!this.isRedirected) this.commands.at(-1)!.words.push(word)
      this.isRedirected = false
    }
    this.text = ''
    this.started = false
    this.unsure = false
  }
}

/** One word for a shell, whatever is in it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
