// A path within the size that a page requests. Short texts stay complete; long ones get equal shares, with their real
// lengths.

import type { PathShape, StepShape } from './shape.js'

/** Limits in UTF-8 bytes: for one text, and for all others together. */
const MOST_BYTES = 256 * 1024
const MORE_BYTES = 16 * 1024
/** Of a list of words. */
const MOST_WORDS = 200

/** Texts that are marked as cut; a page can request them in full. */
export const LONG_IN_PATH = [
  'payloadJson',
  'userMessage',
  'agentMessage',
  'updatedInputJson',
  'additionalContext',
  'followupMessage',
] as const satisfies (keyof PathShape)[]
export const LONG_IN_STEP = ['message', 'answerJson', 'stderr'] as const satisfies (keyof StepShape)[]

export function fitted(whole: PathShape, most = MOST_BYTES, more = MORE_BYTES): PathShape {
  const path = { ...fewWords(whole), steps: whole.steps.map(fewWords) }
  const sizes = [path, ...path.steps].flatMap(textsOf).map(text => Buffer.byteLength(text))
  const limit = Math.min(most, limitFor(sizes, most + more))
  return {
    ...cutTo(limit, path, LONG_IN_PATH),
    steps: path.steps.map(step => cutTo(limit, step, LONG_IN_STEP)),
  }
}

/** The limit for each text with which all of them fit. */
export function limitFor(sizes: readonly number[], most: number): number {
  let left = most
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

const encoder = new TextEncoder()

/** The prefix that fits into this many bytes, without a partial character. */
export const beginningOf = (text: string, bytes: number): string =>
  text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)

function cutTo<Shape extends object>(limit: number, shape: Shape, long: readonly string[]): Shape {
  const cuts: { text: string; bytes: number }[] = []
  const cut = (text: string, name: string): string => {
    const bytes = Buffer.byteLength(text)
    if (bytes <= limit) return text
    if (!long.includes(name)) return `${beginningOf(text, Math.max(0, limit - DOTS))}…`
    cuts.push({ text: name, bytes })
    return beginningOf(text, limit)
  }
  const fields = Object.entries(shape).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(value, name) : isWords(value) ? value.map(word => cut(word, '')) : value,
  ])
  return { ...Object.fromEntries(fields), cuts }
}

const DOTS = Buffer.byteLength('…')

const isWords = (value: unknown): value is string[] => Array.isArray(value) && typeof value[0] === 'string'

const textsOf = (shape: object): string[] =>
  Object.values(shape).flatMap(value => (typeof value === 'string' || isWords(value) ? value : []))

const fewWords = <Shape extends object>(shape: Shape): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, value]) => [
      name,
      isWords(value) && value.length > MOST_WORDS
        ? [...value.slice(0, MOST_WORDS), `and ${value.length - MOST_WORDS} more`]
        : value,
    ]),
  ) as Shape
