// A verdict in one word, and why it is that word.

import { eventsUnder, findProfile } from '../protocol/profiles.js'
import type { Run } from '../protocol/run.js'
import { isBlocked, type Verdict } from '../protocol/verdict.js'

export type Decision = 'allow' | 'deny' | 'ask' | 'none'

export function decisionOf(verdict: Verdict): Decision {
  if (isBlocked(verdict)) return 'deny'
  return verdict.permission ?? (verdict.continue ? 'allow' : 'none')
}

/** A hook that did what it should not: crashed, took too long, answered with something else. */
export const isFailed = ({ outcome }: Run): boolean =>
  outcome.kind !== 'silent' && outcome.failure !== undefined

export function decisionWords(verdict: Verdict): string {
  const decision = decisionOf(verdict)
  if (decision !== 'none') return decision
  return `none: ${whyNone(verdict)}`
}

function whyNone({ event, profile, runs, skipped }: Verdict): string {
  const row = eventsUnder(findProfile(profile)!).get(event)
  if (!row) return `${profile} does not have ${event}`
  if (runs.length === 0) {
    if (skipped.length === 0) return `no hook is configured for ${event}`
    return skipped.length === 1 ? 'the hook was skipped' : `all ${skipped.length} hooks were skipped`
  }
  if (row.gate === 'none') return `${event} cannot be stopped`
  const failed = runs.find(isFailed)
  return failed ? `${failed.hook.name} failed` : 'no hook has an opinion'
}
