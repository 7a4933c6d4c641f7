// The page about merging several responses.

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

/** For events that cannot ask, the second spelling of a field is the same field to a reader. */
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
    'All matching hooks of all sources run. Their responses are combined in configured order, highest source first, so the verdict never depends on which hook was faster. Two laws hold:',
    list([
      '**A deny is never lost.** No other hook, exit code, timeout or text on stdout overrides it.',
      '**Influence flows down, never up.** No response of a lower source loosens or replaces that of a higher source.',
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
    '## Consequences',
    list([
      '`continue: false` is a deny, also where the event uses `permission`.',
      'The messages are those of the hooks whose decision is the verdict. When one hook denies and another allows, only the text of the deny is shown.',
      'A hook that abstains changes nothing. When all abstain, the texts of all are kept.',
      '`updated_input` replaces the keys that it names and leaves the others. Of several, only one counts; they are not mixed.',
      'A deny drops `updated_input`, `additional_context` and `env`.',
      '`allow` is a grant: the host need not ask again. A host can restrict which sources may grant.',
      'A host that cannot ask turns `ask` into a deny that gives this reason.',
      'A team hook in [audit mode](hooks-json.md#the-manifest-of-a-team) has no effect on the verdict.',
    ]),
    '## An example',
    "The project allows with a changed input, the user's own hook asks, and the enterprise denies:",
    json([
      { permission: 'deny', user_message: 'Not on this machine.' },
      { permission: 'allow', updated_input: { command: 'npm test' } },
      { permission: 'ask', user_message: 'Really?' },
    ]),
    'The verdict is a deny with the message "Not on this machine." Without the enterprise hook it would be an ask with the message "Really?" and the changed input.',
    '## Other spellings',
    'The engine accepts these spellings and adds a note to the run.',
    table(
      ['written', 'read as'],
      [
        ...Object.entries(RESPONSE_ALIASES).map(([alias, name]) => [code(alias), code(name)]),
        ...Object.entries(DECISION_WORDS).map(([word, permission]) => [
          code(`decision: "${word}"`),
          code(`permission: "${permission}"`),
        ]),
        ['`reason`, beside `decision`', '`user_message` and `agent_message`, if they are absent'],
        ['`hookSpecificOutput` of Claude hooks', 'the flat fields'],
      ],
    ),
    'Other versions combine responses differently: see [profiles](profiles.md).',
  )
