// Several rounds as one result.

import type { LanguageModelUsage } from 'ai'
import type { Generated, Streamed } from './loop-turn.js'

/** From the last round, with the steps, responses and tokens of all rounds. */
export function joinedResult(results: readonly Generated[]): Generated {
  const last = results.at(-1)!
  if (results.length === 1) return last
  const messages = results.flatMap(messagesOf)
  return Object.create(last, {
    steps: { value: results.flatMap(({ steps }) => steps), enumerable: true },
    totalUsage: { value: results.map(({ totalUsage }) => totalUsage).reduce(joinedUsage), enumerable: true },
    response: { value: { ...last.response, messages }, enumerable: true },
    responseMessages: { value: messages, enumerable: true },
  })
}

type Messages = Generated['response']['messages']

/** Of all steps. In version 7 of the AI SDK the response has those of the last step only. */
export const messagesOf = (result: Pick<Generated, 'response'>): Messages =>
  (result as { responseMessages?: Messages }).responseMessages ?? result.response.messages

export const streamedMessages = async (result: Streamed): Promise<Messages> =>
  (await (result as { responseMessages?: PromiseLike<Messages> }).responseMessages) ??
  (await result.response).messages

/** Adds number by number; unknown in both stays unknown. */
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
