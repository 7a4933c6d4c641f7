// The page about the effects of a failed hook on the action, for all events.

import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { PROFILE_NAMES, PROFILES } from '../../packages/hooks/src/protocol/profiles.js'
import { eventLink } from './events-page.js'
import { CHOICES, effectOf, MISHAPS, type Mishap } from './failure-effects.js'
import { code, list, page, table } from './markdown.js'
import { capital } from './words.js'

const withGate = (gate: EventSpec['gate'], failure?: EventSpec['failure']) =>
  EVENT_SPECS.filter(spec => spec.gate === gate && (failure === undefined || spec.failure === failure))

const GROUPS: readonly { title: string; specs: readonly EventSpec[] }[] = [
  { title: 'Permission events that fail open', specs: withGate('permission', 'open') },
  { title: 'Permission events that fail closed', specs: withGate('permission', 'closed') },
  { title: 'Events with `continue`', specs: withGate('continue') },
]

export const failuresPage = (): string =>
  page(
    '# When a hook fails',
    'A hook without a valid response has failed. A failure either stops the action or lets it proceed. A well-formed deny is never lost, whatever else fails.',
    ...GROUPS.filter(({ specs }) => specs.length > 0).flatMap(({ title, specs }) => [
      `## ${title}`,
      `${specs.map(({ name }) => eventLink(name)).join(', ')}.`,
      effects(specs[0]!),
    ]),
    '## All other events',
    `${withGate('none')
      .map(({ name }) => eventLink(name))
      .join(', ')}.`,
    'Hooks cannot stop anything on these events. A failure is recorded, and `failClosed` has no effect.',
    '## What counts as what',
    list([
      'Exit code 2 is not a failure but a deny. Its messages are those of the JSON on stdout, else stderr, else stdout.',
      'The response is the JSON object at the end of stdout. Text before it is ignored, with a note.',
      'A known field with a wrong type or value makes the response invalid. Unknown fields do not.',
      '`{}` is a valid response that abstains. So is printing nothing, unless the entry has `failClosed: true`: then the hook must respond.',
      'If the model of a prompt hook is not available, takes too long or gives an invalid response, this counts as a crash.',
      'A matcher that cannot be compiled is not a failure: on permission events the hook then runs for every event.',
    ]),
    'Every failure has a [code](codes.md#failures-of-a-run).',
    '## In other versions',
    'Effect of failures on `beforeShellExecution` for an entry without `failClosed`:',
    versions(),
    '[Profiles](profiles.md) has the other differences.',
  )

const rows = Object.keys(MISHAPS) as Mishap[]

const effects = (spec: EventSpec): string =>
  table(
    ['what happened', 'no `failClosed`', '`failClosed: true`', '`failClosed: false`'],
    rows.map(mishap => [
      capital(MISHAPS[mishap]),
      ...CHOICES.map(choice => `the action ${effectOf(mishap, spec, choice)}`),
    ]),
  )

function versions(): string {
  const spec = withGate('permission').find(({ name }) => name === 'beforeShellExecution')!
  return table(
    ['what happened', ...PROFILE_NAMES.map(code)],
    rows
      .filter(mishap => mishap !== 'deny')
      .map(mishap => [
        capital(MISHAPS[mishap]),
        ...PROFILE_NAMES.map(name => effectOf(mishap, spec, undefined, PROFILES[name])),
      ]),
  )
}
