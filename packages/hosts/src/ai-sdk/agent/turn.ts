// The two ends of a turn: hooks judge the message before the model receives it, and are called when the agent stops.

import { type EventFields, HookBlockedError } from '@holdfast/hooks'
import type { Worked } from './conversation.js'
import type { Scene } from './scene.js'
import type { Usage } from './usage.js'

/**
 * Returns the text to send: the message, which hooks may have rewritten, and the context that they add. Throws
 * HookBlockedError if hooks block the message.
 */
export async function submit(
  { session }: Scene,
  fields: EventFields<'beforeSubmitPrompt'>,
  signal: AbortSignal | undefined,
  automatic = false,
): Promise<string> {
  const options = { automatic, ...(signal ? { signal } : {}) }
  const { prompt, verdict } = await session.guard('beforeSubmitPrompt', fields, options)
  return verdict.additionalContext === null ? prompt : `${prompt}\n\n${verdict.additionalContext}`
}

export interface Stopped {
  readonly status: Worked['status']
  readonly usage: Usage
}

/** Fires the stop event. Returns the message to continue with, if there is one and hooks allow it. */
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
    return await submit(scene, { prompt: followupMessage }, signal, true)
  } catch (error) {
    if (HookBlockedError.isInstance(error)) notice(error.userMessage)
    else if (!signal?.aborted) throw error
    return null
  }
}
