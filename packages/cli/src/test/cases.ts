// The content of a test file.

import type { AnyFields, EventName, ProfileName, PromptReply } from '@holdfast/hooks/protocol'
import type { Expected, Text } from '@holdfast/hooks/testing'
import type { TestProblem } from './yaml.js'

export const LEVELS = ['project', 'user'] as const
/** Whether the hooks are installed in the workspace or in the home folder. */
export type TestLevel = (typeof LEVELS)[number]

export type Files = ReadonlyMap<string, string>

/** The state before a case begins. */
export interface Setting {
  readonly env: Readonly<Record<string, string>>
  readonly files: Files
  readonly model: PromptReply | undefined
}

export interface Expectation extends Expected {
  /** Files of the workspace afterwards; null: not there. */
  readonly files?: Readonly<Record<string, Text>>
  /** The number of follow-ups of a loop. */
  readonly followups?: number
}

export type Step = EventStep | WorkStep

export interface EventStep {
  readonly kind: 'event' | 'loop'
  readonly line: number
  readonly event: EventName
  readonly payload: AnyFields
  readonly model: PromptReply | undefined
  readonly expect: Expectation
  /** Other expectations for these versions. */
  readonly in: Readonly<Partial<Record<ProfileName, Expectation>>>
  /** Of a loop only. */
  readonly atMost: number
  readonly untilFile: string | undefined
  readonly between: readonly Step[]
}

export type WorkStep =
  | { readonly kind: 'write'; readonly line: number; readonly files: Files }
  | { readonly kind: 'remove'; readonly line: number; readonly paths: readonly string[] }
  | { readonly kind: 'run'; readonly line: number; readonly command: string }

export interface TestCase {
  readonly name: string
  readonly line: number
  readonly column: number
  /** Undefined if the case does not specify it. */
  readonly profiles: readonly ProfileName[] | undefined
  readonly setting: Setting
  /** Parts of the commands of the hooks under test; empty: all hooks run. */
  readonly about: readonly string[]
  readonly isSession: boolean
  readonly steps: readonly Step[]
}

export interface TestFile {
  readonly file: string
  readonly problems: readonly TestProblem[]
  /** The hooks.json that is tested; empty if there are problems. */
  readonly hooks: string
  readonly level: TestLevel | undefined
  /** Further parts of the workspace, besides its .cursor folder. */
  readonly copy: readonly { readonly path: string; readonly line: number; readonly column: number }[]
  readonly cases: readonly TestCase[]
}

/** The versions for which the case expects another result. */
export const versionsNamed = (steps: readonly Step[]): ProfileName[] => [
  ...new Set(steps.flatMap(step => ('event' in step ? (Object.keys(step.in) as ProfileName[]) : []))),
]
