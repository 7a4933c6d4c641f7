// Parses shell text into simple commands, with what is known of their words. It reads the syntax of sh and bash. What
// only a shell could know (variables, patterns, output of other commands) is marked as uncertain.

import { homedir } from 'node:os'
import { bracket, closing, ends } from './closing.js'

export interface Word {
  readonly text: string
  /** False if the shell replaces it with something else. */
  readonly isCertain: boolean
}

export interface Command {
  /** X=1 before the command. */
  readonly settings: Word[]
  readonly words: Word[]
  /** Files that it writes by redirection. */
  readonly writes: Word[]
  /** Its stdin: a text in the command, a file, or the output of the previous command. */
  stdin: { text: Word } | { file: Word } | { pipe: Command } | undefined
}

/** Throws if a quote or a bracket is not closed. */
export function commandsIn(text: string): Command[] {
  const found: Command[] = []
  new Reader(text, found).read()
  return found.filter(({ words, settings, writes }) => words.length + settings.length + writes.length > 0)
}

const RESERVED = new Set(
  'if then elif else fi do done while until for case esac in function { } ! [[ ]]'.split(' '),
)
const SETTING = /^[A-Za-z_]\w*\+?=/
const REDIRECT = /(?:\d*|&)(?:<<<|<<-?|<>|<&|>>|>&|>\||<|>)/y
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  e: '\u001b',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
}

class Reader {
  private at = 0
  private now: Command = empty()
  private readonly waiting: { command: Command; end: string; isPlain: boolean; tabs: boolean }[] = []

  constructor(
    private readonly text: string,
    private readonly found: Command[],
  ) {}

