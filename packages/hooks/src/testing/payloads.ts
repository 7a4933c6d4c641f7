// Arbitrary payloads for fast-check, made from the table: whatever a host might send, hostile texts included. A guard
// that answers all of them does not fall over the one that matters.

import { type EventName, findEvent } from '../protocol/events.js'
import { acceptFacts, inVersion, type LooseFacts, type Payload, payloadSchema } from '../protocol/payload.js'
import { eventsUnder, findProfile, type ProfileName } from '../protocol/profiles.js'

// biome-ignore lint/suspicious/noTsIgnore: the remark is for those who read the types without fast-check.
/** @ts-ignore: any, for who has not installed fast-check; what the generators are made with. */
export type Arbitrary<T> = import('fast-check').Arbitrary<T>
// biome-ignore lint/suspicious/noTsIgnore: the remark is for those who read the types without fast-check.
/** @ts-ignore: the same; the module itself. */
export type FastCheck = Omit<typeof import('fast-check'), 'default'>

/** What valibot says of a schema, as far as it matters here. */
interface Schema {
  readonly type: string
  readonly wrapped?: Schema
  readonly options?: readonly string[]
  readonly item?: Schema
  readonly entries?: Readonly<Record<string, Schema>>
  readonly pipe?: readonly Schema[]
}

/** The whole payload of an event, as a hook of that version would read it. */
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
    const accepted = acceptFacts(spec, made)
    if (!accepted.ok) throw new Error(`A payload was made that is none: ${accepted.problems[0]?.message}`)
    const own = { hook_event_name: event, cursor_version: version.version }
    return inVersion(version, spec, { ...accepted.facts, ...own }) as Record<string, unknown>
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

/** What a host may leave out is left out now and then. */
function record(fc: FastCheck, entries: Readonly<Record<string, Schema>>): Arbitrary<LooseFacts> {
  const fields = Object.entries(entries).map(([name, schema]) => [name, any(fc, schema)] as const)
  const requiredKeys = fields.map(([name]) => name).filter(name => entries[name]!.type !== 'optional')
  return fc.record(Object.fromEntries(fields), {
    requiredKeys,
    noNullPrototype: true,
  }) as Arbitrary<LooseFacts>
}

const LONG = 70_000

/** Texts that programs fall over: quotes, ends of lines, NUL, halves of characters, marks that turn the line round. */
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
  'x'.repeat(LONG),
]

/** Any of them, halves of pairs included. The library's own take half a second to set up. */
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

/** Keys too may be hostile; as own keys, as JSON.parse would make them. */
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
