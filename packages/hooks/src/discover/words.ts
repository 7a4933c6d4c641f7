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

const OPERATOR = /^(?:&&|\|\||\|&|;;|[;&|()\n])/
const REDIRECT = /^(?:[0-9]*(?:<<<|<<-?|<>|>>|>\||[<>]&?)|&>>?)/
const VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|\{([A-Za-z_]\w*):?[-+?=])/

export function splitCommand(command: string, options: SplitOptions): SimpleCommand[] {
  return new Splitter(command, options).split()
}

class Splitter {
  private at = 0
  private readonly commands: { words: Word[]; after: string }[] = [{ words: [], after: '' }]
  private text = ''
  private started = false
  private unsure = false
  /** The next word is the target of a redirection, not an argument. */
  private skipWord = false

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
    const rest = command.slice(at, at + 128)
    const redirect = REDIRECT.exec(rest)
    // In `a2>b` the 2 belongs to the word; in `a 2>b` it is the channel.
    if (redirect && !(this.started && /^\d/.test(redirect[0]))) {
      // What follows << is text, not a command.
      if (/<<-?$/.test(redirect[0])) return false
      this.endWord()
      this.skipWord = true
      this.at += redirect[0].length
      return true
    }
    const operator = OPERATOR.exec(rest)
    if (operator) {
      this.endWord()
      this.skipWord = false
      this.commands.push({ words: [], after: operator[0] === '\n' ? ';' : operator[0] })
      this.at += operator[0].length
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
    const rest = this.command.slice(this.at, this.at + 128)
    const found = VARIABLE.exec(rest)
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
    if (this.started && !this.skipWord) {
      this.commands.at(-1)!.words.push({ text: this.text, unsure: this.unsure })
    }
    if (this.started) this.skipWord = false
    this.text = ''
    this.started = false
    this.unsure = false
  }
}
