// What the table says about an event, for a form.

import { EVENT_SPECS, EVENTS, type EventRow, findEvent, samplePayload } from '@holdfast/hooks/protocol'

export const rowOf = (name: string): EventRow | undefined => {
  const spec = findEvent(name)
  return spec ? (EVENTS as Readonly<Record<string, EventRow>>)[spec.name] : undefined
}

/** By kind, in the order of the table. */
export const GROUPS = (['agent', 'tab', 'app'] as const).map(category => ({
  category,
  label: { agent: 'Agent', tab: 'Inline completion', app: 'Application' }[category],
  names: EVENT_SPECS.filter(({ name }) => EVENTS[name].category === category).map(({ name }) => name),
}))

/** Where a first hook usually stands: it is asked about every command, and may stop it. */
export const FIRST_EVENT: string =
  EVENT_SPECS.find(({ name }) => {
    const { gate, subject } = EVENTS[name] as EventRow
    return gate === 'permission' && 'field' in subject && subject.field === 'command'
  })?.name ?? EVENT_SPECS[0]!.name

export const sampleOf = (name: string): Record<string, unknown> => {
  const spec = findEvent(name)
  return spec ? { ...samplePayload(spec.name) } : {}
}

/** What the matcher is held against, and which of the usual ones it takes. */
export function matching(name: string, matcher: string) {
  const subject = rowOf(name)?.subject
  if (!subject) return undefined
  if ('none' in subject) return { doc: subject.doc, isUsed: false as const }
  const examples = 'examples' in subject ? subject.examples : [subject.word]
  if (matcher === '' || matcher === '*')
    return { doc: subject.doc, isUsed: true as const, examples, taken: examples }
  try {
    const pattern = new RegExp(matcher)
    return {
      doc: subject.doc,
      isUsed: true as const,
      examples,
      taken: examples.filter(example => pattern.test(example)),
    }
  } catch {
    return { doc: subject.doc, isUsed: true as const, examples, taken: undefined }
  }
}

/** A sample whose subject is this text. */
export function sampleFor(name: string, subject: string): Record<string, unknown> {
  const row = rowOf(name)
  const sample = sampleOf(name)
  return row && 'field' in row.subject ? { ...sample, [row.subject.field]: subject } : sample
}
