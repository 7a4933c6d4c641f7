// The JSON Schema of holdfast.json, from the options of the guards.

import type { Guard, Option } from './guard.js'

const typeOf = ({ type, values }: Option): object => {
  const text = values ? { enum: values } : { type: 'string' }
  switch (type) {
    case 'list':
      return { type: 'array', items: text }
    case 'text':
      return text
    case 'number':
      return { type: 'number', minimum: 0 }
    case 'switch':
      return { type: 'boolean' }
  }
}

export const schemaOfOptions = (guards: readonly Guard[]): Record<string, unknown> => ({
  title: 'Options of the guards (.cursor/holdfast.json)',
  description: 'Options and exceptions of the ready guards, beside hooks.json.',
  examples: [
    {
      guards: { shell: { strength: 'deny', topics: ['files', 'git'] } },
      allow: [{ rule: 'git/reset', reason: 'A throw-away clone.', expires: '2030-01-31' }],
    },
  ],
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    guards: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        guards.map(({ name, summary, options }) => [
          name,
          {
            description: summary,
            type: 'object',
            additionalProperties: false,
            properties: {
              strength: {
                description: 'deny, ask, or audit, which only reports.',
                enum: ['audit', 'ask', 'deny'],
                default: 'deny',
              },
              ...Object.fromEntries(
                Object.entries(options).map(([key, option]) => [
                  key,
                  { description: option.about, ...typeOf(option), default: option.default },
                ]),
              ),
            },
          },
        ]),
      ),
    },
    allow: {
      description: 'Exceptions, each with a reason and a last day.',
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['rule', 'reason', 'expires'],
        properties: {
          rule: { description: 'Such as files/delete-tree.', type: 'string', pattern: '^[a-z]+/[a-z-]+$' },
          command: { description: 'The exact command (default: all that the rule matches).', type: 'string' },
          reason: { type: 'string', pattern: '\\S' },
          expires: {
            description: 'The last day: YYYY-MM-DD.',
            type: 'string',
            pattern: '^\\d{4}-\\d\\d-\\d\\d$',
          },
        },
      },
    },
  },
})
