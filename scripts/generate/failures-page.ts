// What a failed hook does to the action, all events together.

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
    'A hook that does not answer as it should is a failure, and a failure has an effect: it stops the action, or lets it go on. One thing holds everywhere: a well-formed deny is never lost, whatever else went wrong.',
    ...GROUPS.filter(({ specs }) => specs.length > 0).flatMap(({ title, specs }) => [
      `## ${title}`,
      `${specs.map(({ name }) => eventLink(name)).join(', ')}.`,
      effects(specs[0]!),
    ]),
    '## All other events',
    `${withGate('none')
      .map(({ name }) => eventLink(name))
      .join(', ')}.`,
    'Nothing can be stopped there. A failure is recorded, and `failClosed` has no effect.',
    '## What counts as what',
    list([
      'Exit code 2 is not a failure but a deny. Its messages are those of the JSON on stdout, else stderr, else stdout.',
      'The answer is the last JSON object that ends stdout. Text before it is noted and ignored.',
      'A field that the event knows with a type or value that it does not know makes the answer invalid. Unknown fields do not.',
      '`{}` is a valid answer without an opinion. So is printing nothing, unless the entry says `failClosed: true`: then the hook must answer.',
      'A prompt hook whose model cannot be asked, takes too long or answers badly has failed like a crash.',
      'A matcher that cannot be compiled is no failure of a run: on permission events the hook then runs always.',
    ]),
    'Every failure has a [code](codes.md#failures-of-a-run).',
    '## In other versions',
    'What an entry without `failClosed` meets on `beforeShellExecution`:',
    versions(),
    'More in [profiles](profiles.md).',
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
