// One line of the wire → messages, with the places of their parts. What cannot be read in exactly one way says so.

import { firstOf, itemsOf, type Member, membersOf, textOf } from './json-text.js'

export interface Message {
  /** As it was sent; a whole line with its newline, or the part of a batch. */
  readonly text: string
  readonly method: string | undefined
  /** The id as it was written. Absent for notifications. */
  readonly id: string | undefined
  /** The same for all ways to write an id. */
  readonly key: string | undefined
  /** Undefined where it is no object. */
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly members: readonly Member[]
}

/** A part of a batch that is no object is nobody's message and is only handed on. */
export type Part = Message | { readonly text: string; readonly members?: undefined }

export type Line =
  | { readonly kind: 'one'; readonly message: Message }
  | { readonly kind: 'batch'; readonly parts: readonly Part[] }
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' }
  /** Two readers could see two messages: a part that decides is there twice, or it both asks and answers. */
  | { readonly kind: 'ambiguous' }

/** Python and Node.js can end lines there as well, so the parts of one line would be lines. */
const INNER_RETURN = /\r(?!\n?$)/

export function readLine(text: string): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'unreadable' }
  }
  if (INNER_RETURN.test(text)) return { kind: 'ambiguous' }
  const at = firstOf(text)
  if (Array.isArray(value)) {
    const all = value
    const parts = itemsOf(text, at).map((place, index) => partOf(textOf(text, place), all[index]))
    return parts.some(part => part === undefined)
      ? { kind: 'ambiguous' }
      : { kind: 'batch', parts: parts as Part[] }
  }
  if (!isObject(value)) return { kind: 'other' }
  const message = messageOf(text, value, at)
  return message ? { kind: 'one', message } : { kind: 'ambiguous' }
}

const partOf = (text: string, value: unknown): Part | undefined =>
  isObject(value) ? messageOf(text, value, 0) : { text }

const DECIDING: Readonly<Record<string, true>> = {
  id: true,
  method: true,
  params: true,
  result: true,
  error: true,
}

function messageOf(text: string, value: Record<string, unknown>, at: number): Message | undefined {
  const members = membersOf(text, at)
  if (isTwice(members, DECIDING)) return undefined
  if (value.method !== undefined && ((value.result ?? null) !== null || (value.error ?? null) !== null))
    return undefined
  const place = members.find(({ key }) => key === 'id')
  const id = place && textOf(text, place)
  const { method, params } = value
  return {
    text,
    method: typeof method === 'string' ? method : undefined,
    id,
    key: id === undefined ? undefined : keyOf(id),
    params: isObject(params) ? params : undefined,
    members,
  }
}

/** Also in other letters: readers in Go take `Method` for `method`. */
export const isTwice = (members: readonly Member[], keys: Readonly<Record<string, true>>): boolean => {
  const names = new Map(Object.keys(keys).map(key => [folded(key), key]))
  const seen = new Set<string>()
  return members.some(({ key }) => {
    const name = names.get(folded(key))
    if (name === undefined) return false
    if (name !== key || seen.has(key)) return true
    seen.add(key)
    return false
  })
}

/** First to capitals: ſ is no capital, but S is the capital of both s and ſ. */
const folded = (key: string): string => key.toUpperCase().toLowerCase()

/** `1` and `1.0` are one id, `1` and `"1"` are two; numbers beyond what JavaScript holds are compared as written. */
export function keyOf(id: string): string {
  const value: unknown = JSON.parse(id)
  if (typeof value === 'string') return `"${value}`
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : id
}

export const memberOf = ({ members }: Message, key: string): Member | undefined =>
  members.find(member => member.key === key)

/** Asks for an answer. */
export const isRequest = ({ method, id }: Message): boolean =>
  method !== undefined && id !== undefined && id !== 'null'

export const isAnswer = ({ method, key }: Message): boolean => method === undefined && key !== undefined

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Codes of JSON-RPC, and the one that MCP uses for a connection that is gone. */
export const CODE = { parse: -32700, request: -32600, params: -32602, inside: -32603, gone: -32000 } as const

export const errorAnswer = (id: string | undefined, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${JSON.stringify({ code, message })}}`

export const resultAnswer = (id: string, result: unknown): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`

export const requestText = (id: string, method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`

/** Text that is no JSON for us may be some for a server that is more lenient. */
export const mayHoldCall = (text: string): boolean => unescaped(text).includes('tools/call')

/** The same for a client: readers in Python and Go take NaN or other letters. */
export const mayHoldAnswer = (text: string): boolean => /"(?:re[s\u017f]ult|error)"/i.test(unescaped(text))

const unescaped = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\/', '/')
