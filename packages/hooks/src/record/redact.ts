// What may be stored of a payload, an answer or a text. Secrets are always masked; contents, prompts and outputs
// are left out by setting; everything is bounded, so that a log of huge payloads stays small.
//
// The law: redacting twice is redacting once.

import type { AnyFields } from '../protocol/payload.js'
import { type JsonMasker, settle, WINDOW } from './mask-text.js'
import { isHarmless, secretKind } from './secret-keys.js'
import { isMark, type KeyKind, mark } from './secret-patterns.js'

export type Sensitive = 'contents' | 'prompts' | 'outputs' | 'emails'
/** True: left out of the record. */
export type RedactOptions = Record<Sensitive, boolean>

/** In the input of a tool, longer texts count as contents whatever they are called. */
const LONG_TEXT = 200

export interface Redacted {
  readonly value: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** Redacts the fields of a payload or an answer. Total: it never throws, and the result is plain JSON. */
export function redactFields(
  fields: AnyFields,
  at: string,
  sensitive: Readonly<Record<string, Sensitive>>,
  options: RedactOptions,
): Redacted {
  const state = newState(0)
  const value = container(fields, at, state, key => {
    const kind = Object.hasOwn(sensitive, key) ? sensitive[key]! : null
    return kind !== null && options[kind] ? kind : null
  })
  return {
    value: isObject(value) ? (value as Record<string, unknown>) : Object.freeze({ value }),
    notes: state.notes,
  }
}

/** Redacts a single text, such as stderr. */
export function redactText(value: unknown, at: string, notes: string[]): string {
  if (typeof value !== 'string') return ''
  const state = newState(0)
  const text = string(value, at, state)
  notes.push(...state.notes)
  return text
}

/** Which fields of this object are private; 'inside' when the object itself is the input of a tool. */
type Private = ((key: string) => Sensitive | null) | 'inside' | null

function walk(value: unknown, at: string, state: State, within: Private): unknown {
  if (typeof value === 'string') {
    if (within !== 'inside') return string(value, at, state)
    // Marks can make a text longer; the second look keeps twice the same as once.
    const text = value.length > LONG_TEXT ? value : string(value, at, state)
    return text.length > LONG_TEXT ? leaveOut(value, 'contents', at, state) : text
  }
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (typeof value === 'bigint') return string(String(value), at, state)
  if (typeof value !== 'object') return undefined
  return container(value, at, state, within)
}

function container(value: object, at: string, state: State, within: Private): unknown {
  if (state.parents.includes(value)) return '[cycle]'
  if (state.parents.length >= MAX_DEPTH) return changed(state, at, 'too deep', '[too deep]')
  state.parents.push(value)
  try {
    if (ArrayBuffer.isView(value)) return `[binary: ${thousands(value.byteLength)} bytes]`
    if (value instanceof Error) return string(`${value.name}: ${value.message}`, at, state)
    if (value instanceof String || value instanceof Number) return walk(value.valueOf(), at, state, within)
    const toJson = (value as { toJSON?: unknown }).toJSON
    if (typeof toJson === 'function') return walk(toJson.call(value), at, state, within)
    return Object.freeze(
      Array.isArray(value) ? array(value, at, state, within) : object(value, at, state, within),
    )
  } catch {
    // A getter that throws, a proxy that refuses: the log is no place to find out more.
    return '[unreadable]'
  } finally {
    state.parents.pop()
  }
}

function array(items: readonly unknown[], at: string, state: State, within: Private): unknown[] {
  const out: unknown[] = []
  const length = Math.min(items.length, MAX_ITEMS)
  if (items.length > MAX_ITEMS) note(state, at, `cut at ${MAX_ITEMS} items`)
  for (let i = 0; i < length; i++) {
    if (isFull(state)) return [...out, changed(state, at, 'cut, too large', '[cut]')]
    const place = `${at}[${i}]`
    // Arguments of a command: the value follows its name.
    const flag = i > 0 && typeof out[i - 1] === 'string' ? (out[i - 1] as string) : ''
    const kind = /^--?\w[\w-]*$/.test(flag) ? secretKind(flag.replace(/^-+/, '')) : null
    const isValue = kind !== null && !(typeof items[i] === 'string' && (items[i] as string).startsWith('-'))
    out.push(
      (isValue ? secret(flag, kind, items[i], place, state, within) : walk(items[i], place, state, within)) ??
        null,
    )
  }
  return out
}

function object(fields: object, at: string, state: State, within: Private): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  const keys = Object.keys(fields)
  if (keys.length > MAX_ITEMS) note(state, at, `cut at ${MAX_ITEMS} fields`)
  for (const original of keys.slice(0, MAX_ITEMS)) {
    if (isFull(state)) {
      set(out, '[cut]', changed(state, at, 'cut, too large', '[cut]'))
      break
    }
    const key = safeKey(original, at, state)
    const value = (fields as Record<string, unknown>)[original]
    const kind = secretKind(key)
    const place = `${at}.${key.length > 60 ? `${key.slice(0, 60)}…` : key}`
    const redacted =
      kind !== null ? secret(key, kind, value, place, state, within) : field(key, value, place, state, within)
    if (redacted !== undefined) set(out, key, redacted)
  }
  // Lists of headers and variables: { name: 'DB_PASSWORD', value: '…' } or { key: 'DB_PASSWORD', value: '…' }.
  for (const name of [out.name, out.key]) {
    const kind = typeof name === 'string' && out.value !== undefined ? secretKind(name) : null
    if (kind !== null) out.value = secret(name as string, kind, out.value, `${at}.value`, state, null)
  }
  return out
}

