// One page for each event.

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
import { canStop, capital, heldAgainst, MERGE_IN_WORDS, onAsk, onFailure, saysNothing } from './words.js'

export const eventPage = (spec: EventSpec): string =>
  page(
    `# ${spec.name}`,
    spec.summary,
    table(
      ['', ''],
      [
        ['Category', spec.category],
        ['Since version', spec.since],
        ['Stopping', canStop(spec)],
        ...(onAsk(spec) ? [['Asking', onAsk(spec)]] : []),
        ['When a hook fails', `${capital(onFailure(spec))}.`],
        ['A matcher is held against', heldAgainst(spec)],
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
    'What a version changes for all events is in [profiles](../profiles.md).',
  )

const schemaLinks = (spec: EventSpec) =>
  ['payload', 'answer']
    .map(kind => `[${kind}](../../../packages/hooks/schema/${kind}/${spec.name}.schema.json)`)
    .join(', ')

export function fieldTable(
  fields: Readonly<Record<string, v.GenericSchema>>,
  words = { head: 'when the host says nothing', required: 'required', absent: 'absent' },
): string {
  const rows = Object.entries(fields).map(([name, schema]) => {
    const json = asJsonSchema(schema)
    return [code(name), typeInWords(json), presence(schema, words), json.description ?? '']
  })
  return table(['field', 'type', words.head, 'meaning'], rows)
}

/** Required, absent, or a value that stands in. */
function presence(schema: v.GenericSchema, words: { required: string; absent: string }): string {
  if (schema.type !== 'optional') return words.required
  const value: unknown = v.getDefault(schema)
  return value === undefined ? words.absent : code(JSON.stringify(value))
}

function reads(spec: EventSpec): string[] {
  const common = Object.keys({ ...always, ...(spec.conversation ? conversation : {}) })
  const own = Object.keys(spec.payload).length > 0
  return [
    '## What a hook reads',
    own ? fieldTable(spec.payload) : 'No fields of its own.',
    `And the [common fields](../events.md#common-fields): ${codes(common)}.`,
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
  if (saysNothing(spec)) {
    return ['## What a hook may say', 'Nothing that is used. A hook may print `{}` or nothing at all.']
  }
  const rows = Object.entries(spec.answer as Record<string, ResponseField>).map(([name, field]) => [
    code(name),
    typeInWords(asJsonSchema(field.schema)),
    field.doc,
    MERGE_IN_WORDS[field.merge],
  ])
  return [
    '## What a hook may say',
    table(['field', 'type', 'meaning', 'of several hooks'], rows),
    ...(spec.loop === 'counts'
      ? [
          'A follow-up counts against the `loop_limit` of the hook: over it, the hook still runs and its follow-up is ignored.',
        ]
      : []),
    'All fields may be left out. How answers are joined: [merging](../merging.md).',
  ]
}

function fails(spec: EventSpec): string[] {
  if (spec.gate === 'none') {
    return [
      '## When a hook fails',
      'It is recorded, and nothing is stopped. `failClosed` has no effect here.',
    ]
  }
  const rows = (Object.keys(MISHAPS) as Mishap[]).map(mishap => [
    capital(MISHAPS[mishap]),
    ...CHOICES.map(choice => `the action ${effectOf(mishap, spec, choice)}`),
  ])
  return [
    '## When a hook fails',
    table(['what happened', 'no `failClosed`', '`failClosed: true`', '`failClosed: false`'], rows),
    'All of it on one page: [failures](../failures.md).',
  ]
}

function stopped({ blocked, denies, gate }: EventSpec): string[] {
  if (gate === 'none') return []
  const lines = [
    blocked?.user && `The person reads: ${code(blocked.user)}, followed by \`user_message\`.`,
    blocked?.agent && `The model reads: ${code(blocked.agent)}, followed by \`agent_message\`.`,
    blocked?.agentNote && `The model always reads at the end: ${code(blocked.agentNote)}`,
    blocked?.failedClosed && `When a failure is the reason, the text holds: ${code(blocked.failedClosed)}`,
    blocked?.code && `The error carries the code ${code(blocked.code)}.`,
    denies &&
      `The denied call is told as [postToolUseFailure](postToolUseFailure.md) of the tool ${code(denies.tool)} with \`failure_type\` \`permission_denied\`.`,
  ].filter(line => typeof line === 'string')
  return lines.length > 0 ? ['## When the action is stopped', list(lines)] : []
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
