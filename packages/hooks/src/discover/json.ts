// Text → a small tree in which every key and value knows its place. JSON with comments; commas before a closing
// bracket are noted. Keys that stand twice both stay: what to do about them is for the reader to decide.

import { visit } from 'jsonc-parser'

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

/** Nothing that is meant seriously goes deeper, and the parser must not run out of stack. */
const DEEPEST = 200

class Stop {
  constructor(
    readonly place: Place,
    readonly message: string,
  ) {}
}

export function parseJson(text: string): Parsed {
  const trailingCommas: Place[] = []
  try {
    const root = build(text, trailingCommas)
    return { ok: true, root, trailingCommas }
  } catch (error) {
    if (error instanceof Stop) return { ok: false, place: error.place, message: error.message }
    throw error
  }
}

function build(text: string, trailingCommas: Place[]): Json {
  const open: Json[] = []
  let root: Json | undefined
  let key: { name: string; place: Place } | undefined
  let comma: Place | undefined

  const add = (node: Json) => {
    comma = undefined
    const parent = open.at(-1)
    if (!parent) root ??= node
    else if (parent.kind === 'array') (parent.items as Json[]).push(node)
    else if (parent.kind === 'object' && key) {
      ;(parent.members as Member[]).push({ key: key.name, place: key.place, value: node })
    }
  }
  const begin = (node: Json) => {
    if (open.length >= DEEPEST) throw new Stop(node.place, `The brackets nest deeper than ${DEEPEST} levels.`)
    add(node)
    open.push(node)
  }
  const end = () => {
    if (comma) trailingCommas.push(comma)
    comma = undefined
    open.pop()
  }
  const at = (line: number, column: number): Place => ({ line: line + 1, column: column + 1 })

  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line, column) => {
        begin({ kind: 'object', place: at(line, column), members: [] })
      },
      onArrayBegin: (_offset, _length, line, column) => {
        begin({ kind: 'array', place: at(line, column), items: [] })
      },
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty: (name, _offset, _length, line, column) => {
        comma = undefined
        key = { name, place: at(line, column) }
      },
      onLiteralValue: (value, _offset, _length, line, column) => {
        add({ kind: 'value', place: at(line, column), value })
      },
      onSeparator: (character, _offset, _length, line, column) => {
        if (character === ',') comma = at(line, column)
      },
      // The parser could go on after an error, but what it then finds are mostly echoes of the first.
      onError: (code, _offset, length, line, column) => {
        const nothing = length === 0 && text.trim() === ''
        throw new Stop(
          at(line, column),
          nothing ? 'The file is empty.' : (MESSAGES[code] ?? 'Not valid JSON.'),
        )
      },
    },
    { allowTrailingComma: true },
  )
  return root as Json
}

/** By the error codes of the parser, which are a const enum that cannot be imported. */
const MESSAGES: Readonly<Record<number, string>> = {
  1: 'This is not a JSON value. Text must stand in double quotes.',
  2: 'This is not a valid number.',
  3: 'A key in double quotes is expected here.',
  4: 'A value is expected here.',
  5: 'A colon is expected after the key.',
  6: 'A comma is missing before this.',
  7: 'A closing brace is missing.',
  8: 'A closing bracket is missing.',
  9: 'There is text after the end of the JSON value.',
  11: 'The comment does not end.',
  12: 'The string does not end on its line.',
  13: 'The number is not complete.',
  14: 'The \\u escape is not valid.',
  15: 'This escape is not valid in a string; write \\\\ for a backslash.',
  16: 'A control character stands in a string; write it as an escape.',
}

/** The plain value of a node, shallow: enough for checks, and safe for keys such as __proto__. */
export const plain = (node: Json): unknown =>
  node.kind === 'value' ? node.value : node.kind === 'array' ? [] : {}

/** What a person would call this value: `"30s"`, `an array`, `null`. */
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
