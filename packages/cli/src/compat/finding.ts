// What a rule receives, and what it may find.

import type { EventSpec, HookDefinition, Profile } from '@holdfast/hooks/protocol'

/** One hook, with all that is known about it without running it. */
export interface Subject {
  readonly hook: HookDefinition
  /** The current row of its event. */
  readonly spec: EventSpec
  /** The word of its command that is not found, from the project root and from the folder of hooks.json. */
  readonly missing: Readonly<Record<Profile['config']['pathBase'], string | null>>
  /** The first enforced hook of its event, in its own file and in all sources. */
  readonly first: {
    readonly inFile: HookDefinition | undefined
    readonly ofEvent: HookDefinition | undefined
  }
}

/** One version, with its own row of the event. */
export interface There {
  readonly profile: Profile
  readonly spec: EventSpec
}

/**
 * differs: it works, in another way. weaker: an action that it blocks can proceed. nothing: it does not run, or its
 * response has no effect at all.
 */
export type FindingEffect = 'differs' | 'weaker' | 'nothing'

export interface Finding {
  readonly effect: FindingEffect
  readonly what: string
  readonly fix: string
  /** True when it depends on what the script does, which only a run can show. */
  readonly isPossible?: boolean
}

export type CompatRule = (subject: Subject, there: There) => Finding | undefined
