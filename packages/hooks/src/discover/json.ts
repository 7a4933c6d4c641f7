// A small tree in which every key and value knows its place, and the words to speak about it. Keys that stand
// twice both stay: what to do about them is for the reader to decide.

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
