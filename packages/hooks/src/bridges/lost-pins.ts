// The denials for gates that a session lost: one for each event that they would have judged.

import type { Hooks } from '../index.js'
import type { LostPin } from './pins.js'

const NAME = 'built in: session guards'

/** Denies the events that the lost gate would have judged. */
export function denyLost(hooks: Hooks, one: LostPin): void {
  const { event, matcher } = one.pin
  const { user, agent } = describeLost([one])
  const response =
    event === 'beforeSubmitPrompt'
      ? { continue: false, user_message: user }
      : { permission: 'deny', user_message: user, agent_message: agent }
  hooks.register({
    event: event as 'preToolUse',
    source: 'enterprise',
    name: NAME,
    failClosed: true,
    // A gate whose pattern cannot be compiled judges every event.
    ...(matcher ? { matcher } : {}),
    run: () => response as object,
  })
}

export function describeLost(lost: readonly LostPin[]): { readonly user: string; readonly agent: string } {
  const list = lost.map(({ pin, reason }) => `${pin.event} ${pin.name}: ${reason}.`)
  const roots = [...new Set(lost.map(({ pin }) => pin.root))]
  const what =
    lost.length === 1
      ? `A guard of this session was changed or removed. ${list[0]}`
      : `${lost.length} guards of this session were changed or removed.\n${list.join('\n')}`
  return {
    user: `${what} If you made this change, run "holdfast trust" in ${roots.join(' and ')}, or start a new session. Otherwise undo it; "holdfast check" reports mistakes.`,
    agent: `${what} Only the user can accept this change, outside of the agent. Do not try another way.`,
  }
}
