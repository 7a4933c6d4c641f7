// The two ends of a turn: a message goes to the model if hooks let it, and hooks hear that the agent stopped.

import { type EventFields, HookBlockedError } from '@holdfast/hooks'
import type { Worked } from './conversation.js'
import type { Scene } from './scene.js'
import type { Usage } from './usage.js'

/** Throws HookBlockedError when hooks keep the message back. */
export async function submit(
  { session }: Scene,
  fields: EventFields<'beforeSubmitPrompt'>,
  signal: AbortSignal | undefined,
  automatic = false,
): Promise<void> {
  await session.guard('beforeSubmitPrompt', fields, { automatic, ...(signal ? { signal } : {}) })
}

export interface Stopped {
  readonly status: Worked['status']
  readonly usage: Usage
}

/** Tells that the agent stopped. Returns the message to go on with, if there is one and it may be sent. */
export async function stopped(
  scene: Scene,
  { status, usage }: Stopped,
  signal: AbortSignal | undefined,
  notice: (text: string) => void,
): Promise<string | null> {
  // Hooks that run after a denial belong to this turn.
  await scene.session.settled()
  const { followupMessage } = await scene.session.fire('stop', { status, ...usage })
  if (followupMessage === null || status !== 'completed') return null
  try {
    await submit(scene, { prompt: followupMessage }, signal, true)
    return followupMessage
  } catch (error) {
    if (HookBlockedError.isInstance(error)) notice(error.userMessage)
    else if (!signal?.aborted) throw error
    return null
  }
}
