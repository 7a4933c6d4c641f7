// JSON with comments → a tree in which every key and value has its place in the file. Duplicate keys both stay in the
// tree: the readers decide about them. The parser is written for a cold start, because editors start a process per event:
// regular expressions do the scanning, and lines are counted only when a place is needed.

import type { IssueCode } from '../protocol/codes.js'
import { decode, readFile } from './file.js'
import type { Report } from './report.js'

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

/** The plain value of a node, shallow: enough for checks, and safe for keys such as __proto__. */
export const plain = (node: Json): unknown =>
  node.kind === 'value' ? node.value : node.kind === 'array' ? [] : {}

/** For messages: `"30s"`, `an array`, `null`. */
export function describe(node: Json): string {
  if (node.kind === 'array') return 'an array'
  if (node.kind === 'object') return 'an object'
  return typeof node.value === 'string' ? quote(node.value) : String(node.value)
}

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
/** Comments included. Bounds the time that a file of an untrusted project takes. */
const MOST_TOKENS = 50_000

export function parseJson(text: string): Parsed {
  const parser = new Parser(text)
  try {
    const root = parser.parse()
    return { ok: true, root, trailingCommas: parser.trailingCommas.map(at => parser.placeAt(at)) }
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

class Located {
  constructor(
    protected readonly parser: Parser,
    protected readonly at: number,
  ) {}

  get place(): Place {
    return this.parser.placeAt(this.at)
  }
}

class ObjectNode extends Located {
  readonly kind = 'object'
  readonly members: Member[] = []
  key: MemberNode | undefined
}

class ArrayNode extends Located {
  readonly kind = 'array'
  readonly items: Json[] = []
}

class ValueNode extends Located {
  readonly kind = 'value'
  constructor(
    parser: Parser,
    at: number,
    readonly value: string | number | boolean | null,
  ) {
    super(parser, at)
  }
}

class MemberNode extends Located {
  value!: Json
  constructor(
    parser: Parser,
    at: number,
    readonly key: string,
  ) {
    super(parser, at)
  }
}

const NOT_SPACE = /[^ \t\r\n]/g
const STRING_STOP = /["\\\x00-\x1f]/g
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/** What may come next. `first`: at the beginning of an array or object; `next`: after a comma. */
type Expecting = 'value' | 'first' | 'next' | 'colon' | 'after'

class Parser {
  readonly trailingCommas: number[] = []
  private readonly open: (ObjectNode | ArrayNode)[] = []
  private root: Json | undefined
  private tokens = 0
  private comma = 0
  private lines: number[] | undefined

  constructor(private readonly text: string) {}

  parse(): Json {
    let at = 0
    let expecting: Expecting = 'value'
    for (;;) {
      at = this.skip(at)
      const character = this.text[at]
      const inside = this.open.at(-1)
      if (expecting === 'after' && !inside) {
        if (character !== undefined) throw new Stop(at, 'There is text after the end of the JSON value.')
        return this.root as Json
      }
      if (character === undefined) throw this.endOf(at, inside)
      if (expecting === 'colon') {
        if (character !== ':') throw new Stop(at, 'A colon is expected after the key.')
        expecting = 'value'
        at++
      } else if (character === '}' || character === ']') {
        this.close(at, character, expecting)
        expecting = 'after'
        at++
      } else if (expecting === 'after') {
        if (character !== ',') throw new Stop(at, 'A comma is missing before this.')
        this.comma = at
        expecting = 'next'
        at++
      } else if (inside?.kind === 'object' && expecting !== 'value') {
        if (character !== '"') throw new Stop(at, 'A key in double quotes is expected here.')
        const end = this.endOfString(at)
        inside.key = new MemberNode(this, at, this.string(at, end))
        expecting = 'colon'
        at = end
      } else if (character === '{' || character === '[') {
        this.begin(character === '{' ? new ObjectNode(this, at) : new ArrayNode(this, at), at)
        expecting = 'first'
        at++
      } else {
        at = this.scalar(at, character)
        expecting = 'after'
      }
    }
  }

  placeAt(at: number): Place {
    this.lines ??= startsOfLines(this.text)
    let [low, high] = [0, this.lines.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.lines[middle]! <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - this.lines[low]! + 1 }
  }

  /** Past spaces and comments. */
  private skip(from: number): number {
    let at = from
    for (;;) {
      if (++this.tokens > MOST_TOKENS) throw new Stop(at, `The file has more than ${MOST_TOKENS} tokens.`)
      NOT_SPACE.lastIndex = at
      at = NOT_SPACE.exec(this.text)?.index ?? this.text.length
      if (this.text[at] !== '/') return at
      const kind = this.text[at + 1]
      if (kind === '/') at = endOfLine(this.text, at)
      else if (kind === '*') {
        const end = this.text.indexOf('*/', at + 2)
        if (end === -1) throw new Stop(at, 'The comment does not end.')
        at = end + 2
      } else return at
    }
  }

  private begin(node: ObjectNode | ArrayNode, at: number) {
    if (this.open.length >= DEEPEST) throw new Stop(at, `The brackets nest deeper than ${DEEPEST} levels.`)
    this.add(node)
    this.open.push(node)
  }

  private add(node: Json) {
    const parent = this.open.at(-1)
    if (!parent) this.root = node
    else if (parent.kind === 'array') parent.items.push(node)
    else if (parent.key) {
      parent.key.value = node
      parent.members.push(parent.key)
    }
  }

  private close(at: number, character: string, expecting: Expecting) {
    const node = this.open.at(-1)
    if (!node || expecting === 'value') throw new Stop(at, 'A value is expected here.')
    if ((character === '}') !== (node.kind === 'object')) throw this.endOf(at, node)
    if (expecting === 'next') this.trailingCommas.push(this.comma)
    this.open.pop()
  }

  private endOf(at: number, inside: ObjectNode | ArrayNode | undefined): Stop {
    if (inside) return new Stop(at, `A closing ${inside.kind === 'object' ? 'brace' : 'bracket'} is missing.`)
    return new Stop(at, this.text.trim() === '' ? 'The file is empty.' : 'A value is expected here.')
  }

  private scalar(at: number, character: string): number {
    if (character === '"') {
      const end = this.endOfString(at)
      this.add(new ValueNode(this, at, this.string(at, end)))
      return end
    }
    NUMBER.lastIndex = at
    const number = NUMBER.exec(this.text)?.[0]
    WORD.lastIndex = at
    const word = number === undefined ? WORD.exec(this.text)?.[0] : undefined
    const end = at + (number ?? word ?? '').length
    if (end === at || /[\w.+-]/.test(this.text[end] ?? '')) {
      throw new Stop(at, 'This is not a JSON value. Text must be in double quotes.')
    }
    this.add(new ValueNode(this, at, number === undefined ? WORDS[word!]! : Number(number)))
    return end
  }

  /** Behind the closing quote. */
  private endOfString(start: number): number {
    let at = start + 1
    for (;;) {
      STRING_STOP.lastIndex = at
      const stop = STRING_STOP.exec(this.text)?.index
      if (stop === undefined) throw new Stop(start, 'The string does not end.')
      const character = this.text[stop]
      if (character === '"') return stop + 1
      if (character === '\n' || character === '\r')
        throw new Stop(start, 'The string does not end on its line.')
      if (character !== '\\') {
        throw new Stop(stop, 'The string contains a control character; write it as an escape.')
      }
      at = stop + 2
    }
  }

  private string(start: number, end: number): string {
    const inner = this.text.slice(start + 1, end - 1)
    if (!inner.includes('\\')) return inner
    try {
      return JSON.parse(this.text.slice(start, end)) as string
    } catch {
      throw new Stop(start, 'An escape in this string is not valid; write \\\\ for a backslash.')
    }
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

const endOfLine = (text: string, from: number): number => {
  const found = /[\r\n]/g
  found.lastIndex = from
  return found.exec(text)?.index ?? text.length
}

const LARGEST_MIB = 1

/** The tree of a JSON file. Problems are reported as `code`, if given. */
export function openDocument(file: string, report: Report, code?: IssueCode): Json | 'absent' | 'failed' {
  const result = readFile(file, LARGEST_MIB * 1024 * 1024)
  if (result.kind === 'absent') return 'absent'
  if (result.kind === 'too-large') {
    report.error(code ?? 'config/too-large', { message: `The file is larger than ${LARGEST_MIB} MiB.` })
    return 'failed'
  }
  if (result.kind !== 'read') {
    const message = `The file cannot be read: ${result.reason}.`
    report.error(code ?? 'config/unreadable', { message })
    return 'failed'
  }
  const decoded = decode(result.bytes)
  if (!decoded.ok) {
    report.error(code ?? 'config/not-utf8', { message: decoded.reason })
    return 'failed'
  }
  if (decoded.bom) report.warning('config/bom')
  const parsed = parseJson(decoded.text)
  if (!parsed.ok) {
    report.error(code ?? 'config/syntax', { place: parsed.place, message: parsed.message })
    return 'failed'
  }
  for (const place of parsed.trailingCommas) report.warning('config/trailing-comma', { place })
  return parsed.root
}
