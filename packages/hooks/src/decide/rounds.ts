// One event, judged until its input settles. A hook may rewrite the input of a tool; the other hooks then judge the new
// input in another round, so that no rewrite passes a hook that would have denied it.

import type { HookDefinition } from '../protocol/config.js'
import type { Event, Ran, Run } from '../protocol/run.js'
import { type Denial, isBlocked, type Rewrite, type Verdict } from '../protocol/verdict.js'
import { decide } from './decide.js'
import { rewriteOf, withInput } from './rewrite.js'

/** Rewrites that have not settled after so many rounds are denied. */
export const MOST_ROUNDS = 3

/** The hooks of the event are to run on this input, except the author of the rewrite. */
export interface Round {
  readonly event: Event
  readonly author: HookDefinition | undefined
}

export interface Surroundings {
  /** Reasons to deny whatever the hooks respond: a required source is missing. */
  readonly denials: () => readonly Denial[]
  readonly elapsedMs: () => number
}

/** Yields each round and expects its runs; returns the verdict. */
export function* rounds(first: Event, { denials, elapsedMs }: Surroundings): Generator<Round, Verdict, Ran> {
  const all: Run[] = []
  const rewrites: Rewrite[] = []
  let event = first
  for (let number = 1; ; number++) {
    const latest = rewrites.at(-1)
    const before = denials()
    const { runs: ran, skipped } = yield { event, author: latest?.run.hook }
    const runs = number === 1 ? ran : ran.map(run => ({ ...run, round: number }))
    all.push(...runs)
    const counted = latest ? inConfiguredOrder([...runs, latest.run], all) : runs
    const given = { event, runs: counted, all, rewrites, skipped, durationMs: elapsedMs() }
    // A required source that was missing when the hooks started, or is missing now.
    const verdict = decide({ ...given, denials: before.length > 0 ? before : denials() })
    const next = isBlocked(verdict) ? undefined : rewriteOf(event, runs, latest)
    if (!next) return verdict
    if (number === MOST_ROUNDS) return decide({ ...given, denials: [unsettled(next.run)] })
    rewrites.push(next)
    event = withInput(event, next.input)
  }
}

/** The order of the first round, in which every hook ran. */
function inConfiguredOrder(runs: readonly Run[], all: readonly Run[]): Run[] {
  const place = ({ hook }: Run) => all.findIndex(run => run.hook.id === hook.id)
  return runs.toSorted((a, b) => a.hook.rank - b.hook.rank || place(a) - place(b))
}

const unsettled = ({ hook }: Run): Denial => ({
  message: `The input did not settle: after ${MOST_ROUNDS} rounds it would be rewritten again by ${hook.name}.`,
  source: hook.source,
  file: hook.file,
})
