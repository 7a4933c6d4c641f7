// Finds the JSON objects that a hook printed. The last one that ends stdout is the response; of earlier ones only a deny
// counts. Any text is searched completely, in time that grows with its length only.

import { MAX_DEPTH } from '../protocol/json.js'
import { DECISION_WORDS, DENIALS, isDecisive, NESTED } from '../protocol/response-fields.js'

export interface Printed {
  /** The object that ends stdout. */
  readonly last: PrintedObject | undefined
  /** The first object that denies, before the last one or before other text that ends stdout. */
  readonly earlierDeny: PrintedObject | undefined
  readonly hasTextBefore: boolean
  readonly isEmpty: boolean
}

export interface PrintedObject {
  readonly value: Members
  /** It was nested more than `MAX_DEPTH` deep; `value` ends there. */
  readonly isTooDeep: boolean
}

type Members = Record<string, unknown>

export function findObjects(stdout: string): Printed {
  // trim() also removes a byte order mark, at either end.
  const text = stdout.trim()
  if (PLAIN.test(text)) {
    const last = { value: JSON.parse(text) as Members, isTooDeep: false }
    return { last, earlierDeny: undefined, hasTextBefore: false, isEmpty: false }
  }
  const scanner = new Scanner(text)
  let isInvalid: Uint8Array | undefined
  let last: PrintedObject | undefined
  let earlierDeny: PrintedObject | undefined
  let hasTextBefore = false
  // An object that is not valid may still contain a valid one, also in what it takes for a string. A brace that opened an
  // invalid object is not tried again. All others were inside strings of that attempt, so at most two attempts read the
  // same text.
  for (let at = nextStart(text, 0); at !== -1; ) {
    const isTried = isInvalid?.[at] === 1
    const isValid = !isTried && scanner.scan(at)
    if (isValid && scanner.at === text.length) {
      last = build(text, at, scanner)
      hasTextBefore = at > 0
    } else if (isValid && !earlierDeny && scanner.members.length > 0) {
      const object = build(text, at, scanner)
      if (hasDeny(object.value)) earlierDeny = object
    } else if (!isValid && !isTried) {
      isInvalid ??= new Uint8Array(text.length)
      for (const start of scanner.open) isInvalid[start] = 1
    }
    at = nextStart(text, isValid ? scanner.at : at + 1)
  }
  return { last, earlierDeny, hasTextBefore, isEmpty: text === '' }
}

/** An object of at most one member, as most responses are: no key is repeated, and nothing is nested. */
const PLAIN = /^\{[ \t\r\n]*(?:"\w+"[ \t\r\n]*:[ \t\r\n]*(?:"[\w ]*"|true|false)[ \t\r\n]*)?\}$/

/** An object begins with a key or ends at once; other braces are text. */
const START = /\{(?=[ \t\r\n]*["}])/g

function nextStart(text: string, from: number): number {
  START.lastIndex = from
  return START.test(text) ? START.lastIndex - 1 : -1
}

/** The object from `start` to the place of the scanner. */
function build(text: string, start: number, scanner: Scanner, isNested = false): PrintedObject {
  const { at, deepest } = scanner
  // A nested response contains no other one. Looking for one would parse the same text again at each level.
  const members = isNested ? scanner.members.filter(({ key }) => key !== NESTED) : scanner.members
  const parsed = JSON.parse(text.slice(start, at)) as Members
  const isTooDeep = deepest > MAX_DEPTH
  const value = isTooDeep ? (cut(parsed, MAX_DEPTH) as Members) : parsed
  if (members.length < 2 && members[0]?.key !== NESTED) return { value, isTooDeep }
  // Parsers differ in which value of a repeated key they take, so the strictest one counts.
  const seen = new Map<string, unknown>()
  for (const { key, from, to } of members) {
    const given = parseMember(key, text.slice(from, to))
    seen.set(key, seen.has(key) ? stricter(key, seen.get(key), given) : given)
  }
  for (const [key, each] of seen) value[key] = isTooDeep && key === NESTED ? cut(each, MAX_DEPTH - 1) : each
  return { value, isTooDeep }
}

/** A nested response may repeat keys, too. */
function parseMember(key: string, text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (key !== NESTED || !isMembers(value)) return value
  const start = text.indexOf('{')
  const scanner = new Scanner(text)
  scanner.scan(start)
  return build(text, start, scanner, true).value
}

/** A copy in which objects and arrays below this depth are null. */
function cut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  if (Array.isArray(value)) return value.map(each => cut(each, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each, depth - 1)]))
}

/** Of two nested responses the later one counts, with the stricter decisions of both. */
function stricter(key: string, old: unknown, value: unknown): unknown {
  if (key !== NESTED) return strictnessOf(key, old) > strictnessOf(key, value) ? old : value
  if (!isMembers(old)) return isMembers(value) && hasDeny({ [NESTED]: value }) ? value : old
  if (!isMembers(value)) return hasDeny({ [NESTED]: old }) ? old : value
  const both = { ...value }
  for (const name of Object.keys(DENIALS))
    if (Object.hasOwn(old, name))
      both[name] = Object.hasOwn(value, name) ? stricter(name, old[name], value[name]) : old[name]
  return both
}

