// The server's table of events, for a form.

import { useQuery } from '@connectrpc/connect-query'
import { type EventFacts, HooksService } from '@holdfast/team/messages'

export type Events = readonly EventFacts[]

/** It changes only with the version of the server. */
export const useEvents = () =>
  useQuery(HooksService.method.listEvents, {}, { staleTime: Number.POSITIVE_INFINITY })

export const eventOf = (events: Events, name: string): EventFacts | undefined =>
  events.find(event => event.name === name)

const CATEGORIES = [
  ['agent', 'Agent'],
  ['tab', 'Inline completion'],
  ['app', 'Application'],
] as const

/** By kind, in the order of the table. */
export const groupsOf = (events: Events) =>
  CATEGORIES.map(([category, label]) => ({
    label,
    names: events.filter(event => event.category === category).map(({ name }) => name),
  })).filter(({ names }) => names.length > 0)

/** The event that can block an action of the agent, and whose payload has this field. */
export const eventBefore = (events: Events, field: string): string =>
  (
    events.find(
      ({ gate, category, sampleJson }) =>
        gate === 'permission' && category === 'agent' && field in JSON.parse(sampleJson || '{}'),
    ) ?? events[0]
  )?.name ?? ''

/** The common subjects that a matcher matches; undefined where it is not a regular expression. */
export function matchedExamples(event: EventFacts, matcher: string): readonly string[] | undefined {
  if (matcher === '' || matcher === '*') return event.subjectExamples
  try {
    const pattern = new RegExp(matcher)
    return event.subjectExamples.filter(example => pattern.test(example))
  } catch {
    return undefined
  }
}

/** A sample whose subject is this text. */
export function sampleFor(event: EventFacts, subject: string): string {
  if (event.subjectField === '') return event.sampleJson
  const sample = JSON.parse(event.sampleJson) as Record<string, unknown>
  return JSON.stringify({ ...sample, [event.subjectField]: subject }, null, 2)
}
