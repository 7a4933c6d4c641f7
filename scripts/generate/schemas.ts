// Generates JSON Schemas: hooks.json for editors, and the payload and response of each event.

import type * as v from 'valibot'
import { GUARDS, schemaOfOptions } from '../../packages/guards/src/index.js'
import { ENTRY_FIELDS, type EntryField, FILE_FIELDS } from '../../packages/hooks/src/protocol/config.js'
import { EVENT_NAMES, EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { payloadSchema } from '../../packages/hooks/src/protocol/payload.js'
import { RESPONSE_ALIASES, type ResponseField } from '../../packages/hooks/src/protocol/response-fields.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { entryOf, exampleFor, hooksJson } from './examples.js'
import { asJsonSchema, DRAFT, mapValues, orList, SCHEMA_HOST, type Schema } from './json-schema.js'
import {
  canStop,
  capital,
  isResponseIgnored,
  MERGE_IN_WORDS,
  matchSubject,
  onAsk,
  onFailure,
  unmarked,
} from './words.js'

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
  add('holdfast.schema.json', schemaOfOptions(GUARDS))
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
      isResponseIgnored(spec) ? 'The response is not used.' : 'Fields that are not listed are ignored.'
    }`,
    type: 'object',
    properties: mapValues(spec.answer as Record<string, ResponseField>, answerField),
    examples: [{}, ...answersIn(spec)],
  }
}

const answerField = (field: ResponseField, name: string): Schema => {
  const aliases = Object.keys(RESPONSE_ALIASES).filter(alias => RESPONSE_ALIASES[alias] === name)
  return {
    ...asJsonSchema(field.schema),
    description: unmarked(
      `${field.doc} Of several hooks: ${MERGE_IN_WORDS[field.merge]}.${
        aliases.length > 0 ? ` Also understood: ${aliases.join(', ')}.` : ''
      }`,
    ),
  }
}

/** The responses that the example script can print. */
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
    // Editors based on VS Code accept comments in a file with this schema.
    allowComments: true,
    type: 'object',
    required: ['hooks'],
    additionalProperties: false,
    properties: {
      $schema: {
        type: 'string',
        description: 'Address of this schema, for editors. ./hooks.schema.json is a copy beside this file.',
        examples: [`${SCHEMA_HOST}/hooks.schema.json`, './hooks.schema.json'],
      },
      version: { type: 'integer', enum: [1], default: 1, description: 'Version of the file format.' },
      ...mapValues(FILE_FIELDS as Record<string, EntryField>, entryField),
      hooks: {
        type: 'object',
        ...told('For each event the hooks that run, in order. Hooks of one event run at the same time.'),
        additionalProperties: false,
        errorMessage: `"hooks" maps names of events to arrays of hooks. The events: ${EVENT_NAMES.join(', ')}.`,
        properties: Object.fromEntries(EVENT_SPECS.map(spec => [spec.name, eventProperty(spec)])),
        default: {},
      },
    },
    defaultSnippets: [
      {
        label: 'hooks.json',
        description: 'A file with one hook',
        body: { version: 1, hooks: { [sample.name]: [snippetEntry(sample)] } },
      },
    ],
    examples: [hooksJson(sample, exampleFor(sample))],
    definitions: { ...mapValues(ENTRY_FIELDS as Record<string, EntryField>, entryField), ...entries() },
  }
}

/** Twice the same text: plain for every editor, and Markdown for editors that render it. */
const told = (text: string): Schema => ({ description: unmarked(text), markdownDescription: text })

const eventProperty = (spec: EventSpec): Schema => ({
  type: 'array',
  description: unmarked([spec.summary, ...fieldsOf(spec)].join(' ')),
  markdownDescription: [
    spec.summary,
    '',
    ...fieldsOf(spec).map(fact => `- ${fact}`),
    '',
    `More: docs/reference/events/${spec.name}.md, or \`holdfast schema payload ${spec.name}\``,
  ].join('\n'),
  items: { $ref: `#/definitions/${entryName(spec)}` },
  defaultSnippets: [
    { label: 'a program', description: exampleFor(spec).does, body: [snippetEntry(spec)] },
    { label: 'a question to a model', body: [PROMPT_SNIPPET] },
  ],
  examples: [[entryOf(exampleFor(spec))]],
})

