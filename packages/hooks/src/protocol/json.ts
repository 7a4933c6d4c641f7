// JSON with integers that a JavaScript number would round. A script must read the id that the agent sent, digit by digit:
// a guard that compares another one than the tool then uses can be passed.

/**
 * An integer beyond 2^53, with its digits. To all other code it is a Number object: it compares, prints and is
 * serialised as the rounded number.
 */
class ExactInteger extends Number {
  constructor(readonly digits: string) {
    super(digits)
    Object.freeze(this)
  }

  toJSON(): number {
    wasSerialised = true
    return this.valueOf()
  }
}

let wasSerialised = false

/** Like JSON.parse, except that integers which would be rounded keep their digits. */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  // Nearly always: no number has that many digits.
  if (!/\d{16}/.test(text) || typeof parsed !== 'object' || parsed === null) return parsed
  const mark = newMark()
  const marked = markIntegers(text, mark)
  if (marked === text) return parsed
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactInteger(value.slice(mark.length)) : value,
  )
}

/** Like JSON.stringify, with all digits of integers that `parseJson` kept. */
export function writeJson(value: unknown): string {
  wasSerialised = false
  const text = JSON.stringify(value)
  if (!wasSerialised) return text
  const mark = newMark()
  const marked = JSON.stringify(value, function (this: Record<string, unknown>, key, each: unknown) {
    const original = this[key]
    return original instanceof ExactInteger ? mark + original.digits : each
  })
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/**
 * Levels of objects and arrays in a payload or a response. A parser that reaches its own limit ends a guard before it
 * can deny: Ruby reads 100 levels, jq 256, PHP 512, Python about 1,000.
 */
export const MAX_DEPTH = 100

/** Digits of an integer in a payload. Python reads 4,300, and can be set to as few as 640. */
const MAX_DIGITS = 600

/**
 * A frozen copy with the values that JSON.stringify would write, and all digits of integers. Each property is read once,
 * so neither a getter, a `toJSON` nor a later change can replace a value. Half a surrogate pair becomes U+FFFD, as in
 * every file and process: guards in Python and Ruby end at one before they can deny. Throws where the value is not JSON,
 * or where it is beyond the limits above.
 */
export function copyJson(given: unknown, depth = 1, key = ''): unknown {
  const value = hasToJson(given) && !(given instanceof ExactInteger) ? given.toJSON(key) : given
  if (value instanceof ExactInteger) {
    if (value.digits.length <= MAX_DIGITS) return value
    throw tooManyDigits(value.digits.length)
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return copyJson(value.valueOf(), depth)
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') throw new TypeError('it has a BigInt, which JSON cannot represent')
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw tooDeep()
  if (Array.isArray(value))
    return Object.freeze(Array.from(value, (each, at) => copyJson(each, depth + 1, String(at)) ?? null))
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const member = copyJson((value as Record<string, unknown>)[name], depth + 1, name)
    if (member !== undefined) setOwn(copy, name.toWellFormed(), member)
  }
  return Object.freeze(copy)
}

/** The same limits for a text that is not JSON: a parser reads it up to its first error. */
export function checkLimits(text: string): void {
  const [digits] = /\d{601,}/.exec(text) ?? []
  if (digits !== undefined) throw tooManyDigits(digits.length)
  let depth = 1
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    if (depth > MAX_DEPTH) throw tooDeep()
  }
}

const tooDeep = () => new RangeError(`it is nested more than ${MAX_DEPTH} levels deep`)
const tooManyDigits = (digits: number) =>
  new RangeError(`it has an integer of ${digits} digits; at most ${MAX_DIGITS} are allowed`)

const hasToJson = (value: unknown): value is { toJSON(key: string): unknown } =>
  typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Sets a property of the object itself, also if it is called `__proto__`. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/** No text of an agent can contain it, since it is new at each call. */
const newMark = () => `exact-${process.hrtime.bigint()}-${Math.random().toString(36).slice(2)}:`

/** The text, valid JSON, with a string in place of each integer that would be rounded. */
function markIntegers(text: string, mark: string): string {
  let out = ''
  let done = 0
  let isInString = false
  let at = 0
  for (const { 0: digits, index } of text.matchAll(/\d{16,}/g)) {
    for (let quote = text.indexOf('"', at); quote !== -1 && quote < index; quote = text.indexOf('"', at)) {
      if (!isInString || !isEscaped(text, quote)) isInString = !isInString
      at = quote + 1
    }
    const start = text[index - 1] === '-' ? index - 1 : index
    const end = index + digits.length
    const isInteger = !/[.eE+]/.test(text[start - 1] ?? '') && !/[.eE]/.test(text[end] ?? '')
    if (isInString || !isInteger || Number.isSafeInteger(Number(digits))) continue
    out += `${text.slice(done, start)}"${mark}${text.slice(start, end)}"`
    done = end
  }
  return out + text.slice(done)
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - slashes - 1] === '\\') slashes++
  return slashes % 2 === 1
}
