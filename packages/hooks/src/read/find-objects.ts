// Finds the JSON objects that a hook printed. The last one that ends stdout is the response; earlier ones are read only
// for a deny. The search covers any text and is bounded: what cannot be searched completely is reported as such.

import { DENIALS, DENYING_PAIR } from '../protocol/response-fields.js'

export interface Printed {
  /** The object that ends stdout. */
  readonly last: PrintedObject | undefined
  /** Objects before it, or before other text that ends stdout. */
  readonly earlier: readonly PrintedObject[]
  readonly hasTextBefore: boolean
  readonly isEmpty: boolean
  /** The search was stopped: the text may hold a deny that was not found. */
  readonly isUnsure: boolean
}

export interface PrintedObject {
  readonly value: Readonly<Record<string, unknown>>
  /** It was nested more than `MAX_DEPTH` deep; `value` ends there. */
  readonly isTooDeep: boolean
}

/** Deeper than any response. Code that walks through a value recursively would fail on deeper ones. */
export const MAX_DEPTH = 200

/** How many times the length of stdout may be parsed. Only objects that are nested in invalid ones are parsed twice. */
const EFFORT = 24
const LEAST_EFFORT = 100_000

const NOTHING: Printed = {
  last: undefined,
  earlier: [],
  hasTextBefore: false,
  isEmpty: false,
  isUnsure: false,
}

export function findObjects(stdout: string): Printed {
  // trim() also removes a byte order mark, at either end.
  const text = stdout.trim()
  if (text === '') return { ...NOTHING, isEmpty: true }
  const complete = text.startsWith('{') ? parseObject(text) : undefined
  if (complete) return { ...NOTHING, last: complete }
  const { objects, isUnsure } = search(text)
  const final = objects.at(-1)
  const last = final?.end === text.length ? final.object : undefined
  const earlier = (last ? objects.slice(0, -1) : objects).map(({ object }) => object)
  return { last, earlier, hasTextBefore: last !== undefined, isEmpty: false, isUnsure }
}

interface Found {
  readonly object: PrintedObject
  readonly end: number
}

/** Every object that is not inside another valid one, from left to right. */
function search(text: string): { objects: Found[]; isUnsure: boolean } {
  const objects: Found[] = []
  const ends = matchBraces(text)
  let effort = EFFORT * text.length + LEAST_EFFORT
  let at = text.indexOf('{')
  while (at !== -1 && effort > 0) {
    const end = ends[at]!
    let object: PrintedObject | undefined
    if (end !== NONE && OBJECT_START.test(text.slice(at, at + 64))) {
      effort -= end - at
      object = parseObject(text.slice(at, end))
      if (object) objects.push({ object, end })
    }
    // An object that is not valid may still hold a valid one.
    at = text.indexOf('{', object ? end : at + 1)
  }
  return { objects, isUnsure: at !== -1 }
}

/** An object begins with a key or ends at once; other braces are text. */
const OBJECT_START = /^\{\s*(?:["}]|$)/

const NONE = 0

/**
 * For each opening brace, the index after the brace that closes it if an object begins there; NONE if nothing closes it.
 * Whether a brace is inside a string depends on where the object begins, and text before it may hold a single quote.
 * So the text is read backwards, with the next brace known for both cases; each step then takes constant time.
 */
function matchBraces(text: string): Int32Array {
  const { length } = text
  /** By brace: the index after the closing brace of the object around it. */
  const around = new Int32Array(length + 1)
  /** By opening brace: the index after its closing brace. By closing brace: the next brace, plus 1. */
  const after = new Int32Array(length + 1)
  // Indexes plus 1 of the next brace, if the text from here on is outside a string or inside one.
  let outside = NONE
  let inside = NONE
  let insideBefore = NONE
  for (let at = length - 1; at >= 0; at--) {
    const char = text.charCodeAt(at)
    const nextOutside = outside
    const nextInside = inside
    if (char === QUOTE) {
      outside = nextInside
      inside = nextOutside
    } else if (char === NEWLINE) {
      // A JSON string does not contain line ends.
      inside = NONE
    } else if (char === BACKSLASH) {
      inside = insideBefore
    } else if (char === OPEN) {
      const end = nextOutside === NONE ? NONE : around[nextOutside - 1]!
      after[at] = end
      const sibling = end === NONE ? NONE : after[end - 1]!
      around[at] = sibling === NONE ? NONE : around[sibling - 1]!
      outside = at + 1
    } else if (char === CLOSE) {
      around[at] = at + 1
      after[at] = nextOutside
      outside = at + 1
    }
    insideBefore = nextInside
  }
  return after
}

const BACKSLASH = 92
const QUOTE = 34
const NEWLINE = 10
const OPEN = 123
const CLOSE = 125
const OPEN_LIST = 91
const CLOSE_LIST = 93

function parseObject(text: string): PrintedObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
    const isTooDeep = text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH
    const value = keepDenies(text, (isTooDeep ? cut(parsed, MAX_DEPTH) : parsed) as Record<string, unknown>)
    return { value, isTooDeep }
  } catch {
    return undefined
  }
}

/** Of valid JSON. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) isInString = !isInString
    else if (char === BACKSLASH) at++
    else if (isInString) continue
    else if (char === OPEN || char === OPEN_LIST) deepest = Math.max(deepest, ++depth)
    else if (char === CLOSE || char === CLOSE_LIST) depth--
  }
  return deepest
}

/** A copy in which objects and arrays below this depth are null. */
function cut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  if (Array.isArray(value)) return value.map(each => cut(each, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each, depth - 1)]))
}

/**
 * The parsed object, with a deny in place of the value that replaced it: an object may repeat a key, and parsing keeps the
 * last value.
 */
function keepDenies(text: string, value: Record<string, unknown>): Record<string, unknown> {
  // Nearly every response: without a deny none can have been replaced.
  if (!DENYING_PAIR.test(text)) return value
  const repeated = Object.keys(DENIALS).filter(
    key => text.indexOf(`"${key}"`) !== text.lastIndexOf(`"${key}"`),
  )
  if (repeated.length === 0) return value
  const kept = { ...value }
  for (const { key, depth, denial } of denialsIn(text)) {
    const nested = kept.hookSpecificOutput
    if (depth === 1 && repeated.includes(key)) kept[key] = denial
    else if (depth === 2 && repeated.includes(key) && isObject(nested) && Object.hasOwn(nested, key)) {
      kept.hookSpecificOutput = { ...nested, [key]: denial }
    }
  }
  return kept
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string with what follows it, or a bracket. The text is valid JSON, so nothing else matters here. */
const TOKEN = /"((?:[^"\\]|\\.)*)"\s*(:\s*("(?:[^"\\]|\\.)*"|false\b)?)?|[{}[\]]/g

/** Every place where a deciding key has a value that denies, and its depth. */
function* denialsIn(text: string): Generator<{ key: string; depth: number; denial: unknown }> {
  let depth = 0
  for (const [token, key, colon, given] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (key !== undefined && colon !== undefined && given !== undefined && Object.hasOwn(DENIALS, key)) {
      const denial: unknown = JSON.parse(given)
      if (DENIALS[key]!.includes(denial)) yield { key, depth, denial }
    }
  }
}
