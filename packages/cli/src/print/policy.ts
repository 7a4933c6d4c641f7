// The effect of a failure of a hook, and the reason. It comes from the engine, so that the two cannot differ.

import { decisionOf } from '@holdfast/hooks'
import type { EventSpec, HookDefinition, Profile } from '@holdfast/hooks/protocol'

export interface Policy {
  readonly effect: 'open' | 'closed' | 'recorded'
  readonly why: string
}

export const POLICY_WORDS: Readonly<Record<Policy['effect'], string>> = {
  open: 'fails open',
  closed: 'fails closed',
  recorded: 'failure recorded',
}

export function policyOf(hook: HookDefinition, spec: EventSpec, profile: Profile): Policy {
  if (hook.mode === 'observe') return { effect: 'recorded', why: 'it is in audit mode' }
  if (spec.gate === 'none') return { effect: 'recorded', why: 'this event cannot be stopped' }
  const event = { spec, profile, payload: {}, fields: {} }
  const exit = { code: 1, signal: null, stdout: '', stderr: '', durationMs: 0 }
  const failure = { code: 'run/exit', message: '' } as const
  const decision = decisionOf({ hook, exit, outcome: { kind: 'failed', failure }, notes: [] }, event)
  const isClosed = decision === 'deny'
  return {
    effect: isClosed ? 'closed' : 'open',
    why: isClosed ? whyClosed(hook, spec) : whyOpen(hook, profile),
  }
}

const whyClosed = ({ failClosed }: HookDefinition, { name }: EventSpec) =>
  failClosed === true ? 'failClosed is true' : `the default for ${name}`

function whyOpen({ failClosed }: HookDefinition, profile: Profile): string {
  if (profile.failure.crash === 'open') return `${profile.name} ignores every failure`
  if (failClosed === undefined) return 'failClosed is not set'
  return failClosed ? `${profile.name} does not support failClosed` : 'failClosed is false'
}
