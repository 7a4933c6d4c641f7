// Finds the JSON objects that a hook printed. The last one that ends stdout is the answer; others are looked at
// only for a deny. Total over any text, and bounded: at worst a fixed multiple of the text is parsed.

import { keepDenies } from './repeated-keys.js'

export interface Printed {
  /** The object that ends stdout. */
  readonly last: Record<string, unknown> | undefined
  /** Objects before it, or before other text that ends stdout. */
  readonly earlier: readonly Record<string, unknown>[]
  readonly textBefore: boolean
  readonly empty: boolean
  /** The search was given up: what stands there may have been a deny. */
  readonly unsure: boolean
}

/** How many times the length of stdout may be read in search of an answer. */
const EFFORT = 24
const LEAST_EFFORT = 100_000
/** Deeper than any answer; what is deeper breaks those who walk through it. */
const DEEPEST = 200

const NOTHING: Printed = { last: undefined, earlier: [], textBefore: false, empty: false, unsure: false }

export function findAnswer(stdout: string): Printed {
  // trim() takes a byte order mark for a space, at either end.
  const text = stdout.trim()
  if (text === '') return { ...NOTHING, empty: true }
  const whole = text.startsWith('{') ? parseObject(text) : undefined
  if (whole) return { ...NOTHING, last: whole }
  const { objects, unsure } = scan(text)
  const final = objects.at(-1)
  const last = final?.end === text.length ? final.value : lastLine(text)
  const earlier = (final?.value === last ? objects.slice(0, -1) : objects).map(object => object.value)
  return { last, earlier, textBefore: last !== undefined, empty: false, unsure }
}

/** Whatever the search above made of the text before it, an answer on a line of its own is found. */
const lastLine = (text: string): Record<string, unknown> | undefined => {
  const line = text.slice(text.lastIndexOf('\n') + 1).trim()
  return line.startsWith('{') ? parseObject(line) : undefined
}

interface Found {
  readonly value: Record<string, unknown>
  readonly end: number
}

/** Every top-level object, from left to right. */
function scan(text: string): { objects: Found[]; unsure: boolean } {
  const objects: Found[] = []
  const ends = matchBraces(text)
  let effort = EFFORT * text.length + LEAST_EFFORT
  let at = text.indexOf('{')
  while (at !== -1 && effort > 0) {
    // Seen outside a string, its end is known. Inside one, the quote before it may have been part of a text.
    const known = OBJECT_START.test(text.slice(at, at + 64)) ? ends.get(at) : -1
    const { end, stop } =
      known === undefined ? endOfObject(text, at) : { end: known, stop: Math.max(known, at + 1) }
    effort -= stop - at
    const value = end === -1 ? undefined : parseObject(text.slice(at, end))
    if (value) objects.push({ value, end })
    // A brace that opens nothing readable is text; what stands inside it may still be an object.
    at = text.indexOf('{', value ? end : at + 1)
  }
  return { objects, unsure: at !== -1 }
}

/** An object begins with a key or ends at once; other braces are text and cost nothing. */
const OBJECT_START = /^\{\s*(?:["}]|$)/

/** One pass: for each brace outside a string, where its object ends; -1 when it does not. */
function matchBraces(text: string): Map<number, number> {
  const ends = new Map<number, number>()
  let open: number[] = []
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === BACKSLASH) at++
      else if (char === QUOTE) inString = false
      else if (char === NEWLINE) {
        // JSON strings do not span lines: whatever is open here opens nothing readable.
        inString = false
        open = []
      }
    } else if (char === QUOTE) inString = true
    else if (char === OPEN) {
      open.push(at)
      ends.set(at, -1)
    } else if (char === CLOSE) {
      const start = open.pop()
      if (start !== undefined) ends.set(start, at + 1)
    }
  }
  return ends
}

/** Where the object that starts here ends, strings skipped; -1 when it does not. And where the search stopped. */
function endOfObject(text: string, start: number): { end: number; stop: number } {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === BACKSLASH) at++
      else if (char === QUOTE) inString = false
      // JSON strings do not span lines: this quote was part of a text.
      else if (char === NEWLINE) return { end: -1, stop: at }
    } else if (char === QUOTE) inString = true
    else if (char === OPEN) depth++
    else if (char === CLOSE && --depth === 0) return { end: at + 1, stop: at + 1 }
  }
  return { end: -1, stop: text.length }
}

const BACKSLASH = 92
const QUOTE = 34
const NEWLINE = 10
const OPEN = 123
const CLOSE = 125

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > DEEPEST && isTooDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? keepDenies(text, value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) inString = !inString
    else if (char === BACKSLASH) at++
    else if (inString) continue
    else if (char === OPEN || char === OPEN_LIST) {
      if (++depth > DEEPEST) return true
    } else if (char === CLOSE || char === CLOSE_LIST) depth--
  }
  return false
}

const OPEN_LIST = 91
const CLOSE_LIST = 93
