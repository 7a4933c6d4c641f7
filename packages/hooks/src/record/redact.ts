// What may be stored of a payload, a response or a text. Secrets are always masked; contents, prompts and outputs are
// left out by setting; everything is bounded, so that a log of huge payloads stays small. The law: redacting
// twice equals redacting once.

import { setOwn } from '../protocol/json.js'
import type { AnyFields } from '../protocol/payload.js'
import { type JsonMasker, settle, WINDOW } from './mask-text.js'
import { isHarmless, secretKind } from './secret-keys.js'
import { isMark, type KeyKind, mark } from './secret-patterns.js'

export type Sensitive = 'contents' | 'prompts' | 'outputs' | 'emails'
/** True: left out of the record. */
export type RedactOptions = Record<Sensitive, boolean>

/** In the input of a tool, longer texts count as contents whatever their names. */
const LONG_TEXT = 200

export interface Redacted {
  readonly value: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** Redacts the fields of a payload or a response. Total: it never throws, and the result is plain JSON. */
export function redactFields(
  fields: AnyFields,
  at: string,
  sensitive: Readonly<Record<string, Sensitive>>,
  options: RedactOptions,
): Redacted {
  const redactor = new Redactor(0)
  const value = redactor.container(fields, at, key => {
    const kind = Object.hasOwn(sensitive, key) ? sensitive[key]! : null
    return kind !== null && options[kind] ? kind : null
  })
  return {
    value: isObject(value) ? (value as Record<string, unknown>) : Object.freeze({ value }),
    notes: redactor.notes,
  }
}

/** Redacts a single text, such as stderr. */
export function redactText(value: unknown, at: string, notes: string[]): string {
  if (typeof value !== 'string') return ''
  const redactor = new Redactor(0)
  const text = redactor.string(value, at)
  notes.push(...redactor.notes)
  return text
}

/** The private fields of this object; 'inside' if the object itself is the input of a tool. */
type Private = ((key: string) => Sensitive | null) | 'inside' | null

/** The size limit of one document; the string that exceeds it is the last. */
const MAX_CHARACTERS = 64 * 1024
/** Marks may be shorter or longer than the text that they replace, so this part of any text is not counted. */
const FREE_CHARACTERS = 40
const MAX_NODES = 5000
const MAX_NOTES = 50
const MAX_ITEMS = 1000
const MAX_DEPTH = 20
const MAX_KEY = 200

/** The limits of one document, and its altered places. */
class Redactor {
  readonly notes: string[] = []
  private readonly parents: object[] = []
  private nodes = 0
  private characters = 0
  changed = false

  /** `level`: how many strings of JSON are around this document. */
  constructor(private readonly level: number) {}

  container(value: object, at: string, within: Private): unknown {
    if (this.parents.includes(value)) return '[cycle]'
    if (this.parents.length >= MAX_DEPTH) return this.replace(at, 'too deep', '[too deep]')
    this.parents.push(value)
    try {
      if (ArrayBuffer.isView(value)) return `[binary: ${thousands(value.byteLength)} bytes]`
      if (value instanceof Error) return this.string(`${value.name}: ${value.message}`, at)
      if (value instanceof String || value instanceof Number) return this.walk(value.valueOf(), at, within)
      const toJson = (value as { toJSON?: unknown }).toJSON
      if (typeof toJson === 'function') return this.walk(toJson.call(value), at, within)
      return Object.freeze(
        Array.isArray(value) ? this.array(value, at, within) : this.object(value, at, within),
      )
    } catch {
      // A getter that throws, or a proxy: its value is not logged.
      return '[unreadable]'
    } finally {
      this.parents.pop()
    }
  }

  string(text: string, at: string): string {
    if (text.length < 4) return text
    const what = new Set<string>()
    const out = settle(text, what, MASKERS[this.level] ?? null)
    for (const each of what) this.note(at, each)
    this.count(out)
    return out
  }

  private walk(value: unknown, at: string, within: Private): unknown {
    if (typeof value === 'string') {
      if (within !== 'inside') return this.string(value, at)
      // Marks can make a text longer; the second pass keeps as much as the first.
      const text = value.length > LONG_TEXT ? value : this.string(value, at)
      return text.length > LONG_TEXT ? this.leaveOut(value, 'contents', at) : text
    }
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
    if (typeof value === 'bigint') return this.string(String(value), at)
    return typeof value === 'object' ? this.container(value, at, within) : undefined
  }

  private array(items: readonly unknown[], at: string, within: Private): unknown[] {
    const out: unknown[] = []
    if (items.length > MAX_ITEMS) this.note(at, `cut at ${MAX_ITEMS} items`)
    for (const [index, item] of items.slice(0, MAX_ITEMS).entries()) {
      if (this.isFull()) return [...out, this.replace(at, 'cut, too large', '[cut]')]
      const place = `${at}[${index}]`
      // Arguments of a command: the value follows its name.
      const before = out[index - 1]
      const flag = typeof before === 'string' && /^--?\w[\w-]*$/.test(before) ? before : ''
      const kind = secretKind(flag.replace(/^-+/, ''))
      const isFlag = typeof item === 'string' && item.startsWith('-')
      const redacted =
        kind !== null && !isFlag
          ? this.secret(flag, kind, item, place, within)
          : this.walk(item, place, within)
      out.push(redacted ?? null)
    }
    return out
  }