/** One field, left out when it is private. */
function field(key: string, value: unknown, at: string, state: State, within: Private): unknown {
  if (within === null) return walk(value, at, state, null)
  if (within === 'inside') {
    if (key === 'command') return walk(value, at, state, null)
    const isContent = CONTENT_KEYS.has(key.toLowerCase().replace(/[_-]/g, ''))
    return isContent ? leaveOut(value, 'contents', at, state) : walk(value, at, state, 'inside')
  }
  const kind = within(key)
  if (kind === null) return walk(value, at, state, null)
  if (kind !== 'contents') return leaveOut(value, kind, at, state)
  if (isObject(value)) return walk(value, at, state, 'inside')
  return key === 'tool_input' ? jsonInput(value, at, state) : leaveOut(value, kind, at, state)
}

const CONTENT_KEYS = new Set(
  (
    'content contents newstring oldstring newstr oldstr newtext oldtext newline oldline newsource filetext ' +
    'filecontent filecontents codeedit patch diff'
  ).split(' '),
)

/** The input of an MCP tool is an object in a string: what holds for the object holds for it. */
function jsonInput(value: unknown, at: string, state: State): unknown {
  const input = typeof value === 'string' && value.length <= WINDOW ? parse(value) : undefined
  if (!isObject(input)) return leaveOut(value, 'contents', at, state)
  const earlier = state.changed
  state.changed = false
  const inside = walk(input, at, state, 'inside')
  const out = string(state.changed ? JSON.stringify(inside) : (value as string), at, state)
  state.changed ||= earlier
  return isObject(parse(out)) ? out : leaveOut(value, 'contents', at, state)
}

const LEFT_OUT = /^\[left out(?:: [\d,]{1,20} characters?)?\]$/

function leaveOut(value: unknown, kind: Sensitive, at: string, state: State): unknown {
  if (value === undefined || value === null || value === '' || typeof value === 'function')
    return value ?? null
  if (typeof value === 'string' && value.length < 50 && LEFT_OUT.test(value)) return value
  const size =
    typeof value === 'string' ? `: ${thousands(value.length)} character${value.length === 1 ? '' : 's'}` : ''
  return changed(state, at, `left out (${kind})`, `[left out${size}]`)
}

