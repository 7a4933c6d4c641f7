// Strict JSON that all readers understand in the same way (valid UTF-8, no key twice), and the shape of payloads in small
// parts. A part returns the value, or throws an error that `fit` turns into a message.

import { describeValue, quote } from '../config/json.js'

export type Part<T> = (value: unknown, path: string) => T

/** What a part returns. */
export type Value<P> = P extends Part<infer T> ? T : never

class Unfit extends Error {}

export type Fitted<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

export function fit<T>(part: Part<T>, payload: Uint8Array, name: string): Fitted<T> {
  const parsed = parseStrict(payload)
  if (!parsed.ok) return { ok: false, message: `The ${name} cannot be read: ${parsed.message}.` }
  try {
    return { ok: true, value: part(parsed.value, '') }
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    return { ok: false, message: `The ${name} is not well-formed: ${error.message}.` }
  }
}

const wrong = (value: unknown, path: string, expected: string): never => {
  throw new Unfit(`${path || 'it'} is ${describeValue(value)}; expected ${expected}`)
}

type Shape = Readonly<Record<string, Part<unknown>>>
type Of<S extends Shape> = { readonly [K in keyof S]: Value<S[K]> }

/**
 * An object of a signed payload. Unknown keys are ignored, so that servers can add keys without waiting for every client.
 * The exceptions are listed in its key `critical`: a client that does not know one of them rejects the payload. A key
 * that restricts what a hook may do, or whom the team trusts, must be listed there. The list is signed with the rest.
 */
export const object = <R extends Shape, O extends Shape = Record<never, never>>(
  required: R,
  optional?: O,
): Part<Of<R> & Partial<Of<O>>> => objectWith(required, optional, mustKnowCritical)

/** An object without a signature. Unknown keys are rejected. */
export const exactly = <R extends Shape>(required: R): Part<Of<R>> =>
  objectWith(required, undefined, (value, isKnown, path) => {
    const unknown = Object.keys(value).find(key => !isKnown(key))
    if (unknown !== undefined)
      throw new Unfit(`the key ${quote(unknown)}${path && ` of ${path}`} is not known`)
  })

const objectWith =
  <R extends Shape, O extends Shape>(
    required: R,
    optional: O | undefined,
    checkKeys: (value: object, isKnown: (key: string) => boolean, path: string) => void,
  ): Part<Of<R> & Partial<Of<O>>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong(value, path, 'an object')
    const result: Record<string, unknown> = {}
    const under = (key: string) => (path === '' ? key : `${path}.${key}`)
    for (const [key, part] of Object.entries(required)) {
      result[key] = part(
        Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
        under(key),
      )
    }
    const isKnown = (key: string) =>
      Object.hasOwn(required, key) || (optional !== undefined && Object.hasOwn(optional, key))
    checkKeys(value, isKnown, path)
    for (const [key, part] of Object.entries(optional ?? {})) {
      if (Object.hasOwn(value, key)) result[key] = part((value as Record<string, unknown>)[key], under(key))
    }
    return result as Of<R> & Partial<Of<O>>
  }

const MOST_CRITICAL = 100

function mustKnowCritical(value: object, isKnown: (key: string) => boolean, path: string): void {
  if (!Object.hasOwn(value, 'critical')) return
  const { critical } = value as { critical: unknown }
  const under = path === '' ? 'critical' : `${path}.critical`
  for (const key of set(prose(100, 1), MOST_CRITICAL, 1)(critical, under)) {
    if (!Object.hasOwn(value, key)) throw new Unfit(`${under} names ${quote(key)}, which is missing`)
    if (!isKnown(key)) {
      const where = path && ` of ${path}`
      throw new Unfit(`the key ${quote(key)}${where} is critical and needs a newer version of Holdfast`)
    }
  }
}

export const list =
  <T>(part: Part<T>, most: number, least = 0): Part<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) return wrong(value, path, 'an array')
    if (value.length > most)
      throw new Unfit(`${path} has ${value.length} entries; at most ${most} are allowed`)
    if (value.length < least)
      throw new Unfit(`${path} has ${value.length} entries; at least ${least} are needed`)
    return value.map((inner, index) => part(inner, `${path}[${index}]`))
  }

/** Each entry once. */
export const set =
  <T extends string>(part: Part<T>, most: number, least = 0): Part<readonly T[]> =>
  (value, path) => {
    const items = list(part, most, least)(value, path)
    const twice = items.find((item, index) => items.indexOf(item) !== index)
    if (twice !== undefined) throw new Unfit(`${path} names ${quote(twice)} twice`)
    return items
  }

export const text =
  (expected: string, fits: (value: string) => boolean): Part<string> =>
  (value, path) =>
    typeof value === 'string' && !/\p{Cs}/u.test(value) && fits(value) ? value : wrong(value, path, expected)

export const prose = (most: number, least = 0): Part<string> =>
  text(
    least > 0 ? `text of ${least} to ${most} characters` : `text of at most ${most} characters`,
    value => value.length >= least && value.length <= most,
  )

export const oneOf = <T extends string>(...words: readonly T[]): Part<T> =>
  text(words.map(quote).join(' or '), value => (words as readonly string[]).includes(value)) as Part<T>

/** Below 2^53: larger numbers lose precision in some readers. */
export const whole =
  (least: number): Part<number> =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least
      ? (value as number)
      : wrong(value, path, `a whole number from ${least}, below 2^53`)

export const above0: Part<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? value
    : wrong(value, path, 'a number above 0')

/** A known key that does not apply here. */
export const forbidden: Part<never> = (value, path) => wrong(value, path, 'no such key')

export const flag: Part<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : wrong(value, path, 'true or false')

export const orNull =
  <T>(part: Part<T>): Part<T | null> =>
  (value, path) =>
    value === null ? null : part(value, path)

export const hex = (digits: number): Part<string> => {
  const pattern = new RegExp(`^[0-9a-f]{${digits}}$`)
  return text(`${digits} hex digits in lower case`, value => pattern.test(value))
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/

/** As RFC 3339 writes it, in UTC. */
export function isTime(value: string): boolean {
  if (!TIME.test(value)) return false
  const at = Date.parse(value)
  // The 30th of February is read as a day of March.
  return Number.isFinite(at) && new Date(at).toISOString().slice(0, 19) === value.slice(0, 19)
}

export const time: Part<string> = text('a time such as "2030-01-31T12:00:00.000Z"', isTime)

/** An id becomes part of a path. */
export const teamId: Part<string> = text('the id of a team', isTeamId)

export function isTeamId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) && !id.endsWith('.')
}

export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseStrict(bytes: Uint8Array): StrictJson {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return { ok: false, message: 'it is not UTF-8 text' }
  }
  try {
    const value: unknown = JSON.parse(text)
    const twice = repeatedKey(text)
    return twice === undefined
      ? { ok: true, value }
      : { ok: false, message: `the key ${quote(twice)} appears twice in one object` }
  } catch {
    return { ok: false, message: 'it is not valid JSON' }
  }
}

/** Readers may use different ones of two equal keys. Expects valid JSON. */
function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = []
  // Without escapes, so that the pattern needs no stack for long strings.
  const plain = text.replace(/\\./g, '__')
  for (const { 0: token, index } of plain.matchAll(/[{}]|"[^"]*"(?:\s*:)?/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (token.endsWith(':')) {
      const keys = open.at(-1)!
      const key = JSON.parse(text.slice(index, index + token.length - 1)) as string
      if (keys.has(key)) return key
      keys.add(key)
    }
  }
  return undefined
}
