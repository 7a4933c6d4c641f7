// What an event does to the loop of a conversation.

import type { EventSpec } from '../protocol/events.js'
import type { Verdict } from '../protocol/verdict.js'

/** One more follow-up in a row. */
export const causesFollowup = (spec: EventSpec, verdict: Verdict): boolean =>
  spec.loop === 'counts' && verdict.followupMessage !== null
