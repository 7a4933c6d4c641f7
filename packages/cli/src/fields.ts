// The fields of events as flags: --file-path for file_path, with the value read as the table describes the field.

import { type EventSpec, findEvent, payloadSchema } from '@holdfast/hooks/protocol'
import type { Option, OptionTable } from './arguments.js'
import { either, UsageError } from './usage-error.js'

type FieldKind = 'text' | 'number' | 'flag' | 'word' | 'object' | 'array'

interface Field {
  readonly kind: FieldKind
  readonly words: readonly string[]
  readonly nullable: boolean
  readonly required: boolean
}

/** The parts of a valibot schema that matter on a command line. */
interface Schema {
  readonly type: string
  readonly wrapped?: Schema
  readonly options?: readonly string[]
}

const KINDS: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  boolean: 'flag',
  picklist: 'word',
  record: 'object',
  loose_object: 'object',
  array: 'array',
}

/** The command sets these itself: the event is its argument, the roots are --root. */
const OWN = new Set(['hook_event_name', 'workspace_roots'])

export const flagName = (field: string): string => field.replaceAll('_', '-')

const known = new Map<string, ReadonlyMap<string, Field>>()

/** Flags of one event, its own fields first. */
export function fieldsOf(spec: EventSpec): ReadonlyMap<string, Field> {
  let fields = known.get(spec.name)
  if (!fields) {
    const all = { ...spec.payload, ...payloadSchema(spec).entries }
    fields = new Map(
      Object.entries(all)
        .filter(([name]) => !OWN.has(name))
        .map(([name, schema]) => [name, describe(schema as unknown as Schema)]),
    )
    known.set(spec.name, fields)
  }
  return fields
}

function describe(schema: Schema): Field {
  let inner = schema
  let nullable = false
  while (inner.wrapped) {
    nullable ||= inner.type === 'nullable'
    inner = inner.wrapped
  }
  return {
    kind: KINDS[inner.type] ?? 'object',
    words: inner.options ?? [],
    nullable,
    required: schema.type !== 'optional',
  }
}

/** Which of its own fields an event requires. */
export const requiredFields = (spec: EventSpec): string[] =>
  Object.keys(spec.payload).filter(name => fieldsOf(spec).get(name)?.required)

/** The fields of these events as options. */
export function fieldOptions(specs: readonly EventSpec[]): OptionTable {
  const table: Record<string, Option> = {}
  for (const spec of specs)
    for (const name of fieldsOf(spec).keys()) table[flagName(name)] = { summary: '', value: 'TEXT' }
  return table
}

/** `--sandbox` alone is `--sandbox true`. */
export function withFlagValues(argv: readonly string[], specs: readonly EventSpec[]): string[] {
  const flags = new Set<string>()
  for (const spec of specs) {
    for (const [name, { kind }] of fieldsOf(spec)) if (kind === 'flag') flags.add(`--${flagName(name)}`)
  }
  const isValue = (word: string | undefined) =>
    word !== undefined && !word.startsWith('-') && findEvent(word) === undefined
  return argv.map((word, index) => (flags.has(word) && !isValue(argv[index + 1]) ? `${word}=true` : word))
}

export function readField(flag: string, field: Field, text: string): unknown {
  if (field.nullable && text === 'null') return null
  const wrong = (expected: string) => new UsageError(`--${flag} is "${text}"; expected ${expected}.`)
  switch (field.kind) {
    case 'text':
      return text
    case 'number': {
      const number = Number(text)
      if (text.trim() === '' || !Number.isFinite(number)) throw wrong('a number')
      return number
    }
    case 'flag':
      if (!/^(?:true|false)$/i.test(text)) throw wrong('true or false')
      return text.toLowerCase() === 'true'
    case 'word':
      if (!field.words.includes(text)) throw wrong(either(field.words))
      return text
    default:
      return readJson(text, field.kind, wrong)
  }
}

function readJson(text: string, kind: 'object' | 'array', wrong: (expected: string) => UsageError): unknown {
  const expected = kind === 'object' ? `a JSON object such as '{"command":"ls"}'` : 'a JSON array'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong(expected)
  }
  const found = Array.isArray(value) ? 'array' : value !== null && typeof value === 'object' ? 'object' : ''
  if (found !== kind) throw wrong(expected)
  return value
}
