// JSON with comments → a tree in which every key and value has its place in the file. Duplicate keys both stay in the
// tree: the readers decide about them. Regular expressions do the scanning, because editors start a process per event and
// the code runs cold.

/** Line and column, both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface Member {
  readonly key: string
  readonly place: Place
  readonly value: Json
}

export type Json =
  | { readonly kind: 'object'; readonly place: Place; readonly members: readonly Member[] }
  | { readonly kind: 'array'; readonly place: Place; readonly items: readonly Json[] }
  | { readonly kind: 'value'; readonly place: Place; readonly value: string | number | boolean | null }

export type JsonObject = Extract<Json, { kind: 'object' }>

export type Parsed =
  | { readonly ok: true; readonly root: Json; readonly trailingCommas: readonly Place[] }
  | { readonly ok: false; readonly place: Place; readonly message: string }

/** The plain value of a node, safe for keys such as __proto__. */
export function plain(node: Json): unknown {
  if (node.kind === 'value') return node.value
  if (node.kind === 'array') return node.items.map(plain)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plain(value)]))
}

/** For messages: `"30s"`, `an array`, `null`. */
export const describe = (node: Json): string => describeValue(plain(node))

export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** For reports: `"timeout" is "30s"; expected a number.` */
export const mismatch = (name: string, node: Json, expected: string) => ({
  place: node.place,
  message: `${quote(name)} is ${describe(node)}; expected ${expected}.`,
})

/** In double quotes, short, and without anything that moves a terminal's cursor. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text).replace(
    /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** `hooks.stop[0]` + `timeout` → `hooks.stop[0].timeout`. */
