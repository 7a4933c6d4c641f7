// Converts a Valibot schema to JSON Schema draft-07, tidied for human readers.

import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

export interface Schema {
  [keyword: string]: unknown
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
}

export const DRAFT = 'http://json-schema.org/draft-07/schema#'
export const SCHEMA_HOST = 'https://holdfast.dev/schema'

/** Describes the parsed value: a field with a default is always present. */
export function asJsonSchema(schema: v.GenericSchema): Schema {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    target: 'draft-07',
    typeMode: 'output',
    // Implied by JSON Schema: numbers are finite, an array is not an object.
    ignoreActions: ['finite', 'check'],
    // The table keeps its texts beside the schema.
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      'doc' in valibotSchema ? { ...jsonSchema, description: String(valibotSchema.doc) } : undefined,
  }) as Schema
  return tidy(rest)
}

/** `anyOf: [string, null]` becomes `type: [string, null]`; string keys are implied. */
function tidy(schema: Schema): Schema {
  const { additionalProperties, required, anyOf, properties, items, propertyNames: _, ...rest } = schema
  const isOpen =
    typeof additionalProperties !== 'object' || Object.keys(additionalProperties as object).length === 0
  const out: Schema = { ...rest }
  const [only, none, ...more] = anyOf ?? []
  if (only && none?.type === 'null' && more.length === 0 && typeof only.type === 'string') {
    const { type, ...others } = tidy(only)
    Object.assign(out, others, { type: [type, 'null'] })
  } else if (anyOf) out.anyOf = anyOf.map(tidy)
  if (properties) {
    const present = Object.keys(properties).filter(
      key => required?.includes(key) || 'default' in properties[key]!,
    )
    if (present.length > 0) out.required = present
    out.properties = mapValues(properties, tidy)
  }
  if (items) out.items = tidy(items)
  if (!isOpen) out.additionalProperties = tidy(additionalProperties as Schema)
  return out
}

export const mapValues = <A, B>(object: Readonly<Record<string, A>>, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** The type of a field in words: `string or null`, `"auto" or "manual"`, `array of { id, value }`. */
export function typeInWords(schema: Schema): string {
  if (schema.enum) return orList(schema.enum.map(value => `\`${JSON.stringify(value)}\``))
  if (Array.isArray(schema.type)) return orList(schema.type)
  if (schema.type === 'array') {
    const item = schema.items ?? {}
    if (item.properties) return `array of \`{ ${Object.keys(item.properties).join(', ')} }\``
    return typeof item.type === 'string' ? `array of ${item.type}s` : 'array'
  }
  if (schema.type === 'object' && schema.additionalProperties) {
    return `object of ${(schema.additionalProperties as Schema).type}s`
  }
  return typeof schema.type === 'string' ? schema.type : 'anything'
}

export const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
