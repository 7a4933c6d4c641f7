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

const SENT = { head: 'sent', required: 'always', absent: 'when the host knows it' }

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
    fieldTable(always, SENT),
    'Every event of a conversation carries as well:',
    fieldTable(conversation, SENT),
    'A host says most of this once, when it opens the engine or a session. Of the other fields the engine fills in what the session knows when the host leaves it out, before any default: `cwd` (the first root), `loop_count`, `composer_mode`, `is_background_agent` and `parent_conversation_id`.',
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