export const within = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${quote(key)}]`
  return path === '' ? key : `${path}.${key}`
}

const DEEPEST = 200
/** Comments included. Bounds the time that a file of an untrusted project takes; 2,000 hooks with all fields fit. */
const MOST_TOKENS = 100_000

export function parseJson(text: string): Parsed {
  const parser = new Parser(text)
  try {
    const root = parser.parse()
    return { ok: true, root, trailingCommas: parser.trailingCommas.map(parser.placeAt) }
  } catch (error) {
    if (error instanceof Stop) return { ok: false, place: parser.placeAt(error.at), message: error.message }
    throw error
  }
}

/** Parsing ends at the first error: later ones are mostly its consequences. */
class Stop {
  constructor(
    readonly at: number,
    readonly message: string,
  ) {}
}

const NOT_SPACE = /[^ \t\r\n]/g
const LINE_END = /[\r\n]|$/g
const STRING_STOP = /["\\\x00-\x1f]/g
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

type Closing = '}' | ']'

class Parser {
  readonly trailingCommas: number[] = []
  private at = 0
  private tokens = 0
  private depth = 0
  private lines: number[] | undefined

  constructor(private readonly text: string) {}

  parse(): Json {
    if (this.next() === undefined)
      throw this.stop(this.text.trim() === '' ? 'The file is empty.' : 'A value is expected here.')
    const root = this.value()
    if (this.next() !== undefined) throw this.stop('There is text after the end of the JSON value.')
    return root
  }

  readonly placeAt = (at: number): Place => {
    this.lines ??= startsOfLines(this.text)
    let [low, high] = [0, this.lines.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.lines[middle]! <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - this.lines[low]! + 1 }
  }

  /** Moves past spaces and comments, and returns the next character. */
  private next(): string | undefined {
    for (;;) {
      if (++this.tokens > MOST_TOKENS) throw this.stop(`The file has more than ${MOST_TOKENS} tokens.`)
      this.at = this.find(NOT_SPACE)?.index ?? this.text.length
      const kind = this.text[this.at] === '/' ? this.text[this.at + 1] : undefined
      if (kind === '/') this.at = this.find(LINE_END)!.index
      else if (kind === '*') {
        const end = this.text.indexOf('*/', this.at + 2)
        if (end === -1) throw this.stop('The comment does not end.')
        this.at = end + 2
      } else return this.text[this.at]
    }
  }

  private find(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    return pattern.exec(this.text)
  }

  private stop(message: string, at = this.at): Stop {
    return new Stop(at, message)
  }

  private value(): Json {
    const start = this.at
    const character = this.text[start]
    if (character === '{') {
      const members: Member[] = []
      this.fill('}', () => members.push(this.member()))
      return this.locate(start, { kind: 'object', members } as const)
    }
    if (character === '[') {
      const items: Json[] = []
      this.fill(']', () => items.push(this.value()))
      return this.locate(start, { kind: 'array', items } as const)
    }
    if (character === '}' || character === ']') throw this.stop('A value is expected here.')
    return this.locate(start, { kind: 'value', value: this.scalar() } as const)
  }

  private locate<T extends object>(at: number, node: T): T & Located {
    return Object.assign(new Located(this.placeAt, at), node)
  }

  private fill(closing: Closing, readNext: () => void): void {
    if (++this.depth > DEEPEST) throw this.stop(`The brackets nest deeper than ${DEEPEST} levels.`)
    let comma: number | undefined
    for (this.at++; !this.closes(closing); comma = this.at++) {
      readNext()
      comma = undefined
      if (this.closes(closing)) break
      if (this.text[this.at] !== ',') throw this.stop('A comma is missing before this.')
    }
    if (comma !== undefined) this.trailingCommas.push(comma)
    this.at++
    this.depth--
  }

  private closes(closing: Closing): boolean {
    const character = this.next()
    if (character === closing) return true
    if (character === undefined || character === '}' || character === ']') throw this.unclosed(closing)
    return false
  }

  private unclosed(closing: Closing): Stop {
    return this.stop(`A closing ${closing === '}' ? 'brace' : 'bracket'} is missing.`)
  }

  private member(): Member {
    const start = this.at
    if (this.text[start] !== '"') throw this.stop('A key in double quotes is expected here.')
    const key = this.string()
    const colon = this.next()
    if (colon === undefined) throw this.unclosed('}')
    if (colon !== ':') throw this.stop('A colon is expected after the key.')
    this.at++
    if (this.next() === undefined) throw this.unclosed('}')
    return this.locate(start, { key, value: this.value() })
  }

  private scalar(): string | number | boolean | null {
    const start = this.at
    if (this.text[start] === '"') return this.string()
    const number = this.find(NUMBER)?.[0]
    const token = number ?? this.find(WORD)?.[0] ?? ''
    this.at += token.length
    if (token === '' || /[\w.+-]/.test(this.text[this.at] ?? ''))
      throw this.stop('This is not a JSON value. Text must be in double quotes.', start)
    return number === undefined ? WORDS[token]! : Number(number)
  }

  private string(): string {
    const start = this.at
    for (this.at++; ; this.at += 2) {
      const stop = this.find(STRING_STOP)?.index
      const character = stop === undefined ? undefined : this.text[stop]
      if (stop === undefined) throw this.stop('The string does not end.', start)
      if (character === '\n' || character === '\r')
        throw this.stop('The string does not end on its line.', start)
      this.at = stop
      if (character === '"') break
      if (character !== '\\')
        throw this.stop('The string contains a control character; write it as an escape.')
    }
    const written = this.text.slice(start, ++this.at)
    if (!written.includes('\\')) return written.slice(1, -1)
    try {
      return JSON.parse(written) as string
    } catch {
      throw this.stop('An escape in this string is not valid; write \\\\ for a backslash.', start)
    }
  }
}

/** Counts lines only when the place is needed. */
class Located {
  constructor(
    private readonly placeAt: (at: number) => Place,
    private readonly at: number,
  ) {}

  get place(): Place {
    return this.placeAt(this.at)
  }
}

function startsOfLines(text: string): number[] {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) starts.push(at + 1)
  }
  return starts
}

const LF = 10
const CR = 13
