// Generates the payloads as Python types, for authors who check theirs.

import type * as v from 'valibot'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { payloadSchema } from '../../packages/hooks/src/protocol/payload.js'
import { commonFields } from './authoring-rows.js'
import { asJsonSchema, type Schema } from './json-schema.js'
import { capital, unmarked } from './words.js'

export const PYTHON_PAYLOADS = 'python/holdfast_hooks/payloads.py'

type Field = readonly [name: string, property: Schema]

/** Path from the repository → content. */
export function pythonPayloads(): Map<string, string> {
  const { always, conversation } = commonFields()
  const withIds = EVENT_SPECS.find(spec => spec.conversation)!
  const [anyEvent, inConversation] = [always, conversation].map(kinds =>
    fieldsOf(withIds).filter(([name]) => name in kinds),
  )
  const isCommon = (name: string) => name in always || name in conversation
  const text = `# Generated from the table of events by \`npm run generate\`. Do not edit.
"""What handlers get, as types. Import them for a type checker only: they cost time at each start.

    from __future__ import annotations

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from holdfast_hooks.payloads import BeforeShellExecution
"""

from __future__ import annotations

from typing import Any, Optional, TypedDict

${typedDict('AnyEvent', 'TypedDict', 'What every event carries.', anyEvent!)}

${typedDict('InConversation', 'AnyEvent', 'What every event of a conversation carries.', inConversation!)}

${EVENT_SPECS.map(spec =>
  typedDict(
    capital(spec.name),
    spec.conversation ? 'InConversation' : 'AnyEvent',
    spec.summary,
    fieldsOf(spec).filter(([name]) => !isCommon(name)),
  ),
).join('\n\n')}
`
  return new Map([[PYTHON_PAYLOADS, text]])
}

function fieldsOf(spec: EventSpec): Field[] {
  const { properties, required } = asJsonSchema(payloadSchema(spec) as unknown as v.GenericSchema)
  // Marks a field that may be absent, because JSON Schema lists required fields separately.
  return Object.entries(properties!).map(([name, property]) => [
    name,
    { ...property, optional: !required?.includes(name) },
  ])
}

/** In Python 3.9 only a whole class can have optional fields, hence a class in between. */
function typedDict(name: string, base: string, doc: string, fields: readonly Field[]): string {
  const [there, maybe] = [false, true].map(optional =>
    fields.filter(([, property]) => property.optional === optional),
  )
  const words = `    """${unmarked(doc)}"""`
  if (maybe!.length === 0) return `\nclass ${name}(${base}):\n${[words, ...there!.map(line)].join('\n\n')}`
  return `
class _${name}(${base}):
${there!.length > 0 ? there!.map(line).join('\n\n') : '    pass'}


class ${name}(_${name}, total=False):
${[words, ...maybe!.map(line)].join('\n\n')}`
}

const line = ([name, property]: Field): string =>
  `    ${name}: ${pythonType(property)}\n    """${unmarked(property.description ?? '').replace(/\bnull\b/g, 'None')}"""`

function pythonType(schema: Schema): string {
  if (Array.isArray(schema.type)) {
    return `Optional[${pythonType({ ...schema, type: schema.type.find(type => type !== 'null')! })}]`
  }
  if (schema.type === 'array') return `list[${schema.items ? pythonType(schema.items) : 'Any'}]`
  return PYTHON_TYPES[schema.type ?? ''] ?? 'Any'
}

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'float',
  boolean: 'bool',
  object: 'dict[str, Any]',
}
