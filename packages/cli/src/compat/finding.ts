// What a rule is given, and what it may find.

import type { EventSpec, HookDefinition, Profile } from '@holdfast/hooks/protocol'
import { policyOf } from '../print/policy.js'
import type { Place, Traits } from './traits.js'

/** One hook, with all that can be known about it without running it. */
export interface Subject {
  readonly hook: HookDefinition
  /** The row of its event today. */
  readonly spec: EventSpec
  readonly traits: Traits
  /** Programs and scripts whose text was read. */
  readonly files: readonly string[]
  /** Where its script is missing: from the project root, from the folder of hooks.json. */
  readonly missing: Readonly<Record<Profile['config']['pathBase'], string | null>>
  /** All hooks of the event in the order in which they run, itself included. */
  readonly beside: readonly Subject[]
}

/** One version, with its own row of the event. */
export interface There {
  readonly profile: Profile
  readonly spec: EventSpec
}

/**
 * differs: it works, in another way. weaker: what it guards can pass. nothing: it does not run, or what it says has no
 * effect at all.
 */
export type Effect = 'differs' | 'weaker' | 'nothing'

export interface Finding {
  readonly effect: Effect
  readonly what: string
  readonly fix: string
  /** Where in a script it was seen; absent when hooks.json itself says it. */
  readonly at?: Place | undefined
}

export type Rule = (subject: Subject, there: There) => Finding | undefined

/** Whether it means to stop something. Who cannot be read is given the benefit of that doubt. */
export const isGuard = ({ hook, spec, traits }: Subject): boolean =>
  spec.gate !== 'none' &&
  (hook.type === 'prompt' ||
    traits.speaks === 'unknown' ||
    (traits.speaks === 'sdk' && traits.writes.size === 0) ||
    Boolean(traits.denies ?? traits.asks ?? traits.exitsWith2))

export const isKnown = ({ profile }: There, key: string): boolean => profile.config.keys.includes(key)

/** What a failure of the hook would do to the action. */
export const onFailure = ({ hook }: Subject, { spec, profile }: There) => policyOf(hook, spec, profile).effect

/** What an answer that is not valid does to the action. */
export function onInvalid(subject: Subject, there: There): 'open' | 'closed' | 'recorded' {
  const rule = there.profile.failure.invalid
  if (there.spec.gate === 'none') return 'recorded'
  if (rule === 'policy') return onFailure(subject, there)
  if (rule === 'open') return 'open'
  return there.spec.gate === 'permission' || onFailure(subject, there) === 'closed' ? 'closed' : 'open'
}

/** How a deny is written on this event. */
export const denial = ({ spec }: Pick<Subject, 'spec'>): string =>
  spec.gate === 'continue' ? '{"continue": false}' : '{"permission": "deny"}'

export const list = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