const fieldsOf = (spec: EventSpec): string[] =>
  [
    canStop(spec),
    onAsk(spec),
    `When a hook fails, ${onFailure(spec)}.`,
    `A matcher is matched against ${matchSubject(spec)}.`,
    isResponseIgnored(spec)
      ? 'Answers are not used.'
      : `A hook may answer with ${orList(Object.keys(spec.answer).map(name => `\`${name}\``))}.`,
    // The text above already describes the effect of a failure.
    ...(spec.notes ?? []).filter(note => !note.includes('failClosed')),
    spec.isOurs ? 'Not an event of Cursor.' : `Since version ${spec.since}.`,
  ].filter(fact => fact !== '')

/** VS Code snippet syntax: ${1:…} is the first place to fill in. */
const snippetEntry = (spec: EventSpec) => ({
  command: `.cursor/hooks/\${1:${exampleFor(spec).name}}.sh`,
  ...(spec.gate === 'permission' ? { failClosed: true } : {}),
  ...(spec.loop === 'counts' ? { loop_limit: 1 } : {}),
})

const PROMPT_SNIPPET = { type: 'prompt', prompt: '${1:Is this fine?} \\$ARGUMENTS' }

const entryField = (field: EntryField, name: string): Schema => ({
  ...asJsonSchema(field.schema),
  description: field.doc,
  ...(field.default === undefined ? {} : { default: field.default }),
  ...MORE[name],
})

/** Keys that only editors read. */
const MORE: Readonly<Record<string, Schema>> = {
  command: {
    examples: ['.cursor/hooks/guard.sh', 'node .cursor/hooks/guard.cjs', 'python3 .cursor/hooks/guard.py'],
  },
  type: {
    enumDescriptions: [
      'Starts the program in "command".',
      'Puts the question in "prompt" to a model.',
      'Sends the payload to the server in "url".',
    ],
  },
  prompt: { examples: ['Does this command change only files inside the project? $ARGUMENTS'] },
  timeout: { examples: [5, 60] },
  loop_limit: { examples: [1, 5, null] },
}

const entryName = (spec: EventSpec) => `${spec.name}Hook`

const entries = (): Record<string, Schema> =>
  Object.fromEntries(EVENT_SPECS.map(spec => [entryName(spec), entry(spec)]))

/** The keys of one entry for one event. Keys without effect there are marked, as in the engine. */
function entry(spec: EventSpec): Schema {
  return {
    title: `A hook on ${spec.name}`,
    description: spec.summary,
    type: 'object',
    additionalProperties: false,
    properties: mapValues(ENTRY_FIELDS as Record<string, EntryField>, (field, name) =>
      property(spec, name, field),
    ),
    ...whenType('prompt', 'prompt', whenType('http', 'url', { required: ['command'] })),
    defaultSnippets: [
      { label: 'a program', description: exampleFor(spec).does, body: snippetEntry(spec) },
      { label: 'a question to a model', body: PROMPT_SNIPPET },
    ],
  }
}

/** The required key of one type, and the schema of the others. */
const whenType = (type: string, key: string, otherwise: Schema): Schema => ({
  if: { properties: { type: { const: type } }, required: ['type'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: [key] },
  else: otherwise,
})

function property(spec: EventSpec, name: string, field: EntryField): Schema {
  const isUseless = WITHOUT_EFFECT[name]?.(spec)
  if (isUseless)
    return { not: {}, doNotSuggest: true, errorMessage: `"${name}" has no effect on ${spec.name}.` }
  if (name === 'matcher') {
    const { matcher } = exampleFor(spec)
    return {
      ...entryField(field, name),
      ...told(`${field.doc} The subject here: ${matchSubject(spec)}.`),
      ...(matcher === undefined ? {} : { examples: [matcher] }),
    }
  }
  if (name === 'failClosed') {
    const unsaid = `${capital(unmarked(onFailure(spec)).split(', unless')[0]!)} when this is absent.`
    return {
      ...entryField(field, name),
      description: `${field.doc} ${unsaid}`,
      default: spec.failure === 'closed',
    }
  }
  return { $ref: `#/definitions/${name}` }
}

/** The same rules as in the engine's check of an entry. */
const WITHOUT_EFFECT: Readonly<Record<string, (spec: EventSpec) => boolean>> = {
  loop_limit: spec => spec.loop !== 'counts',
  failClosed: spec => spec.gate === 'none',
  async: spec => spec.gate !== 'none',
  matcher: spec => 'none' in spec.subject,
}
