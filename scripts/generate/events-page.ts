// The page of all events, with their common fields.

import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { always, conversation } from '../../packages/hooks/src/protocol/fields.js'
import { fieldTable } from './event-page.js'
import { code, page, table } from './markdown.js'
import { capital, matchSubject } from './words.js'

const STOPS = { permission: 'with `permission`', continue: 'with `continue`', none: 'no' } as const
const ASKS = {
  asks: 'asks the user',
  denies: 'counts as deny',
  invalid: 'not a valid word',
  none: '–',
} as const
const FAILS = { open: 'proceeds', closed: 'is stopped', recorded: 'recorded' } as const

const CATEGORIES: Readonly<Record<EventSpec['category'], string>> = {
  agent: 'Of the agent',
  tab: 'Of inline completion',
  app: 'Of the application',
}

const SENT = { head: 'sent', required: 'always', absent: 'when the host knows it' }

export const eventsPage = (): string =>
  page(
    '# Events',
    `There are ${EVENT_SPECS.length}. The column "a failure" gives the effect if a hook fails and its entry has no \`failClosed\`.`,
    ...(Object.keys(CATEGORIES) as EventSpec['category'][]).flatMap(category => [
      `## ${CATEGORIES[category]}`,
      eventTable(EVENT_SPECS.filter(spec => spec.category === category)),
    ]),
    '## Common fields',
    'Every event carries:',
    fieldTable(always, SENT),
    'Every event of a conversation also has:',
    fieldTable(conversation, SENT),
    'A host passes most of these once, when it opens the engine or a session. The engine fills in other missing fields from the session, before any default: `cwd` (the first root), `loop_count`, `composer_mode`, `is_background_agent` and `parent_conversation_id`.',
    '## Several events for one call',
    'A tool call raises the general event and the specific one: `preToolUse`, then for example `beforeShellExecution`; after it `afterShellExecution`, then `postToolUse`, or `postToolUseFailure` when it failed or was denied. The specific event receives the input with the changes of `preToolUse` hooks.',
  )

const eventTable = (specs: readonly EventSpec[]): string =>
  table(
    ['event', 'since', 'when', 'can stop', '`ask`', 'a failure', 'a matcher is matched against'],
    specs.map(spec => [
      `[${spec.name}](events/${spec.name}.md)`,
      spec.isOurs ? 'Holdfast' : spec.since,
      firstSentence(spec.summary),
      STOPS[spec.gate],
      ASKS[spec.ask],
      FAILS[spec.failure],
      matchSubject(spec),
    ]),
  )

const firstSentence = (text: string): string => capital(text.split('. ')[0]!.replace(/\.$/, ''))

export const eventLink = (name: string): string => `[${code(name)}](events/${name}.md)`
