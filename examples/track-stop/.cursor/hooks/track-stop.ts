// Counts failures in a conversation. If two are still unfixed when the agent stops, the hook asks it to try again.

import { conversationState, followup, hook } from '@holdfast/hooks/sdk'
import { type Failure, failed, NOTHING, type Tally, tallyFrom, worked } from './tally.js'
import { send } from './telemetry.js'

/** The number of failures that justifies another attempt. */
const ENOUGH = 2
/** The same as "loop_limit" in hooks.json: beyond it a follow-up is ignored and the failures would be lost. */
const ROUNDS = 5

/** Many tools may end at once, each with its own hook process; the state lets one of them count at a time. */
const count = (payload: { conversation_id: string }, change: (old: Tally) => Tally): Promise<Tally> =>
  conversationState<Tally>(payload, 'track-stop', NOTHING).update(old => change(tallyFrom(old)))

export default hook({
  postToolUseFailure: async payload => {
    const { tool_name, tool_input, failure_type: how, is_interrupt } = payload
    // A refusal by the user is not a failure: trying again would work around it.
    if (is_interrupt || how === 'permission_denied') return
    const isShell = tool_name === 'Shell' && typeof tool_input.command === 'string'
    await count(payload, old =>
      failed(old, {
        what: isShell ? String(tool_input.command) : tool_name,
        how,
        from: isShell && how === 'error' ? 'tool' : 'both',
      }),
    )
  },

  afterShellExecution: async payload => {
    const { command, exit_code } = payload
    // Not every host knows how a command ended.
    if (exit_code === undefined) return
    await count(payload, old =>
      exit_code === 0
        ? worked(old, command)
        : failed(old, { what: command, how: `exit ${exit_code}`, from: 'shell' }),
    )
  },

  stop: async payload => {
    const { status, loop_count } = payload
    let broken: readonly Failure[] = []
    const { failures, retries } = await count(payload, old => {
      const now = status === 'error' ? failed(old, { what: 'the agent', how: status, from: 'both' }) : old
      // If the user stopped the agent, it must stay stopped.
      if (status === 'aborted' || loop_count >= ROUNDS || now.open.length < ENOUGH) return now
      broken = now.open
      return { ...now, open: [], retries: now.retries + 1 }
    })
    await send({
      event: payload.hook_event_name,
      at: new Date().toISOString(),
      conversation_id: payload.conversation_id,
      generation_id: payload.generation_id,
      model: payload.model,
      status,
      loop_count,
      failures,
      retries,
      retrying: broken.length > 0,
    })
    return broken.length > 0 ? followup(words(broken)) : undefined
  },
})

const words = (broken: readonly Failure[]) =>
  [
    `${broken.length} failures are still open:`,
    ...broken.map(({ what, how }) => `- ${what} (${how})`),
    'Find out why, try another way, and run them again. If one cannot be fixed, say why.',
  ].join('\n')
