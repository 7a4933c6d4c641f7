// A turn: the model works, hooks are told that it stopped, and may go on with a message. What the two kinds of
// conversation do differently at their end is handed in.

import type { Conversation, Listening, Worked } from './conversation.js'

/** Tells hooks how the work ended; returns the message to go on with, if there is one. */
export type Ending = (worked: Worked) => Promise<string | null>

export interface Turned extends Worked {
  /** Messages of hooks that the agent went on with. */
  readonly followups: readonly string[]
}

export async function runLoop(
  conversation: Conversation,
  listening: Listening,
  ending: Ending,
): Promise<Turned> {
  const followups: string[] = []
  for (;;) {
    const worked = await conversation.work(listening)
    const followup = await ending(worked)
    // Who was stopped, or cannot go on, is not sent on.
    if (followup === null || worked.status !== 'completed') return { ...worked, followups }
    followups.push(followup)
    listening.onFollowup?.(followup, conversation.speaker)
    conversation.hear(followup)
  }
}
