// JSON Schemas: hooks.json for editors, and for each event what a hook reads and what it may say.

import type * as v from 'valibot'
import { ANSWER_ALIASES, type AnswerField } from '../../packages/hooks/src/protocol/answer.js'
import { ENTRY_FIELDS, type EntryField } from '../../packages/hooks/src/protocol/config.js'
import { EVENT_NAMES, EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { payloadSchema } from '../../packages/hooks/src/protocol/payload.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { entryOf, exampleFor, hooksJson } from './examples.js'
import { asJsonSchema, DRAFT, mapValues, SCHEMA_HOST, type Schema } from './json-schema.js'
import { canStop, capital, heldAgainst, MERGE_IN_WORDS, onFailure, saysNothing, unmarked } from './words.js'

export const SCHEMA_FOLDER = 'packages/hooks/schema'

/** Path from the repository → content. */
export function schemas(): Map<string, string> {
  const files = new Map<string, string>()
  const add = (path: string, schema: Schema) =>
    files.set(
      `${SCHEMA_FOLDER}/${path}`,
      `${JSON.stringify({ $schema: DRAFT, $id: `${SCHEMA_HOST}/${path}`, ...schema }, null, 2)}\n`,
    )
  add('hooks.schema.json', hooksSchema())
  for (const spec of EVENT_SPECS) {
    add(`payload/${spec.name}.schema.json`, payload(spec))
    add(`answer/${spec.name}.schema.json`, answer(spec))
  }
  return files
}

function payload(spec: EventSpec): Schema {
  const { type, properties, required } = asJsonSchema(payloadSchema(spec) as unknown as v.GenericSchema)
  return {
    title: `${spec.name}: what a hook reads`,
    description: `${spec.summary} A default is what hooks see when the host says nothing. Further fields may be there.`,
    type: type!,
    required: required!,
    properties: { ...properties, hook_event_name: { const: spec.name, description: 'The event.' } },
    examples: [samplePayload(spec.name)],
  }
}

function answer(spec: EventSpec): Schema {
  return {
    title: `${spec.name}: what a hook may say`,
    description: `${spec.summary} ${unmarked(canStop(spec))} ${
      saysNothing(spec) ? 'Nothing that is said here is used.' : 'Fields that are not listed are ignored.'
    }`,
    type: 'object',
    properties: mapValues(spec.answer as Record<string, AnswerField>, answerField),
    examples: [{}, ...answersIn(spec)],
  }
}

const answerField = (field: AnswerField, name: string): Schema => {
  const aliases = Object.keys(ANSWER_ALIASES).filter(alias => ANSWER_ALIASES[alias] === name)
  return {
    ...asJsonSchema(field.schema),
    description: unmarked(
      `${field.doc} Of several hooks: ${MERGE_IN_WORDS[field.merge]}.${
        aliases.length > 0 ? ` Also understood: ${aliases.join(', ')}.` : ''
      }`,
    ),
  }
}

/** The answers that the example script can print. */
const answersIn = (spec: EventSpec): unknown[] =>
  [...exampleFor(spec).script.matchAll(/echo '(\{.+\})'/g)]
    .map(([, json]) => JSON.parse(json!) as unknown)
    .filter(value => Object.keys(value as object).length > 0)

function hooksSchema(): Schema {
  const sample = EVENT_SPECS.find(spec => spec.name === 'beforeShellExecution') ?? EVENT_SPECS[0]!
  return {
    title: 'hooks.json',
    description:
      'Hooks of a coding agent: programs and questions that run when something happens, and may stop it.',
    type: 'object',
    required: ['hooks'],
    additionalProperties: false,
    properties: {
      $schema: { type: 'string', description: 'Address of this schema, for editors.' },
      version: { type: 'integer', enum: [1], default: 1, description: 'Version of the file format.' },
      hooks: {
        type: 'object',
        description: 'For each event the hooks that run, in order.',
        additionalProperties: false,
        errorMessage: `"hooks" maps names of events to arrays of hooks. The events: ${EVENT_NAMES.join(', ')}.`,
        properties: Object.fromEntries(EVENT_SPECS.map(spec => [spec.name, eventProperty(spec)])),
        default: {},
      },
    },
    examples: [hooksJson(sample, exampleFor(sample))],
    definitions: { ...mapValues(ENTRY_FIELDS as Record<string, EntryField>, entryField), ...entries() },
  }
}

const eventProperty = (spec: EventSpec): Schema => ({
  type: 'array',
  description: [
    spec.summary,
    unmarked(canStop(spec)),
    `A matcher is held against ${unmarked(heldAgainst(spec))}.`,
    `When a hook fails, ${unmarked(onFailure(spec))}.`,
    saysNothing(spec)
      ? 'Answers are not used.'
      : `A hook may answer with: ${Object.keys(spec.answer).join(', ')}.`,
    `Since version ${spec.since}.`,
  ].join(' '),
  items: { $ref: `#/definitions/${entryName(spec)}` },
  examples: [[entryOf(exampleFor(spec))]],
})

const entryField = (field: EntryField): Schema => ({
  ...asJsonSchema(field.schema),
  description: field.doc,
  ...(field.default === undefined ? {} : { default: field.default }),
})

const entryName = (spec: EventSpec) => `${spec.name}Hook`

const entries = (): Record<string, Schema> =>
  Object.fromEntries(EVENT_SPECS.map(spec => [entryName(spec), entry(spec)]))

/** The keys of one entry on one event. What has no effect there is marked, as the engine does. */
function entry(spec: EventSpec): Schema {
  return {
    title: `A hook on ${spec.name}`,
    type: 'object',
    additionalProperties: false,
    properties: mapValues(ENTRY_FIELDS as Record<string, EntryField>, (field, name) =>
      property(spec, name, field),
    ),
    if: { properties: { type: { const: 'prompt' } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['prompt'] },
    else: { required: ['command'] },
  }
}

function property(spec: EventSpec, name: string, field: EntryField): Schema {
  const isUseless = WITHOUT_EFFECT[name]?.(spec)
  if (isUseless)
    return { not: {}, doNotSuggest: true, errorMessage: `"${name}" has no effect on ${spec.name}.` }
  if (name === 'matcher') {
    return {
      ...entryField(field),
      description: `${field.doc} The subject here: ${unmarked(heldAgainst(spec))}.`,
    }
  }
  if (name === 'failClosed') {
    const unsaid = `${capital(unmarked(onFailure(spec)).split(', unless')[0]!)} when this is absent.`
    return { ...entryField(field), description: `${field.doc} ${unsaid}`, default: spec.failure === 'closed' }
  }
  return { $ref: `#/definitions/${name}` }
}

/** The same rules as in the engine's own check of an entry. */
const WITHOUT_EFFECT: Readonly<Record<string, (spec: EventSpec) => boolean>> = {
  loop_limit: spec => spec.loop !== 'counts',
  failClosed: spec => spec.gate === 'none',
  matcher: spec => 'none' in spec.subject,
}
