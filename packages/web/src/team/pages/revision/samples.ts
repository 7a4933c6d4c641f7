// The samples of a dry run, by hook and event. They are kept until the tab closes.

import type { EventFacts } from '@holdfast/team/messages'
import { matchedExamples, sampleFor } from '../hook/events.js'

export interface OwnSample {
  readonly id: number
  readonly name: string
  readonly json: string
}

const kept = new Map<string, readonly OwnSample[]>()
let count = 0

const MOST_PRESELECTED = 3

/** The examples that the matcher matches: a sample that it skips tests nothing. */
export function firstSamples(hookId: number, event: EventFacts, matcher: string): readonly OwnSample[] {
  const known = kept.get(`${hookId} ${event.name}`)
  if (known) return known
  const matched = matcher === '' ? [] : (matchedExamples(event, matcher) ?? [])
  return matched.length > 0
    ? matched.slice(0, MOST_PRESELECTED).map(subject => anotherSample(event, subject))
    : [anotherSample(event, undefined, 'sample')]
}

export const keepSamples = (hookId: number, event: EventFacts, samples: readonly OwnSample[]): void =>
  void kept.set(`${hookId} ${event.name}`, samples)

/** One more: about this subject, or like the event's own. */
export const anotherSample = (
  event: EventFacts,
  subject: string | undefined,
  name = subject ?? `sample ${count + 1}`,
): OwnSample => ({
  id: ++count,
  name,
  json: subject === undefined ? event.sampleJson : sampleFor(event, subject),
})

/** The problem of a sample that is not a JSON object. */
export function sampleProblem(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'A sample is an object: { … }.'
  } catch (error) {
    return `Not JSON: ${(error as Error).message}`
  }
}
