// Sentences that schemas and reference pages share, each generated from a row of the table.

import type { EventSpec } from '../../packages/hooks/src/protocol/events.js'
import type { MergeRule } from '../../packages/hooks/src/protocol/response-fields.js'

export const canStop = (spec: EventSpec): string =>
  ({
    permission: 'Hooks can stop the action with `permission`.',
    continue: 'Hooks can stop the action with `continue: false`.',
    none: 'Hooks cannot stop anything here.',
  })[spec.gate]

export const onAsk = (spec: EventSpec): string =>
  ({
    asks: '`ask` asks the user.',
    denies: '`ask` counts as `deny`.',
    invalid: '`ask` is not a valid value and makes the response invalid, which blocks.',
    none: '',
  })[spec.ask]

/** What happens when a hook crashes, times out or ends with an exit code that is neither 0 nor 2. */
export const onFailure = (spec: EventSpec): string =>
  ({
    open: 'the action proceeds, unless the entry has `failClosed: true`',
    closed: 'the action is stopped, unless the entry has `failClosed: false`',
    recorded: 'the failure is recorded and stops nothing',
  })[spec.failure]

export const matchSubject = (spec: EventSpec): string => spec.subject.doc

export const isResponseIgnored = (spec: EventSpec): boolean => Object.keys(spec.answer).length === 0

export const MERGE_IN_WORDS: Readonly<Record<MergeRule, string>> = {
  strictest: 'the strictest value: deny over ask over allow, false over true',
  deciders: 'the texts of the hooks that decided, in order, with a blank line between them',
  all: 'all texts, in order, with a blank line between them',
  highest: 'the value of the highest source that has one; within a source, the last',
  'highest-by-key': 'for each key, the value of the highest source that has one; within a source, the last',
  judged:
    'the value of the highest source that has one; within a source, the last. The other hooks then judge the new input',
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Removes Markdown syntax, for places that show plain text. */
export const unmarked = (text: string): string => text.replaceAll('`', '')
