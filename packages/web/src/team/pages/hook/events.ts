// What the server's table says about events, for a form.

import { useQuery } from '@connectrpc/connect-query'
import { type EventFacts, HooksService } from '@holdfast/team/messages'

export type Events = readonly EventFacts[]

/** It changes with the server only. */
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

/** Where a first hook usually stands: it is asked about every command, and may stop it. */
export const firstEvent = (events: Events): string =>
  (events.find(({ gate, subjectField }) => gate === 'permission' && subjectField === 'command') ?? events[0])
    ?.name ?? ''

/** Which of the usual ones a matcher takes; undefined where it is no regular expression. */
export function takenBy(event: EventFacts, matcher: string): readonly string[] | undefined {
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
