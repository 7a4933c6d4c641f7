// Of how many pieces a message is made, looked at before it is taken apart: a few megabytes of next to nothing, a million
// times, hold the one thread that serves everybody for seconds.

import { type DescMessage, ScalarType } from '@bufbuild/protobuf'

/** What people and devices send has a thousand or two: a full batch of records is the most. */
export const MOST_PIECES = 10_000

const [QUOTE, COMMA, COLON, ARRAY, BACKSLASH, OBJECT] = [0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x7b]

/** Counts what opens or parts something outside of its texts, and so bounds width and depth alike. */
export function isFewInJson(bytes: Uint8Array, most = MOST_PIECES): boolean {
  let pieces = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === COMMA || byte === COLON || byte === ARRAY || byte === OBJECT) {
      if (++pieces > most) return false
    }
  }
  return true
}

/** Counts fields, known or not, and those of the messages inside. What cannot be read is for the parser to refuse. */
export function isFewInBinary(message: DescMessage, bytes: Uint8Array, most = MOST_PIECES): boolean {
  const left = { pieces: most }
  walk(message, bytes, 0, bytes.length, left)
  return left.pieces >= 0
}

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5
/** Groups, which nobody writes any more: what is in them is counted where they stand. */
const GROUPS = [3, 4]

function walk(
  message: DescMessage,
  bytes: Uint8Array,
  from: number,
  to: number,
  left: { pieces: number },
): void {
  let at = from
  const number = (): number => {
    let value = 0
    for (let shift = 0; shift < 70 && at < to; shift += 7) {
      const byte = bytes[at++]!
      // Not by bits, which end at 32.
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    at = Number.POSITIVE_INFINITY
    return 0
  }
  while (at < to) {
    if (--left.pieces < 0) return
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
      // Numbers that stand one behind the other may be as many as there are bytes.
      if (part === PACKED) left.pieces -= size
      else if (part) walk(part, bytes, at, end, left)
      at = end
    } else if (!GROUPS.includes(wire)) return
  }
}

const PACKED = Symbol('numbers in a row')
type Parts = ReadonlyMap<number, DescMessage | typeof PACKED>
const known = new WeakMap<DescMessage, Parts>()

/** Those of its fields that are messages themselves, or lists of numbers. */
function partsOf(message: DescMessage): Parts {
  const found = known.get(message)
  if (found) return found
  const parts: Parts = new Map(
    message.fields.flatMap((field): [number, DescMessage | typeof PACKED][] => {
      if (field.message) return [[field.number, field.message]]
      const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
      return field.fieldKind === 'list' && !isText ? [[field.number, PACKED]] : []
    }),
  )
  known.set(message, parts)
  return parts
}
