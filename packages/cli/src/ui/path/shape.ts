// A path, whoever tells of it: the log, or an event that was just fired.

import type { Profile } from '@holdfast/hooks/protocol'
import type { Path, Step } from '@holdfast/web/panel'
import type { ProblemShape } from '../problems.js'

type Plain<T> = Omit<T, '$typeName' | '$unknown'>

export interface SkippedShape {
  readonly source: string
  readonly hook: string
  readonly file: string
  readonly line: number
  readonly reason: string
  readonly why: string
}

export type StepShape = Plain<Step>

export type PathShape = Plain<Omit<Path, 'steps' | 'skipped' | 'problems'>> & {
  readonly steps: StepShape[]
  readonly skipped: SkippedShape[]
  readonly problems: ProblemShape[]
}

/** Hooks begin together, or each when the one before it has ended. */
export function startsOf(durations: readonly number[], { run }: Profile): number[] {
  if (run.concurrent && run.which !== 'first-valid') return durations.map(() => 0)
  let sum = 0
  return durations.map(duration => {
    const start = sum
    sum += Math.max(0, duration)
    return start
  })
}

/** What an answer says to people, where it says anything. */
export function saidIn(answer: object | null | undefined): string {
  const { user_message: user, agent_message: agent } = (answer ?? {}) as Record<string, unknown>
  return typeof user === 'string' && user !== '' ? user : typeof agent === 'string' ? agent : ''
}

/** For reading. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''
