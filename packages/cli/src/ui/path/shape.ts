// The common form of a path, from the log or from an event that was just fired.

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

interface Timed {
  readonly durationMs: number
  /** Absent for the first. */
  readonly round?: number | undefined
}

/** Hooks start together, or each after the one before it. A round starts after the one before it. */
export function startsOf(runs: readonly Timed[], { run }: Profile): number[] {
  const isConcurrent = run.concurrent && run.which !== 'first-valid'
  let latest = 1
  let start = 0
  let end = 0
  return runs.map(({ durationMs, round = 1 }) => {
    if (!isConcurrent || round !== latest) start = end
    latest = round
    end = Math.max(end, start + Math.max(0, durationMs))
    return start
  })
}

/** The messages of a response to people, if any. */
export function saidIn(answer: object | null | undefined): string {
  const { user_message: user, agent_message: agent } = (answer ?? {}) as Record<string, unknown>
  return typeof user === 'string' && user !== '' ? user : typeof agent === 'string' ? agent : ''
}

/** For display. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''
