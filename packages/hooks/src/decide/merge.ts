// deny > ask > allow > abstain, whatever the source. Messages of the deciders, in source order. One value: the
// highest source that gave one; inside a source, the last.

import type { Answer } from '../protocol/answer.js'
import type { Profile } from '../protocol/profiles.js'
import type { Run } from '../protocol/run.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Opinion } from '../protocol/verdict.js'

/** Associative, commutative, idempotent; abstain is neutral. */
export const join = (a: Opinion, b: Opinion): Opinion => (STRICTNESS[a] >= STRICTNESS[b] ? a : b)

export interface Voice {
  readonly run: Run
  readonly opinion: Opinion
}

export function joinAll(voices: readonly Voice[], rule: Profile['merge']['permission']): Opinion {
  const heard = rule === 'strictest' ? voices : ofHighestSource(voices)
  return heard.reduce<Opinion>((joined, { opinion }) => join(joined, opinion), 'abstain')
}

const ofHighestSource = (voices: readonly Voice[]): readonly Voice[] => {
  const rank = voices.find(({ opinion }) => opinion !== 'abstain')?.run.hook.rank
  return voices.filter(({ run }) => run.hook.rank === rank)
}

/** What a run answered, and the rank of its source. */
export interface Given {
  readonly rank: number
  readonly answer: Answer
}

export const answersOf = (runs: readonly Run[]): Given[] => {
  const given: Given[] = []
  for (const { hook, outcome } of runs) {
    if (outcome.kind === 'answered') given.push({ rank: hook.rank, answer: outcome.answer })
  }
  return given
}

const BLANK_LINE = '\n\n'

/** Texts in order, separated by a blank line; null when there are none. */
export const texts = (parts: readonly (string | undefined)[]): string | null => {
  const said = parts.filter(part => part !== undefined && part !== '')
  return said.length > 0 ? said.join(BLANK_LINE) : null
}

export const allOf = (
  given: readonly Given[],
  field: 'additional_context',
  rule: 'all' | 'last',
): string | null => {
  const said = given.map(({ answer }) => answer[field])
  return texts(rule === 'all' ? said : said.filter(text => text !== undefined).slice(-1))
}

/** Runs are in source order, so the last of the highest rank is the last before the rank grows. */
export function oneOf<K extends keyof Answer>(
  all: readonly Given[],
  field: K,
  rule: 'highest' | 'last',
): NonNullable<Answer[K]> | null {
  let found: Given | undefined
  for (const given of all) {
    if (given.answer[field] === undefined) continue
    if (found && rule === 'highest' && given.rank > found.rank) break
    found = given
  }
  return (found?.answer[field] as NonNullable<Answer[K]> | undefined) ?? null
}

/** Session variables by source, each source's own later word over its earlier one. */
export function variablesOf(given: readonly Given[]): { rank: number; env: Record<string, string> }[] {
  if (!given.some(({ answer }) => answer.env)) return []
  const bySource = new Map<number, Record<string, string>>()
  for (const { rank, answer } of given) {
    if (answer.env) bySource.set(rank, { ...bySource.get(rank), ...answer.env })
  }
  return [...bySource].map(([rank, env]) => ({ rank, env })).sort((a, b) => a.rank - b.rank)
}

/** One view of all variables: for each name the highest source that set it, or the last by the version's rule. */
export function flatten(
  variables: readonly { rank: number; env: Record<string, string> }[],
  rule: 'highest' | 'last',
): Record<string, string> | null {
  if (variables.length === 0) return null
  const lowestFirst = rule === 'highest' ? variables.toReversed() : variables
  return Object.assign({}, ...lowestFirst.map(({ env }) => env))
}
