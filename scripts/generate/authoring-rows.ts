// The table as the libraries for authors need it: what a payload of any version must become, and which answers an
// event takes. Plain data, so that it can be written down in any language.

import type * as v from 'valibot'
import { ANSWER_ALIASES } from '../../packages/hooks/src/protocol/answer.js'
import { EVENT_SPECS, type EventName, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { always, conversation } from '../../packages/hooks/src/protocol/fields.js'
import { payloadSchema } from '../../packages/hooks/src/protocol/payload.js'
import { PROFILES, type Profile, type RowChange } from '../../packages/hooks/src/protocol/profiles.js'
import type { Version } from '../../packages/hooks/src/protocol/versions.js'
import { asJsonSchema, type Schema } from './json-schema.js'

export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array'

export interface Fields {
  readonly kinds: Readonly<Record<string, Kind>>
  /** Fields that may be null. */
  readonly nullable: readonly string[]
  /** Fields without which there is nothing to decide about. */
  readonly required: readonly string[]
  /** What a handler sees where the host said nothing. A field with neither may be absent. */
  readonly defaults: Readonly<Record<string, unknown>>
}

export interface AuthoringRow extends Fields {
  readonly gate: EventSpec['gate']
  readonly ask: EventSpec['ask']
  readonly since: Version
  /** Whether the payload carries the ids of a conversation. */
  readonly conversation: boolean
  /** The fields of an answer. */
  readonly answer: readonly string[]
  /** Other spellings, in whatever version: old → today's. */
  readonly accepts: Readonly<Record<string, string>>
  /** Names that mean something else today, so that the version must be known: version → old → today's. */
  readonly renames: Readonly<Partial<Record<Version, Readonly<Record<string, string>>>>>
  /** Milliseconds that these versions send as seconds. */
  readonly seconds: Readonly<Record<string, readonly Version[]>>
  /** Versions that read `decision` and `reason` here, and nothing else. */
  readonly decision: readonly Version[]
  readonly toolInput?: 'text' | 'object'
}

export interface CommonRows {
  readonly always: Fields
  readonly conversation: Fields
  /** Fields that are another one's copy where the version does not send them. */
  readonly copies: Readonly<Record<string, string>>
  /** Keys of an attachment: old → today's. */
  readonly attachment: Readonly<Record<string, string>>
  /** Fields of an answer that hosts without a `cursor_version` may read in camelCase. */
  readonly twins: Readonly<Record<string, string>>
}

const profiles: readonly Profile[] = Object.values(PROFILES).filter(({ name }) => name !== 'holdfast')

export const authoringRows = (): Record<EventName, AuthoringRow> =>
  Object.fromEntries(EVENT_SPECS.map(spec => [spec.name, rowOf(spec)])) as Record<EventName, AuthoringRow>

function rowOf(spec: EventSpec): AuthoringRow {
  const fields = fieldsOf(spec, spec.payload)
  const input = fields.kinds.tool_input
  return {
    gate: spec.gate,
    ask: spec.ask,
    since: spec.since,
    conversation: spec.conversation,
    answer: Object.keys(spec.answer),
    ...fields,
    accepts: Object.fromEntries(Object.entries(spec.accepts ?? {}).filter(([old]) => !(old in spec.payload))),
    renames: renamesOf(spec),
    seconds: secondsOf(spec),
    decision: profiles
      .filter(({ answer: { decision } }) => Array.isArray(decision) && decision.includes(spec.name))
      .map(({ version }) => version),
    ...(input ? { toolInput: input === 'object' ? 'object' : 'text' } : {}),
  }
}

/** Only what `accepts` cannot say: an old name that is a field of its own today. */
function renamesOf(spec: EventSpec): AuthoringRow['renames'] {
  const found: Partial<Record<Version, Record<string, string>>> = {}
  for (const { version, change } of changesOf(spec)) {
    const renamed = Object.entries(change.rename ?? {})
      .filter(([, old]) => spec.accepts?.[old] === undefined || old in spec.payload)
      .map(([name, old]) => [old, name] as const)
    if (renamed.length > 0) found[version] = Object.fromEntries(renamed)
  }
  return found
}

function secondsOf(spec: EventSpec): AuthoringRow['seconds'] {
  const found: Record<string, Version[]> = {}
  for (const { version, change } of changesOf(spec)) {
    for (const field of change.seconds ?? []) found[field] = [...(found[field] ?? []), version]
  }
  return found
}

const changesOf = (spec: EventSpec) =>
  profiles.flatMap(({ version, events }) => {
    const change = (events[spec.name] as RowChange | undefined)?.payload
    return change ? [{ version, change }] : []
  })

/** What a common field is in a version that does not send it. */
const EMPTY: Readonly<Partial<Record<Kind, unknown>>> = { string: '', array: [] }

export function authoringCommon(): CommonRows {
  const keys = profiles.flatMap(profile =>
    Object.values(profile.events as Record<string, RowChange>).flatMap(
      ({ payload }) => payload?.attachmentKey ?? [],
    ),
  )
  return {
    always: withEmpty(fieldsOf(EVENT_SPECS[0]!, always)),
    conversation: withEmpty(fieldsOf(EVENT_SPECS[0]!, conversation)),
    copies: { session_id: 'conversation_id' },
    attachment: Object.fromEntries(keys.map(key => [key, 'file_path'])),
    twins: Object.fromEntries(
      Object.entries(ANSWER_ALIASES)
        .filter(([, name]) => CAMEL_ONCE.includes(name))
        .map(([alias, name]) => [name, alias]),
    ),
  }
}

/** The name of the event is the one common field that nothing can stand in for. */
const NAME = 'hook_event_name'
/** What the first version reads in camelCase, and only so. */
const CAMEL_ONCE: readonly string[] = ['user_message', 'agent_message']

const withEmpty = (fields: Fields): Fields => ({
  ...fields,
  required: fields.required.filter(name => name === NAME),
  defaults: Object.fromEntries(
    fields.required
      .filter(name => name !== NAME)
      .map(name => [name, fields.nullable.includes(name) ? null : EMPTY[fields.kinds[name]!]]),
  ),
})

type Entries = Readonly<Record<string, v.GenericSchema>>

function fieldsOf(spec: EventSpec, entries: Entries): Fields {
  const schema = asJsonSchema(payloadSchema({ ...spec, payload: entries }) as unknown as v.GenericSchema)
  const own = Object.keys(entries).map(name => [name, schema.properties![name]!] as const)
  const hasDefault = (property: Schema) => 'default' in property
  return {
    kinds: Object.fromEntries(own.map(([name, property]) => [name, kindOf(name, property)])),
    nullable: own.filter(([, { type }]) => Array.isArray(type)).map(([name]) => name),
    required: own
      .filter(([name, property]) => schema.required?.includes(name) && !hasDefault(property))
      .map(([name]) => name),
    defaults: Object.fromEntries(
      own.filter(([, property]) => hasDefault(property)).map(([name, property]) => [name, property.default]),
    ),
  }
}

function kindOf(name: string, { type }: Schema): Kind {
  const kind = Array.isArray(type) ? type.find(each => each !== 'null') : type
  if (kind === undefined) throw new Error(`The kind of "${name}" is not known.`)
  return kind as Kind
}
