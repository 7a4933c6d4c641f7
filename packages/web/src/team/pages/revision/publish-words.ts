// The label of the publish button, and the reason why it is disabled.

import type { GetRolloutSettingsResponse, Hook } from '@holdfast/team/messages'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'

type Plan = Pick<GetRolloutSettingsResponse, 'next' | 'devices' | 'waiting' | 'settings'>

export interface Publishing {
  readonly hooks: readonly Hook[]
  readonly plan: Plan | undefined
  readonly isAtOnce: boolean
  /** The release key is not on the server. */
  readonly isElsewhere: boolean
}

/** Publish revision 12 to ring canary, 14 devices */
export function labelOf({ hooks, plan, isAtOnce, isElsewhere }: Publishing): string {
  const [only] = hooks
  const what = hooks.length === 1 ? `revision ${only!.revision + 1}` : count(hooks.length, 'hook')
  if (!plan) return `Publish ${what}`
  if (isElsewhere) return `Create a release with ${what}, to be signed`
  if (isAtOnce || plan.next.length < 2)
    return `Publish ${what} to all devices, ${count(plan.devices, 'device')}`
  const [first] = plan.next
  return `Publish ${what} to ring ${line(first!.ring)}, ${count(first!.devices, 'device')}`
}

export interface Publishable {
  readonly mayNot: string | undefined
  readonly hooks: readonly Hook[]
  readonly userId: string
  readonly plan: Plan | undefined
}

/** Undefined when the button is enabled. */
export function because({ mayNot, hooks, userId, plan }: Publishable): string | undefined {
  if (mayNot) return mayNot
  if (!plan) return 'The rollout settings are not loaded yet.'
  if (plan.waiting > 0) return `Release ${plan.waiting} awaits its signature. Sign or halt it first.`
  const unchecked = hooks.find(({ fit }) => !fit)
  if (unchecked) return `The draft of “${line(unchecked.name)}” is not tested. Test it first.`
  const own = plan.settings?.fourEyes ? hooks.find(({ draftBy }) => draftBy === userId) : undefined
  if (own) return `You wrote the draft of “${line(own.name)}”. With four-eyes, another admin must publish it.`
  return undefined
}
