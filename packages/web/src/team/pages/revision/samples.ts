// The samples that drafts are tried on, by hook. They live as long as the tab does.

import type { EventFacts } from '@holdfast/team/messages'
import { sampleFor } from '../hook/events.js'

export interface OwnSample {
  readonly id: number
  readonly name: string
  readonly json: string
}

const kept = new Map<string, readonly OwnSample[]>()
let count = 0

export const firstSamples = (hookId: number, event: EventFacts): readonly OwnSample[] =>
  kept.get(`${hookId} ${event.name}`) ?? [{ id: ++count, name: 'sample', json: event.sampleJson }]

export const keepSamples = (hookId: number, event: EventFacts, samples: readonly OwnSample[]): void =>
  void kept.set(`${hookId} ${event.name}`, samples)

/** One more: about this subject, or like the event's own. */
export const anotherSample = (event: EventFacts, subject: string | undefined): OwnSample => ({
  id: ++count,
  name: subject ?? `sample ${count}`,
  json: subject === undefined ? event.sampleJson : sampleFor(event, subject),
})

/** What is wrong with a sample, as far as one can say it here. */
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
