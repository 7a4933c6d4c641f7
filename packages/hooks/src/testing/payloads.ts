// Payloads for tests: arbitrary ones for fast-check, made from the event table with hostile texts, and samples.

import { type EventName, findEvent } from '../protocol/events.js'
import { type AnyFields, acceptFields, inVersion, type Payload, payloadSchema } from '../protocol/payload.js'
import { eventsUnder, findProfile, type ProfileName } from '../protocol/profiles.js'
import { samplePayload } from '../protocol/samples.js'

// biome-ignore lint/suspicious/noTsIgnore: fast-check is optional.
/** @ts-ignore: `any` if fast-check is not installed. */
export type Arbitrary<T> = import('fast-check').Arbitrary<T>
// biome-ignore lint/suspicious/noTsIgnore: fast-check is optional.
/** @ts-ignore: `any` if fast-check is not installed. */
export type FastCheck = Omit<typeof import('fast-check'), 'default'>

/** The part of a valibot schema that is used here. */
interface Schema {
  readonly type: string
  readonly wrapped?: Schema
  readonly options?: readonly string[]
  readonly item?: Schema
  readonly entries?: Readonly<Record<string, Schema>>
  readonly pipe?: readonly Schema[]
}

/** Complete payloads of an event, as a hook of that version reads them. */
export function payloads<E extends EventName>(
  fc: FastCheck,
  event: E,
  profile?: 'holdfast',
): Arbitrary<Payload<E>>
export function payloads(
  fc: FastCheck,
  event: EventName,
  profile: ProfileName,
): Arbitrary<Record<string, unknown>>
export function payloads(
  fc: FastCheck,
  event: EventName,
  profile: ProfileName = 'holdfast',
): Arbitrary<Record<string, unknown>> {
  const spec = findEvent(event)
  const version = findProfile(profile)
  if (!spec) throw new TypeError(`There is no event "${event}".`)
  if (!version) throw new TypeError(`There is no profile "${profile}".`)
  if (!eventsUnder(version).has(event)) throw new TypeError(`${profile} does not have ${event}.`)
  const entries = payloadSchema(spec).entries as unknown as Readonly<Record<string, Schema>>
  return record(fc, entries).map(made => {
    const accepted = acceptFields(spec, made)
    if (!accepted.ok) throw new Error(`An invalid payload was generated: ${accepted.problems[0]?.message}`)
    const own = { hook_event_name: event, cursor_version: version.version }
    return inVersion(version, spec, { ...accepted.fields, ...own }) as Record<string, unknown>
  })
}

function any(fc: FastCheck, schema: Schema): Arbitrary<unknown> {
  if (schema.pipe) return any(fc, schema.pipe.at(-1)!)
  switch (schema.type) {
    case 'string':
      return texts(fc)
    case 'number':
      return fc.oneof(fc.nat(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'boolean':
      return fc.boolean()
    case 'picklist':
      return fc.constantFrom(...schema.options!)
    case 'nullable':
      return fc.oneof(fc.constant(null), any(fc, schema.wrapped!))
    case 'optional':
      return any(fc, schema.wrapped!)
    case 'array':
      return fc.array(any(fc, schema.item!), { maxLength: 4 })
    case 'loose_object':
      return record(fc, schema.entries!)
    case 'record':
      return objects(fc)
    case 'unknown':
      return values(fc)
    default:
      throw new Error(`There is no generator for ${schema.type}.`)
  }
}

/** Optional fields are sometimes left out. */
function record(fc: FastCheck, entries: Readonly<Record<string, Schema>>): Arbitrary<AnyFields> {
  const fields = Object.entries(entries).map(([name, schema]) => [name, any(fc, schema)] as const)
  const requiredKeys = fields.map(([name]) => name).filter(name => entries[name]!.type !== 'optional')
  return fc.record(Object.fromEntries(fields), {
    requiredKeys,
    noNullPrototype: true,
  }) as Arbitrary<AnyFields>
}

const LONG_TEXT = 70_000

/** Texts that break programs: quotes, line ends, NUL, lone surrogates, marks that reverse the direction. */
const HOSTILE = [
  '',
  ' ',
  '"',
  "'",
  "'; rm -rf / #",
  '$(touch pwned)',
  '`id`',
  '\\',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\x1b[2J',
  '__proto__',
  'constructor',
  '{"permission":"allow"}',
  '../../etc/passwd',
  '-rf',
  'null',
  '\u{1f600}'.repeat(40),
  'x'.repeat(LONG_TEXT),
]

/** Lone surrogates included. The units of fast-check take half a second to set up. */
const codeUnits = (fc: FastCheck) => fc.nat(0xffff).map(code => String.fromCharCode(code))

const texts = (fc: FastCheck): Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: codeUnits(fc) }) },
    { weight: 2, arbitrary: fc.string() },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.string(), fc.constantFrom(...HOSTILE), fc.string())
        .map(([before, hostile, after]) => before + hostile + after),
    },
  )

const values = (fc: FastCheck): Arbitrary<unknown> =>
  fc.oneof(texts(fc), fc.jsonValue({ maxDepth: 2 }), objects(fc))

/** With hostile keys, which are own keys as from JSON.parse. */
const objects = (fc: FastCheck): Arbitrary<Record<string, unknown>> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(fc.string(), fc.constantFrom(...HOSTILE)),
        fc.oneof(texts(fc), fc.jsonValue({ maxDepth: 1 })),
      ),
      {
        maxLength: 5,
      },
    )
    .map(entries => Object.fromEntries(entries))

/** A copy of the sample payload of an event. Undefined if the version does not have the event. */
export function sample<E extends EventName>(event: E, profile?: 'holdfast'): Payload<E>
export function sample(event: EventName, profile: ProfileName): Record<string, unknown> | undefined
export function sample(
  event: EventName,
  profile: ProfileName = 'holdfast',
): Record<string, unknown> | undefined {
  const payload = samplePayload(event, profile)
  return payload && structuredClone(payload)
}