/** The value of a key that names a secret: nothing of it stays, unless it cannot be one. */
function secret(
  key: string,
  kind: KeyKind,
  value: unknown,
  at: string,
  state: State,
  within: Private,
): unknown {
  if (value === null || typeof value === 'boolean' || value === undefined) return value
  if (typeof value === 'string' && (isMark(value) || LEFT_OUT.test(value))) return value
  if (typeof value === 'string' && isHarmless(key, kind, value)) return walk(value, at, state, within)
  // Not a secret but a group of settings: its own keys name the secrets.
  if (/^auth$/i.test(key) && isObject(value)) return walk(value, at, state, within)
  return changed(state, at, `secret (${kind})`, mark(kind))
}

function string(text: string, at: string, state: State): string {
  if (text.length < 4) return text
  const what = new Set<string>()
  const out = settle(text, what, jsonMasker(state.level))
  for (const each of what) note(state, at, each)
  count(state, out)
  return out
}

/** JSON inside a string inside JSON: each level is a document of its own, and four are enough. */
const jsonMasker = (level: number): JsonMasker | null => (level < 4 ? MASKERS[level]! : null)

const MASKERS: readonly JsonMasker[] = [1, 2, 3, 4].map(level => (text, what) => {
  const value = parse(text)
  if (!isObject(value)) return text
  const state = newState(level)
  const inside = container(value, '', state, null)
  for (const line of state.notes) what.add(line.slice(line.lastIndexOf(': ') + 2))
  return state.changed ? JSON.stringify(inside) : text
})

const MAX_KEY = 200

function safeKey(key: string, at: string, state: State): string {
  if (key.length < 16 && /^[\w$-]*$/.test(key)) return key
  const what = new Set<string>()
  const out = key.length > MAX_KEY ? '' : settle(key, what, null)
  for (const each of what) note(state, `${at} (a key)`, each)
  count(state, out)
  return out && out.length <= MAX_KEY
    ? out
    : changed(state, at, 'long key', `[key: ${thousands(key.length)} characters]`)
}

/** `out.__proto__ = …` would not be a field. */
const set = (out: Record<string, unknown>, key: string, value: unknown): void => {
  if (key !== '__proto__') out[key] = value
  else Object.defineProperty(out, key, { value, enumerable: true, configurable: true, writable: true })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// ——— the limits of one document, and what was altered in it ———

/** What may be stored of one document in all; the string that goes over it is the last. */
const MAX_CHARACTERS = 64 * 1024
/** Marks may be shorter or longer than the text that they replace, so this much of any text is not counted. */
const FREE_CHARACTERS = 40
const MAX_NODES = 5000
const MAX_NOTES = 50
const MAX_ITEMS = 1000
const MAX_DEPTH = 20

interface State {
  readonly notes: string[]
  readonly parents: object[]
  nodes: number
  characters: number
  changed: boolean
  /** How many strings of JSON are around this document. */
  readonly level: number
}

const newState = (level: number): State => ({
  notes: [],
  parents: [],
  nodes: 0,
  characters: 0,
  changed: false,
  level,
})

function note(state: State, at: string, what: string): void {
  state.changed = true
  if (state.notes.length < MAX_NOTES) state.notes.push(`${at}: ${what}`)
  else if (state.notes.length === MAX_NOTES) state.notes.push('… and more')
}

function changed<T>(state: State, at: string, what: string, value: T): T {
  note(state, at, what)
  return value
}

function count(state: State, text: string): void {
  if (text.length > FREE_CHARACTERS) state.characters += text.length - FREE_CHARACTERS
}

/** Counts one more value; true when there is no room for it. */
const isFull = (state: State): boolean => ++state.nodes > MAX_NODES || state.characters >= MAX_CHARACTERS

const thousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
