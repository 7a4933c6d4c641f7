// The text of a matcher → a matcher that can be tested. A search that takes too long can be interrupted. Compiling cannot
// (repeats inside repeats are written out: twenty levels of `{2}` take seconds), and neither can a counted repeat that
// goes forward without failing (`(?:(?:(?:x?){1000}){1000}){1000}`). Patterns over these limits are rejected here.

import type { Matcher } from '../protocol/config.js'

const ALL: Matcher = Object.freeze({ kind: 'all' })

/** A pattern without these characters takes time in proportion to the text. */
const SPECIAL = /[()[\]{}*+?\\]/

const UNBOUNDED = /[*+]|\{\d+,\}/g

/** Absent, "" and "*" match all. */
export function compileMatcher(text: string | undefined): Matcher {
  if (text === undefined || text === '' || text === '*') return ALL
  if (text.length > LONGEST)
    return { kind: 'invalid', text, error: `it is longer than ${LONGEST} characters` }
  try {
    const regex = new RegExp(text)
    const error = costProblem(text)
    if (error) return { kind: 'invalid', text, error }
    const repeats = text.match(UNBOUNDED)?.length ?? 0
    return { kind: SPECIAL.test(text) ? 'regex' : 'plain', text, regex, repeats }
  } catch (error) {
    // "Invalid regular expression: /(/: Unterminated group": the reports quote the pattern themselves.
    const reason = (error as Error).message.split(': ').at(-1) ?? 'not a valid pattern'
    return { kind: 'invalid', text, error: reason }
  }
}

export const matcherText = (matcher: Matcher): string => (matcher.kind === 'all' ? '' : matcher.text)

/** Characters of a pattern. Parsing takes time in proportion. */
const LONGEST = 10_000
/** Parts after small repeats are written out. */
const LARGEST = 10_000
/** Rounds of counted repeats inside one another. */
const MOST_ROUNDS = 50_000
const DEEPEST = 60

interface Cost {
  size: number
  rounds: number
}

/** Expects a pattern that is valid. */
function costProblem(pattern: string): string | undefined {
  // The cost of each group that is open, innermost last.
  const open: Cost[] = [{ size: 0, rounds: 0 }]
  for (let at = 0; at < pattern.length; ) {
    const atom = ATOM.exec(pattern.slice(at, at + LOOK_AHEAD))?.[0] ?? pattern[at]!
    const cost: Cost = { size: 1, rounds: 1 }
    at += atom.length
    if (atom.startsWith('(')) {
      if (open.push({ size: 0, rounds: 0 }) > DEEPEST)
        return `it has more than ${DEEPEST} groups inside one another`
      continue
    }
    if (atom === ')' && open.length > 1) add(cost, open.pop()!)
    else if (atom === '[') {
      const end = endOfClass(pattern, at)
      cost.size += (end - at) / 8
      at = end
    }
    const repeat = REPEAT.exec(pattern.slice(at, at + LOOK_AHEAD))
    if (repeat) {
      at += repeat[0].length
      cost.size *= copies(repeat)
      cost.rounds *= rounds(repeat)
    }
    const around = open.at(-1)!
    add(around, cost)
    if (around.size > LARGEST || around.rounds > MOST_ROUNDS)
      return 'it has too many repeats inside one another'
  }
  return undefined
}

const add = (to: Cost, { size, rounds }: Cost): void => {
  to.size += size
  to.rounds += rounds
}

const LOOK_AHEAD = 40
const ATOM = /^(?:\\(?:[pPuk]\{[^}]{0,30}\}|[\s\S])|\((?:\?(?:<?[=!]|:|<[^>]{1,30}>))?)/
const REPEAT = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/

/** How often V8 writes the repeated part out, at most: small counts are unrolled, large ones loop. */
function copies([, sign, least, , most]: RegExpExecArray): number {
  if (sign) return sign === '+' ? 2 : 1.5
  const unrolled =
    Math.min(Number(least), 3) + Math.min(most === undefined ? 0 : most === '' ? 1 : Number(most), 3)
  return Math.max(2, unrolled)
}

/** How many rounds a counted repeat takes, at most. */
const rounds = ([, sign, least, , most]: RegExpExecArray): number =>
  sign ? 1 : Math.max(Number(least), Number(most || 0), 1)

function endOfClass(pattern: string, start: number): number {
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern[at] === ']') return at + 1
  }
  return pattern.length
}
