// The effect on the action if a hook does not respond as it should. The drift test compares this with the
// stage `decide/`.

import type { EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { PROFILES, type Profile } from '../../packages/hooks/src/protocol/profiles.js'

export type Effect = 'proceeds' | 'is stopped'

export const MISHAPS = {
  crash: 'crash, signal, timeout, too much output, command not found, any exit code except 0 and 2',
  invalid: 'exit code 0 with an invalid response',
  silence: 'exit code 0 and nothing on stdout',
  exit2: 'exit code 2',
  deny: 'a well-formed deny, with any exit code',
} as const

export type Mishap = keyof typeof MISHAPS

export const CHOICES = [undefined, true, false] as const

export function effectOf(
  mishap: Mishap,
  spec: EventSpec,
  failClosed: boolean | undefined,
  profile: Profile = PROFILES.holdfast,
): Effect {
  return stops(mishap, spec, failClosed, profile) ? 'is stopped' : 'proceeds'
}

function stops(mishap: Mishap, spec: EventSpec, failClosed: boolean | undefined, profile: Profile): boolean {
  if (spec.gate === 'none') return false
  if (mishap === 'deny' && profile.answer.denyHolds) return true
  if (mishap === 'exit2') return profile.answer.exit2
  const says = profile.config.keys.includes('failClosed') ? failClosed : undefined
  if (mishap === 'silence' && says !== true && profile.answer.silence === 'abstain') return false
  const rule = profile.failure[mishap === 'invalid' ? 'invalid' : 'crash']
  if (rule === 'open') return false
  if (spec.gate === 'continue') return says === true
  return rule === 'closed' || (says ?? spec.failure === 'closed')
}
