// What an event does to the loop of a conversation.

import type { EventSpec } from '../protocol/events.js'
import type { Verdict } from '../protocol/verdict.js'

/** A message of the person begins a new count. A message that a hook caused does not. */
export const startsOver = (spec: EventSpec, automatic: boolean): boolean =>
  spec.loop === 'resets' && !automatic

/** One more follow-up in a row. */
export const causesFollowup = (spec: EventSpec, verdict: Verdict): boolean =>
  spec.loop === 'counts' && verdict.followupMessage !== null