  read(): void {
    const { text } = this
    while (this.at < text.length) {
      const sign = text[this.at]!
      REDIRECT.lastIndex = this.at
      const redirect = REDIRECT.exec(text)?.[0]
      if (text.startsWith('\\\n', this.at)) this.at += 2
      else if (sign === ' ' || sign === '\t' || sign === '\r') this.at++
      else if (sign === '#') this.at = ends(text, '\n', this.at)
      else if (sign === '\n') {
        this.at++
        this.next()
        this.hereDocuments()
      } else if (/^[<>]\(/.test(text.slice(this.at, this.at + 2))) this.now.words.push(this.word())
      else if (redirect !== undefined) this.redirect(redirect)
      else if (sign === '|' && text[this.at + 1] !== '|') {
        const before = this.next()
        this.now.stdin = { pipe: before }
        this.at += text[this.at + 1] === '&' ? 2 : 1
      } else if (';&|()'.includes(sign)) {
        this.at++
        this.next()
      } else this.take(this.word())
    }
    this.next()
    if (this.waiting.length > 0) throw new Error('a here-document does not end')
  }

  private take(word: Word): void {
    const { now } = this
    if (now.words.length === 0 && word.isCertain && RESERVED.has(word.text)) return
    if (now.words.length === 0 && SETTING.test(word.text)) now.settings.push(word)
    else now.words.push(word)
  }

  private next(): Command {
    const done = this.now
    this.found.push(done)
    this.now = empty()
    return done
  }

  private redirect(operator: string): void {
    this.at += operator.length
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at++
    const from = this.at
    const word = this.word()
    if (operator.endsWith('<<<')) this.now.stdin = { text: { ...word, text: `${word.text}\n` } }
    else if (operator.endsWith('<<') || operator.endsWith('<<-')) {
      const isPlain = /['"\\]/.test(this.text.slice(from, this.at))
      this.waiting.push({ command: this.now, end: word.text, isPlain, tabs: operator.endsWith('-') })
    } else if (operator.endsWith('<') || operator.endsWith('<>')) this.now.stdin = { file: word }
    else if (!operator.endsWith('&') || !/^\d+$|^-$/.test(word.text)) this.now.writes.push(word)
  }

  /** The bodies follow in the lines after the operator. */
  private hereDocuments(): void {
    for (const { command, end, isPlain, tabs } of this.waiting.splice(0)) {
      const lines: string[] = []
      for (;;) {
        if (this.at >= this.text.length) throw new Error('a here-document does not end')
        const stop = ends(this.text, '\n', this.at)
        const line = this.text.slice(this.at, stop).replace(tabs ? /^\t+/ : /^$/, '')
        this.at = stop + 1
        if (line === end) break
        lines.push(line)
      }
      const text = lines.map(line => `${line}\n`).join('')
      const isCertain = isPlain || !/[$`\\]/.test(text)
      if (!isCertain) this.substitutionsIn(text)
      command.stdin = { text: { text, isCertain } }
    }
  }

  private word(): Word {
    const { text } = this
    let out = ''
    let isCertain = true
    const from = this.at
    while (this.at < text.length) {
      const sign = text[this.at]!
      if (/[\s;&|()]/.test(sign) || (sign === '<' || sign === '>' ? text[this.at + 1] !== '(' : false)) break
      if (sign === '\\') {
        if (text[this.at + 1] !== '\n') out += text[this.at + 1] ?? ''
        this.at += 2
      } else if (sign === "'") {
        const stop = closing(text, "'", this.at + 1)
        out += text.slice(this.at + 1, stop)
        this.at = stop + 1
      } else if (text.startsWith("$'", this.at)) out += this.escaped()
      else if (sign === '"' || text.startsWith('$"', this.at)) {
        const inner = this.quoted(sign === '"' ? 1 : 2)
        out += inner.text
        isCertain &&= inner.isCertain
      } else if (sign === '$' || sign === '`' || sign === '<' || sign === '>') {
        isCertain &&= !this.expansion()
        if (isCertain) out += sign
      } else {
        // Patterns, and {a,b}.
        if (
          '*?['.includes(sign) ||
          (sign === '{' && /^\{[^{}\s]*(?:,|\.\.)/.test(text.slice(this.at, this.at + 200)))
        )
          isCertain = false
        out += sign
        this.at++
      }
    }
    if (/^~(?=\/|$)/.test(text.slice(from, from + 2))) out = homedir() + out.slice(1)
    return { text: out, isCertain }
  }

  /** $'...' */
  private escaped(): string {
    let out = ''
    for (this.at += 2; this.text[this.at] !== "'"; this.at++) {
      if (this.at >= this.text.length) throw new Error('a quote is not closed')
      if (this.text[this.at] !== '\\') {
        out += this.text[this.at]
        continue
      }
      const rest = this.text.slice(this.at + 1, this.at + 10)
      const [code, hex, octal] =
        /^(?:x([\da-f]{1,2})|[0]?([0-7]{1,3}))/i.exec(rest) ?? /^u([\da-f]{1,4})/i.exec(rest) ?? []
      if (code !== undefined)
        out += String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number.parseInt(octal!, 8))
      else out += ESCAPES[rest[0]!] ?? rest[0] ?? ''
      this.at += code?.length ?? 1
    }
    this.at++
    return out
  }

  private quoted(opening: number): Word {
    let out = ''
    let isCertain = true
    this.at += opening
    while (this.text[this.at] !== '"') {
      if (this.at >= this.text.length) throw new Error('a quote is not closed')
      const sign = this.text[this.at]!
      if (sign === '\\' && /[$`"\\\n]/.test(this.text[this.at + 1] ?? '')) {
        if (this.text[this.at + 1] !== '\n') out += this.text[this.at + 1]
        this.at += 2
      } else if (sign === '$' || sign === '`') {
        const isOne = this.expansion()
        isCertain &&= !isOne
        if (!isOne) out += sign
      } else {
        out += sign
        this.at++
      }
    }
    this.at++
    return { text: out, isCertain }
  }

  /** Skips $x, ${x}, $(x), `x` and <(x), and reads the commands in them. False if it is only a character. */
  private expansion(): boolean {
    const { text } = this
    const rest = text.slice(this.at, this.at + 3)
    if (rest[0] === '`') {
      const stop = closing(text, '`', this.at + 1, '\\')
      this.found.push(...commandsIn(text.slice(this.at + 1, stop).replace(/\\([$`\\])/g, '$1')))
      this.at = stop + 1
    } else if (rest.startsWith('$((')) {
      const stop = bracket(text, this.at + 1)
      this.substitutionsIn(text.slice(this.at + 3, stop - 1))
      this.at = stop + 1
    } else if (rest[1] === '(') {
      const stop = bracket(text, this.at + 1)
      this.found.push(...commandsIn(text.slice(this.at + 2, stop)))
      this.at = stop + 1
    } else if (rest.startsWith('${')) {
      const stop = bracket(text, this.at + 1)
      this.substitutionsIn(text.slice(this.at + 2, stop))
      this.at = stop + 1
    } else {
      const name = /^\$(?:\w+|[@*#?$!-])/.exec(text.slice(this.at, this.at + 100))
      this.at += name?.[0].length ?? 1
      return name !== null
    }
    return true
  }

  private substitutionsIn(text: string): void {
    const inner = new Reader(`"${text.replace(/"/g, '\\"')}"`, this.found)
    inner.quoted(1)
  }
}

const empty = (): Command => ({ settings: [], words: [], writes: [], stdin: undefined })
