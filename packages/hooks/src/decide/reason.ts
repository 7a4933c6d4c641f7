// What a run that decided has to say: its own messages, or why its failure blocks.

import type { Event, Run } from '../protocol/run.js'
import type { Opinion } from '../protocol/verdict.js'

export interface Reason {
  readonly user: string | undefined
  readonly agent: string | undefined
}

export function reasonFor(run: Run, { spec }: Event, opinion: Opinion): Reason {
  const { outcome, hook } = run
  if (outcome.kind === 'silent') return NOTHING
  if (outcome.kind === 'answered')
    return { user: outcome.answer.user_message, agent: outcome.answer.agent_message }
  // A failure that lets the action pass is in the record; it is not a message.
  if (opinion !== 'deny') return NOTHING
  const { code, message } = outcome.failure
  if (code === 'run/invalid-json') {
    return both(
      `Hook ${spec.name} returned stdout that is not valid JSON. The action was blocked for safety. ` +
        `Check Cursor Settings → Hooks and fix hook script: ${hook.name}`,
    )
  }
  if (code === 'run/bad-shape') {
    return both(
      `Hook ${spec.name} gave an answer that is not valid: ${message} The action was blocked for safety. ` +
        `Fix hook script: ${hook.name}`,
    )
  }
  const stderr = lastLine(run.exit.stderr)
  return both(
    `${spec.blocked?.failedClosed ?? 'Blocked because a hook failed closed.'} ${hook.name}: ${message}${stderr}`,
  )
}

const NOTHING: Reason = { user: undefined, agent: undefined }
const both = (text: string): Reason => ({ user: text, agent: text })

const lastLine = (stderr: string): string => {
  const line = stderr.trimEnd().split('\n').at(-1)?.trim()
  return line ? ` stderr: ${line.slice(0, 200)}` : ''
}
