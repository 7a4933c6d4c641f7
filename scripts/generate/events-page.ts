// All events on one page, and what all of them carry.

import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { always, conversation } from '../../packages/hooks/src/protocol/fields.js'
import { fieldTable } from './event-page.js'
import { code, page, table } from './markdown.js'
import { capital, heldAgainst } from './words.js'

const STOPS = { permission: 'with `permission`', continue: 'with `continue`', none: 'no' } as const
const ASKS = {
  asks: 'asks the person',
  denies: 'counts as deny',
  invalid: 'not a valid word',
  none: '–',
} as const
const FAILS = { open: 'goes on', closed: 'is stopped', recorded: 'recorded' } as const

const CATEGORIES: Readonly<Record<EventSpec['category'], string>> = {
  agent: 'Of the agent',
  tab: 'Of inline completion',
  app: 'Of the application',
}

export const eventsPage = (): string =>
  page(
    '# Events',
    `There are ${EVENT_SPECS.length}. "A failure" is what becomes of the action when a hook fails and its entry has no \`failClosed\`.`,
    ...(Object.keys(CATEGORIES) as EventSpec['category'][]).flatMap(category => [
      `## ${CATEGORIES[category]}`,
      eventTable(EVENT_SPECS.filter(spec => spec.category === category)),
    ]),
    '## Common fields',
    'Every event carries:',
    fieldTable(always),
    'Every event of a conversation carries as well:',
    fieldTable(conversation),
    '"Required" means that the engine always sends the field. A host gives most of them once, when it opens the engine or a session.',
    '## Several events for one call',
    'A tool call raises the general event and the specific one: `preToolUse`, then for example `beforeShellExecution`; after it `afterShellExecution`, then `postToolUse`, or `postToolUseFailure` when it failed or was denied. The specific event sees the input as `preToolUse` hooks changed it.',
  )

const eventTable = (specs: readonly EventSpec[]): string =>
  table(
    ['event', 'since', 'when', 'can stop', '`ask`', 'a failure', 'a matcher is held against'],
    specs.map(spec => [
      `[${spec.name}](events/${spec.name}.md)`,
      spec.since,
      firstSentence(spec.summary),
      STOPS[spec.gate],
      ASKS[spec.ask],
      FAILS[spec.failure],
      heldAgainst(spec),
    ]),
  )

const firstSentence = (text: string): string => capital(text.split('. ')[0]!.replace(/\.$/, ''))

export const eventLink = (name: string): string => `[${code(name)}](events/${name}.md)`
