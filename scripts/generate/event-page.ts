// The page of one event.

import * as v from 'valibot'
import type { EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { always, conversation } from '../../packages/hooks/src/protocol/fields.js'
import type { ResponseField } from '../../packages/hooks/src/protocol/response-fields.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { differences } from './differences.js'
import { exampleFor, hooksJson, scriptPath, scriptText } from './examples.js'
import { CHOICES, effectOf, MISHAPS, type Mishap } from './failure-effects.js'
import { asJsonSchema, typeInWords } from './json-schema.js'
import { code, codes, fenced, json, list, page, table } from './markdown.js'
import {
  canStop,
  capital,
  isResponseIgnored,
  MERGE_IN_WORDS,
  matchSubject,
  onAsk,
  onFailure,
} from './words.js'

const ONLY_HERE = 'none of Cursor: only the profile `holdfast` has it'

export const eventPage = (spec: EventSpec): string =>
  page(
    `# ${spec.name}`,
    spec.summary,
    table(
      ['', ''],
      [
        ['Category', spec.category],
        ['Since version', spec.isOurs ? ONLY_HERE : spec.since],
        ['Stopping', canStop(spec)],
        ...(onAsk(spec) ? [['Asking', onAsk(spec)]] : []),
        ['When a hook fails', `${capital(onFailure(spec))}.`],
        ['A matcher is matched against', matchSubject(spec)],
        ['Schemas', schemaLinks(spec)],
      ],
    ),
    spec.notes && list(spec.notes),
    ...reads(spec),
    ...says(spec),
    ...fails(spec),
    ...stopped(spec),
    ...example(spec),
    '## In other versions',
    list(differences(spec)),
    '[Profiles](../profiles.md) lists what a version changes for all events.',
  )

const schemaLinks = (spec: EventSpec) =>
  ['payload', 'answer']
    .map(kind => `[${kind}](../../../packages/hooks/schema/${kind}/${spec.name}.schema.json)`)
    .join(', ')

export function fieldTable(
  fields: Readonly<Record<string, v.GenericSchema>>,
  words = { head: 'without a value', required: 'required', absent: 'absent' },
): string {
  const rows = Object.entries(fields).map(([name, schema]) => {
    const json = asJsonSchema(schema)
    return [code(name), typeInWords(json), presence(schema, words), json.description ?? '']
  })
  return table(['field', 'type', words.head, 'meaning'], rows)
}

/** Required, absent, or the default value. */
function presence(schema: v.GenericSchema, words: { required: string; absent: string }): string {
  if (schema.type !== 'optional') return words.required
  const value: unknown = v.getDefault(schema)
  return value === undefined ? words.absent : code(JSON.stringify(value))
}

function reads(spec: EventSpec): string[] {
  const common = Object.keys({ ...always, ...(spec.conversation ? conversation : {}) })
  const own = Object.keys(spec.payload).length > 0
  return [
    '## Payload',
    own ? fieldTable(spec.payload) : 'This event has no fields of its own.',
    `It also has the [common fields](../events.md#common-fields): ${codes(common)}.`,
    ...(spec.accepts
      ? [
          `A host may also write ${Object.entries(spec.accepts)
            .map(([old, name]) => `${code(old)} for ${code(name)}`)
            .join(', ')}; hooks read the names above.`,
        ]
      : []),
    ...(spec.sensitive
      ? [
          `The log can leave out: ${Object.entries(spec.sensitive)
            .map(([field, kind]) => `${code(field)} (${kind})`)
            .join(', ')}.`,
        ]
      : []),
    'An example:',
    json(samplePayload(spec.name)),
  ]
}

function says(spec: EventSpec): string[] {
  if (isResponseIgnored(spec)) {
    return ['## Response', 'The response is not used. A hook may print `{}` or nothing.']
  }
  const rows = Object.entries(spec.answer as Record<string, ResponseField>).map(([name, field]) => [
    code(name),
    typeInWords(asJsonSchema(field.schema)),
    field.doc,
    MERGE_IN_WORDS[field.merge],
  ])
  return [
    '## Response',
    table(['field', 'type', 'meaning', 'from several hooks'], rows),
    ...(spec.loop === 'counts'
      ? [
          'Each follow-up counts towards the `loop_limit` of the hook. Beyond the limit the hook still runs, and its follow-up is ignored.',
        ]
      : []),
    'All fields are optional. [Merging](../merging.md) describes how responses are combined.',
  ]
}

function fails(spec: EventSpec): string[] {
  if (spec.gate === 'none') {
    return ['## Failures', 'A failure is recorded and stops nothing. `failClosed` has no effect here.']
  }
  const rows = (Object.keys(MISHAPS) as Mishap[]).map(mishap => [
    capital(MISHAPS[mishap]),
    ...CHOICES.map(choice => `the action ${effectOf(mishap, spec, choice)}`),
  ])
  return [
    '## Failures',
    table(['failure', 'no `failClosed`', '`failClosed: true`', '`failClosed: false`'], rows),
    '[Failures](../failures.md) lists all events.',
  ]
}

function stopped({ blocked, denies, gate }: EventSpec): string[] {
  if (gate === 'none') return []
  const lines = [
    blocked?.user && `The user reads: ${code(blocked.user)}, followed by \`user_message\`.`,
    blocked?.agent && `The model reads: ${code(blocked.agent)}, followed by \`agent_message\`.`,
    blocked?.agentNote && `The model always reads at the end: ${code(blocked.agentNote)}`,
    blocked?.failedClosed && `If a failure is the reason, the text contains: ${code(blocked.failedClosed)}`,
    blocked?.code && `The code of the error is ${code(blocked.code)}.`,
    denies &&
      `The denied call is reported as [postToolUseFailure](postToolUseFailure.md) of the tool ${code(denies.tool)} with \`failure_type\` \`permission_denied\`.`,
  ].filter(line => typeof line === 'string')
  return lines.length > 0 ? ['## Effect of a deny', list(lines)] : []
}

function example(spec: EventSpec): string[] {
  const it = exampleFor(spec)
  return [
    '## Example',
    `A hook that ${it.does}. In \`.cursor/hooks.json\`:`,
    json(hooksJson(spec, it)),
    `In \`${scriptPath(it)}\`, with the execute bit set:`,
    fenced('sh', scriptText(it)),
  ]
}
