// Several rounds as one result.

import type { LanguageModelUsage } from 'ai'
import type { Generated } from './loop-turn.js'

/** Of the last round, with the steps, the answers and the tokens of all. */
export function joinedResult(results: readonly Generated[]): Generated {
  const last = results.at(-1)!
  if (results.length === 1) return last
  const messages = results.flatMap(({ response }) => response.messages)
  return Object.create(last, {
    steps: { value: results.flatMap(({ steps }) => steps), enumerable: true },
    totalUsage: { value: results.map(({ totalUsage }) => totalUsage).reduce(joinedUsage), enumerable: true },
    response: { value: { ...last.response, messages }, enumerable: true },
  })
}

/** Number by number; what neither knows stays unknown. */
export const joinedUsage = (a: LanguageModelUsage, b: LanguageModelUsage): LanguageModelUsage =>
  added(a, b) as LanguageModelUsage

function added(a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (!isObject(a) || !isObject(b)) return b ?? a
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map(name => [name, added(a[name], b[name])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
