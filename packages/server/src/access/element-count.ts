// Counts the elements of a message before it is parsed: a few megabytes of a million empty elements would occupy the one
// thread of the server for seconds.

import { type DescMessage, ScalarType } from '@bufbuild/protobuf'

/** Messages of users and devices have up to two thousand: a full batch of records has the most. */
export const MOST_ELEMENTS = 10_000

const [QUOTE, COMMA, COLON, ARRAY, BACKSLASH, OBJECT] = [0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x7b]

/** Counts brackets and separators outside of strings, which bounds width and depth alike. */
export function hasFewElementsJson(bytes: Uint8Array, most = MOST_ELEMENTS): boolean {
  let elements = 0
  let isString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isString = false
    } else if (byte === QUOTE) isString = true
    else if (byte === COMMA || byte === COLON || byte === ARRAY || byte === OBJECT) {
      if (++elements > most) return false
    }
  }
  return true
}

/** Counts fields, known or not, and those of nested messages. The parser rejects malformed bytes. */
export function hasFewElementsBinary(message: DescMessage, bytes: Uint8Array, most = MOST_ELEMENTS): boolean {
  const left = { elements: most }
  walk(message, bytes, 0, bytes.length, left)
  return left.elements >= 0
}

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5
/** Groups are deprecated; their fields are counted like those beside them. */
const GROUPS = [3, 4]

function walk(
  message: DescMessage,
  bytes: Uint8Array,
  from: number,
  to: number,
  left: { elements: number },
): void {
  let at = from
  const number = (): number => {
    let value = 0
    for (let shift = 0; shift < 70 && at < to; shift += 7) {
      const byte = bytes[at++]!
      // Bitwise operators end at 32 bits.
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    at = Number.POSITIVE_INFINITY
    return 0
  }
  while (at < to) {
    if (--left.elements < 0) return
    const tag = number()
    const wire = tag % 8
    if (wire === VARINT) number()
    else if (wire === FIXED64) at += 8
    else if (wire === FIXED32) at += 4
    else if (wire === LENGTH) {
      const size = number()
      const end = at + size
      if (!(end <= to)) return
      const part = partsOf(message).get(Math.floor(tag / 8))
      // A packed list may hold as many numbers as bytes.
      if (part === PACKED) left.elements -= size
      else if (part) walk(part, bytes, at, end, left)
      at = end
    } else if (!GROUPS.includes(wire)) return
  }
}

const PACKED = Symbol('packed numbers')
type MessageParts = ReadonlyMap<number, DescMessage | typeof PACKED>
const known = new WeakMap<DescMessage, MessageParts>()

/** The fields that are messages or lists of numbers. */
function partsOf(message: DescMessage): MessageParts {
  const found = known.get(message)
  if (found) return found
  const parts: MessageParts = new Map(
    message.fields.flatMap((field): [number, DescMessage | typeof PACKED][] => {
      if (field.message) return [[field.number, field.message]]
      const isString = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
      return field.fieldKind === 'list' && !isString ? [[field.number, PACKED]] : []
    }),
  )
  known.set(message, parts)
  return parts
}
