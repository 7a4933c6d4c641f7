// The text of a matcher → something that can be tested against a subject.

import type { Matcher } from '../protocol/config.js'
import { tooCostly, tooLong } from './matcher-cost.js'

const ALL: Matcher = Object.freeze({ kind: 'all' })

/** Absent, "" and "*" match all. Without any of these characters a pattern cannot run away. */
const CAN_RUN_AWAY = /[()[\]{}*+?\\]/

const UNBOUNDED = /[*+]|\{\d+,\}/g

export function compileMatcher(text: string | undefined): Matcher {
  if (text === undefined || text === '' || text === '*') return ALL
  try {
    const long = tooLong(text)
    if (long) return { kind: 'invalid', text, error: long }
    const regex = new RegExp(text)
    const cost = tooCostly(text)
    if (cost) return { kind: 'invalid', text, error: cost }
    const repeats = text.match(UNBOUNDED)?.length ?? 0
    return { kind: CAN_RUN_AWAY.test(text) ? 'regex' : 'plain', text, regex, repeats }
  } catch (error) {
    // "Invalid regular expression: /(/: Unterminated group": the pattern itself is shown elsewhere.
    const reason = (error as Error).message.split(': ').at(-1) ?? 'not a valid pattern'
    return { kind: 'invalid', text, error: reason }
  }
}

export const matcherText = (matcher: Matcher): string => (matcher.kind === 'all' ? '' : matcher.text)
