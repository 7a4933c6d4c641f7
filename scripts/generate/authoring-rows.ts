// The parts of the table that the authoring libraries need, as plain data: how to normalise the payload of any
// version, and which responses an event accepts. They cannot import the table itself, because a hook must start in a
// few milliseconds.

import type * as v from 'valibot'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { always, conversation } from '../../packages/hooks/src/protocol/fields.js'
import { eventsUnder, PROFILES, type Profile } from '../../packages/hooks/src/protocol/profiles.js'

export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'string or null'

export interface AuthoringRow {
  readonly gate: EventSpec['gate']
  readonly ask: EventSpec['ask']
  /** Fields of a response. */
  readonly answer: readonly string[]
  /** Required fields. */
  readonly required: readonly string[]
  /** The value that handlers receive for a field that the host did not send. */
  readonly defaults: Readonly<Record<string, unknown>>
  /** The type of each field that only this event has. */
  readonly kinds: Readonly<Record<string, Kind>>
  /** Whether it carries the ids of a conversation. */
  readonly conversation: boolean
  /** Other spelling → current spelling. */
  readonly accepts: Readonly<Record<string, string>>
  /** By version: the field that carries the value of another one. */
  readonly inVersion: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By version: the fields that are sent in seconds. */
  readonly seconds: Readonly<Record<string, readonly string[]>>
  /** By version: events whose response uses `decision` and `reason`. */
  readonly decision: readonly string[]
}

export const authoringRows = (): Readonly<Record<string, AuthoringRow>> =>
  Object.fromEntries(EVENT_SPECS.map(spec => [spec.name, rowOf(spec)]))

/** The types of the fields of every event, and of every event of a conversation; `optional` ones may be absent. */
export const commonFields = () => ({ always: kindsOf(always), conversation: kindsOf(conversation) })

const kindsOf = (fields: Readonly<Record<string, v.GenericSchema>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { kind, optional } = unwrapped(schema)
      return [name, optional ? (`optional ${kind}` as const) : kind]
    }),
  )

function rowOf(spec: EventSpec): AuthoringRow {
  const fields = { ...always, ...(spec.conversation ? conversation : {}), ...spec.payload }
  const own = Object.entries(spec.payload).map(([name, schema]) => [name, unwrapped(schema)] as const)
  const renames = profilesWith(spec).map(
    profile => [profile.version, invert(profile.events[spec.name]?.payload?.rename ?? {})] as const,
  )
  const unmistakable = renames.flatMap(([, names]) =>
    Object.entries(names).filter(([old]) => !(old in fields)),
  )
  return {
    gate: spec.gate,
    ask: spec.ask,
    answer: Object.keys(spec.answer),
    required: own.filter(([, { optional }]) => !optional).map(([name]) => name),
    defaults: Object.fromEntries(
      own.filter(([, { value }]) => value !== undefined).map(([name, { value }]) => [name, value]),
    ),
    kinds: Object.fromEntries(own.map(([name, { kind }]) => [name, kind])),
    conversation: spec.conversation,
    accepts: { ...spec.accepts, ...Object.fromEntries(unmistakable) },
    inVersion: withoutEmpty(
      renames.map(([version, names]) => [
        version,
        Object.fromEntries(Object.entries(names).filter(([old]) => old in fields)),
      ]),
    ),
    seconds: withoutEmpty(
      profilesWith(spec).map(({ version, events }) => [version, events[spec.name]?.payload?.seconds ?? []]),
    ),
    decision: profilesWith(spec)
      .filter(({ answer }) => Array.isArray(answer.decision) && answer.decision.includes(spec.name))
      .map(({ version }) => version),
  }
}

const profilesWith = (spec: EventSpec): Profile[] =>
  Object.values(PROFILES as Record<string, Profile>).filter(profile => eventsUnder(profile).has(spec.name))

const invert = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([today, old]) => [old, today]))

const withoutEmpty = <T extends object>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0))

interface Unwrapped {
  readonly kind: Kind
  readonly optional: boolean
  readonly value: unknown
}

interface Anything {
  readonly type: string
  readonly wrapped?: v.GenericSchema
  readonly default?: unknown
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: 'string',
  picklist: 'string',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  custom: 'object',
  record: 'object',
}

function unwrapped(schema: v.GenericSchema): Unwrapped {
  const { type, wrapped, default: value } = schema as unknown as Anything
  if (type === 'optional') return { ...unwrapped(wrapped!), optional: true, value }
  if (type === 'nullable') {
    if (unwrapped(wrapped!).kind !== 'string') throw new Error('Only texts may be null so far.')
    return { kind: 'string or null', optional: false, value: undefined }
  }
  const kind = KINDS[type]
  if (!kind) throw new Error(`The libraries for authors do not know the kind ${type}.`)
  return { kind, optional: false, value: undefined }
}