  private object(fields: object, at: string, within: Private): Record<string, unknown> {
    const out: Record<string, unknown> = {}
    const keys = Object.keys(fields)
    if (keys.length > MAX_ITEMS) this.note(at, `cut at ${MAX_ITEMS} fields`)
    for (const original of keys.slice(0, MAX_ITEMS)) {
      if (this.isFull()) {
        setOwn(out, '[cut]', this.replace(at, 'cut, too large', '[cut]'))
        break
      }
      const key = this.safeKey(original, at)
      const value = (fields as Record<string, unknown>)[original]
      const kind = secretKind(key)
      const place = `${at}.${key.length > 60 ? `${key.slice(0, 60)}…` : key}`
      const redacted =
        kind === null ? this.field(key, value, place, within) : this.secret(key, kind, value, place, within)
      if (redacted !== undefined) setOwn(out, key, redacted)
    }
    // Lists of headers and variables: { name: 'DB_PASSWORD', value: '…' } or { key: 'DB_PASSWORD', value: '…' }.
    for (const name of [out.name, out.key]) {
      const kind = typeof name === 'string' && out.value !== undefined ? secretKind(name) : null
      if (kind !== null) out.value = this.secret(name as string, kind, out.value, `${at}.value`, null)
    }
    return out
  }

  /** One field, left out when it is private. */
  private field(key: string, value: unknown, at: string, within: Private): unknown {
    if (within === null) return this.walk(value, at, null)
    if (within === 'inside') {
      if (key === 'command') return this.walk(value, at, null)
      const isContent = CONTENT_KEYS.has(key.toLowerCase().replace(/[_-]/g, ''))
      return isContent ? this.leaveOut(value, 'contents', at) : this.walk(value, at, 'inside')
    }
    const kind = within(key)
    if (kind === null) return this.walk(value, at, null)
    if (kind === 'contents' && isObject(value)) return this.walk(value, at, 'inside')
    const isInput = kind === 'contents' && key === 'tool_input'
    return isInput ? this.jsonInput(value, at) : this.leaveOut(value, kind, at)
  }

  /** The input of an MCP tool is an object in a string, and is redacted as an object. */
  private jsonInput(value: unknown, at: string): unknown {
    const input = typeof value === 'string' && value.length <= WINDOW ? parse(value) : undefined
    if (!isObject(input)) return this.leaveOut(value, 'contents', at)
    const earlier = this.changed
    this.changed = false
    const inside = this.walk(input, at, 'inside')
    const out = this.string(this.changed ? JSON.stringify(inside) : (value as string), at)
    this.changed ||= earlier
    return isObject(parse(out)) ? out : this.leaveOut(value, 'contents', at)
  }

  private leaveOut(value: unknown, kind: Sensitive, at: string): unknown {
    if (value === undefined || value === null || value === '' || typeof value === 'function')
      return value ?? null
    if (isLeftOut(value)) return value
    const size = typeof value === 'string' ? `: ${characters(value.length)}` : ''
    return this.replace(at, `left out (${kind})`, `[left out${size}]`)
  }

  /** The value of a key that names a secret: removed completely, unless it cannot be one. */
  private secret(key: string, kind: KeyKind, value: unknown, at: string, within: Private): unknown {
    if (value === null || typeof value === 'boolean' || value === undefined) return value
    if (typeof value === 'string' && (isMark(value) || isLeftOut(value))) return value
    // A group of settings under `auth`: its own keys name the secrets.
    const isGroup = /^auth$/i.test(key) && isObject(value)
    if (isGroup || (typeof value === 'string' && isHarmless(key, kind, value)))
      return this.walk(value, at, within)
    return this.replace(at, `secret (${kind})`, mark(kind))
  }

  private safeKey(key: string, at: string): string {
    if (key.length < 16 && /^[\w$-]*$/.test(key)) return key
    const what = new Set<string>()
    const out = key.length > MAX_KEY ? '' : settle(key, what, null)
    for (const each of what) this.note(`${at} (a key)`, each)
    this.count(out)
    if (out && out.length <= MAX_KEY) return out
    return this.replace(at, 'long key', `[key: ${characters(key.length)}]`)
  }

  private note(at: string, what: string): void {
    this.changed = true
    if (this.notes.length < MAX_NOTES) this.notes.push(`${at}: ${what}`)
    else if (this.notes.length === MAX_NOTES) this.notes.push('… and more')
  }

  private replace<T>(at: string, what: string, value: T): T {
    this.note(at, what)
    return value
  }

  private count(text: string): void {
    if (text.length > FREE_CHARACTERS) this.characters += text.length - FREE_CHARACTERS
  }

  /** Counts one more value; true if the limit is reached. */
  private isFull(): boolean {
    return ++this.nodes > MAX_NODES || this.characters >= MAX_CHARACTERS
  }
}

const CONTENT_KEYS = new Set(
  (
    'content contents newstring oldstring newstr oldstr newtext oldtext newline oldline newsource filetext ' +
    'filecontent filecontents codeedit patch diff'
  ).split(' '),
)

/** JSON inside a string inside JSON: each level is a document of its own, and four are enough. */
const MASKERS: readonly JsonMasker[] = [1, 2, 3, 4].map(level => (text, what) => {
  const value = parse(text)
  if (!isObject(value)) return text
  const redactor = new Redactor(level)
  const inside = redactor.container(value, '', null)
  for (const line of redactor.notes) what.add(line.slice(line.lastIndexOf(': ') + 2))
  return redactor.changed ? JSON.stringify(inside) : text
})

const isLeftOut = (value: unknown): boolean =>
  typeof value === 'string' && value.length < 50 && /^\[left out(?:: [\d,]{1,20} characters?)?\]$/.test(value)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const characters = (count: number): string => `${thousands(count)} character${count === 1 ? '' : 's'}`

const thousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
