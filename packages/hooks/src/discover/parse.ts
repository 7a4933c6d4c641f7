// JSON with comments → tree. Every hook that an editor starts may begin with this, so it is made for a cold
// start: the native searches of the engine do the walking, and lines are counted only when somebody asks.

import type { Json, Member, Parsed, Place } from './json.js'

/** Nothing that is meant seriously goes deeper. */
const DEEPEST = 200

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

/** The first error ends it: what could be found behind it would mostly be its echo. */
class Stop {
  constructor(
    readonly at: number,
    readonly message: string,
  ) {}
}

/** Knows its place once it is asked. */
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

/** What may come next. `first` and `next` stand at the beginning of an array or object, or after a comma. */
type Expecting = 'value' | 'first' | 'next' | 'colon' | 'after'

class Parser {
  readonly trailingCommas: number[] = []
  private readonly open: (ObjectNode | ArrayNode)[] = []
  private root: Json | undefined
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
      throw new Stop(at, 'This is not a JSON value. Text must stand in double quotes.')
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
        throw new Stop(stop, 'A control character stands in a string; write it as an escape.')
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
  for (const found of text.matchAll(/\r\n|\n|\r/g)) starts.push(found.index + found[0].length)
  return starts
}

const endOfLine = (text: string, from: number): number => {
  const found = /[\r\n]/g
  found.lastIndex = from
  return found.exec(text)?.index ?? text.length
}
