// How several answers become one.

import { EVENT_SPECS } from '../../packages/hooks/src/protocol/events.js'
import {
  DECISION_WORDS,
  RESPONSE_ALIASES,
  RESPONSE_FIELDS,
  type ResponseField,
} from '../../packages/hooks/src/protocol/response-fields.js'
import { eventLink } from './events-page.js'
import { asJsonSchema, typeInWords } from './json-schema.js'
import { code, json, list, page, table } from './markdown.js'
import { MERGE_IN_WORDS } from './words.js'

/** The second spelling of a field for events that cannot ask is the same field to a reader. */
const fields = Object.entries(RESPONSE_FIELDS as Record<string, ResponseField>).filter(([name]) =>
  EVENT_SPECS.some(spec => name in spec.answer),
)

const withoutAsk = (): string =>
  EVENT_SPECS.filter(spec => spec.ask === 'invalid')
    .map(spec => eventLink(spec.name))
    .join(' and ')

export const mergingPage = (): string =>
  page(
    '# Several hooks, one verdict',
    'All matching hooks of all sources run. Their answers are joined in configured order, highest source first, so the outcome never depends on which hook was faster. Two laws:',
    list([
      '**A deny is never lost.** Not to another hook, an exit code, a timeout or noise on stdout.',
      '**Influence flows down, never up.** Nothing that a lower source says loosens or replaces what a higher source said.',
    ]),
    '## Field by field',
    table(
      ['field', 'type', 'meaning', 'of several hooks', 'on'],
      fields.map(([name, field]) => [
        code(name),
        typeInWords(asJsonSchema(field.schema)),
        field.doc,
        MERGE_IN_WORDS[field.merge],
        EVENT_SPECS.filter(spec => name in spec.answer)
          .map(spec => eventLink(spec.name))
          .join(', '),
      ]),
    ),
    `${withoutAsk()} take \`allow\` and \`deny\` only.`,
    '## What follows from it',
    list([
      '`continue: false` is a deny, also where the event uses `permission`.',
      'The messages are those of the hooks whose decision is the verdict. When one hook denies and another allows, only the text of the deny is shown.',
      'A hook without an opinion changes nothing. When no hook has one, the texts of all are kept.',
      '`updated_input` replaces the keys that it names and leaves the others. Of several, one counts as a whole; they are not mixed.',
      'What is stopped is not changed: with a deny, `updated_input`, `additional_context` and `env` are dropped.',
      '`allow` is a grant: the host need not ask again. A host can narrow which sources may grant.',
      'A host that cannot ask anybody turns `ask` into a deny that says so.',
      'A hook of a team that only [observes](hooks-json.md#the-manifest-of-a-team) has no part in any of this.',
    ]),
    '## An example',
    "The project allows with a changed input, the person's own hook asks, and the enterprise denies:",
    json([
      { permission: 'deny', user_message: 'Not on this machine.' },
      { permission: 'allow', updated_input: { command: 'npm test' } },
      { permission: 'ask', user_message: 'Really?' },
    ]),
    'The verdict is a deny with the message "Not on this machine." Without the enterprise hook it would be an ask with the message "Really?" and the changed input.',
    '## Other spellings',
    'They are understood, and the run carries a note.',
    table(
      ['written', 'read as'],
      [
        ...Object.entries(RESPONSE_ALIASES).map(([alias, name]) => [code(alias), code(name)]),
        ...Object.entries(DECISION_WORDS).map(([word, permission]) => [
          code(`decision: "${word}"`),
          code(`permission: "${permission}"`),
        ]),
        ['`reason`, beside `decision`', '`user_message` and `agent_message`, where they are absent'],
        ['`hookSpecificOutput` of Claude hooks', 'the flat fields'],
      ],
    ),
    'Other versions join in other ways: see [profiles](profiles.md).',
  )
