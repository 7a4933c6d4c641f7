// A turn: the model works, hooks are called when it stops, and may continue with a message. The caller passes the end
// of the turn, which differs between the two kinds of conversation.

import type { Conversation, Listening, Worked } from './conversation.js'

/** Calls hooks at the end of the work; returns the message to continue with, if there is one. */
export type Ending = (worked: Worked) => Promise<string | null>

export interface Turned extends Worked {
  /** Messages of hooks that the agent continued with. */
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
    // A turn that was aborted or failed is not continued.
    if (followup === null || worked.status !== 'completed') return { ...worked, followups }
    followups.push(followup)
    listening.onFollowup?.(followup, conversation.speaker)
    conversation.hear(followup)
  }
}