/** A value that is not known may have been a deny. */
function strictnessOf(key: string, value: unknown): number {
  if (DENIALS[key]!.includes(value)) return 3
  if (typeof value === 'boolean') return 0
  const word = typeof value === 'string' && Object.hasOwn(DECISION_WORDS, value) && DECISION_WORDS[value]
  return word ? (word === 'ask' ? 1 : 0) : 2
}

/** Whether a response denies, at one of the places where a decision is read. */
const hasDeny = (value: Members): boolean =>
  ['permission', 'decision', 'continue'].some(key => isDenial(value, key)) ||
  ['permissionDecision', 'decision'].some(key => isDenial(value[NESTED], key))

const isDenial = (value: unknown, key: string): boolean =>
  isMembers(value) && Object.hasOwn(value, key) && DENIALS[key]!.includes(value[key])

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of the scanned object whose key decides, with the place of its value. */
interface Member {
  readonly key: string
  readonly from: number
  to: number
}

/** With every character escaped. */
const LONGEST_KEY = 6 * NESTED.length + 2

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32
const BACKSLASH = 92
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN = 123
const OPEN_LIST = 91
/** In ASCII, from an opening bracket to the closing one. */
const TO_CLOSING = 2
const FIRST_PRINTABLE = 32
const ESCAPES = new Set([...'"\\/bfnrt'].map(char => char.charCodeAt(0)))
const HEX = /u[\da-fA-F]{4}/y
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Checks whether a JSON object starts at a place, and finds its end. Without recursion, because a text can be nested more
 * deeply than functions can be; without values, because most attempts fail.
 */
class Scanner {
  /** After a successful scan: the index after the object. */
  at = 0
  deepest = 0
  readonly members: Member[] = []
  /** After a scan that failed: the starts of the objects and arrays around the error. */
  readonly open: number[] = []

  constructor(private readonly text: string) {}

  scan(start: number): boolean {
    const { text, open, members } = this
    this.at = start
    this.deepest = open.length = members.length = 0
    for (;;) {
      let isEmpty = false
      const char = text.charCodeAt(this.at)
      if (char === OPEN || char === OPEN_LIST) {
        open.push(this.at++)
        if (open.length > this.deepest) this.deepest = open.length
        isEmpty = this.skipBlanks() === char + TO_CLOSING
        if (!isEmpty) {
          if (char === OPEN && !this.takeKey()) return false
          continue
        }
      } else if (!this.takeScalar()) return false
      // After a value: the brackets that close here, then a comma before the next value.
      for (;;) {
        const next = this.skipBlanks()
        const around = text.charCodeAt(open[open.length - 1]!)
        if (open.length === 1 && members.length > 0) members[members.length - 1]!.to ||= this.at
        if (next === COMMA && !isEmpty) {
          this.at++
          this.skipBlanks()
          if (around === OPEN && !this.takeKey()) return false
          break
        }
        if (next !== around + TO_CLOSING) return false
        this.at++
        open.pop()
        isEmpty = false
        if (open.length === 0) return true
      }
    }
  }

  /** A key, its colon and the blanks around it. */
  private takeKey(): boolean {
    const start = this.at
    if (!this.takeString()) return false
    const end = this.at
    if (this.skipBlanks() !== COLON) return false
    this.at++
    this.skipBlanks()
    if (this.open.length === 1 && end - start <= LONGEST_KEY) {
      const raw = this.text.slice(start, end)
      const key: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
      if (isDecisive(key)) this.members.push({ key, from: this.at, to: 0 })
    }
    return true
  }

  private takeScalar(): boolean {
    if (this.text.charCodeAt(this.at) === QUOTE) return this.takeString()
    SCALAR.lastIndex = this.at
    if (!SCALAR.test(this.text)) return false
    this.at = SCALAR.lastIndex
    return true
  }

  private takeString(): boolean {
    const { text } = this
    if (text.charCodeAt(this.at) !== QUOTE) return false
    for (let at = this.at + 1; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (char === QUOTE) {
        this.at = at + 1
        return true
      }
      if (char < FIRST_PRINTABLE) return false
      if (char !== BACKSLASH || ESCAPES.has(text.charCodeAt(++at))) continue
      HEX.lastIndex = at
      if (!HEX.test(text)) return false
    }
    return false
  }

  /** Returns the character after them. */
  private skipBlanks(): number {
    for (;;) {
      const char = this.text.charCodeAt(this.at)
      if (char !== SPACE && char !== TAB && char !== LINE_FEED && char !== RETURN) return char
      this.at++
    }
  }
}
