// The facts of an event for a test: those that were given, and the event's sample for the rest.

import { SESSION_FACTS } from '../index.js'
import { type EventSpec, findEvent } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'

/** The workspace that the samples of the table speak of. */
export const SAMPLE_ROOT = '/project'

/** What the conversation itself knows is left to it, so that loop counts and folders are true. */
export function completeFacts(event: EventSpec['name'], given: LooseFacts, root: string): LooseFacts {
  const spec = findEvent(event)!
  const sample = Object.entries(spec.sample).filter(([name]) => !SESSION_FACTS.includes(name))
  const cwd = Object.hasOwn(spec.payload, 'cwd') ? { cwd: root } : {}
  return { ...inWorkspace(Object.fromEntries(sample), root), ...cwd, ...inTodaysWords(spec, given) }
}

/** Other spellings first: otherwise the sample's value would stand beside the given one. */
function inTodaysWords({ accepts = {}, payload }: EventSpec, given: LooseFacts): LooseFacts {
  const names = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    names.map(([name, value]) => [
      Object.hasOwn(accepts, name) && !Object.hasOwn(payload, name) ? accepts[name]! : name,
      value,
    ]),
  )
}

/** Paths of the sample, in the workspace of the test. */
function inWorkspace<T>(value: T, root: string): T {
  if (root === SAMPLE_ROOT) return value
  if (typeof value === 'string') {
    return (
      value === SAMPLE_ROOT || value.startsWith(`${SAMPLE_ROOT}/`)
        ? `${root}${value.slice(SAMPLE_ROOT.length)}`
        : value
    ) as T
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(part => inWorkspace(part, root)) as T
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inWorkspace(part, root)])) as T
}
