// One event, judged until its input settles. A hook may rewrite the input of a tool; the other hooks then judge the new
// input in another round, so that no rewrite passes a hook that would have denied it.

import type { HookDefinition } from '../protocol/config.js'
import { copyJson } from '../protocol/json.js'
import { inVersion } from '../protocol/payload.js'
import { inputOf, updatesOf, withInput } from '../protocol/rewrite.js'
import type { Event, Ran, Run, Skipped } from '../protocol/run.js'
import { type Denial, isBlocked, type Rewrite, type Verdict } from '../protocol/verdict.js'
import { decide } from './decide.js'

/** Rewrites that have not settled after this many rounds are denied. */
export const MOST_ROUNDS = 3

/** The hooks of the event run on this input, except the author of the rewrite. */
export interface Round {
  readonly event: Event
  readonly author: HookDefinition | undefined
}

export interface Surroundings {
  /** Reasons to deny a permission event, whatever the hooks respond: a required source is missing. */
  readonly denials: () => readonly Denial[]
  readonly elapsedMs: () => number
}

/** Yields each round and expects its runs; returns the verdict. */
export function* rounds(first: Event, { denials, elapsedMs }: Surroundings): Generator<Round, Verdict, Ran> {
  const missing = () => (first.spec.gate === 'permission' ? denials() : [])
  const all: Run[] = []
  const rewrites: Rewrite[] = []
  let event = first
  for (let number = 1; ; number++) {
    const latest = rewrites.at(-1)
    const before = missing()
    const { runs: ran, skipped } = yield { event, author: latest?.run.hook }
    const lost = latest && findLost(all, latest, ran, skipped)
    all.push(...(number === 1 ? ran : ran.map(run => ({ ...run, round: number }))))
    const runs = countedRuns({ runs: all, rewrites })
    const rewriting = runs.filter(run => run !== latest?.run && changesInput(event, run))
    const durationMs = elapsedMs()
    const judge = (denials: readonly Denial[]) =>
      decide({ event, runs, all, rewrites, rewriting, skipped, durationMs, denials })
    if (lost) return judge([unjudged(lost)])
    // A required source that was missing when the hooks started, or is missing now.
    const verdict = judge(before.length > 0 ? before : missing())
    const next = isBlocked(verdict) ? undefined : takeRewrite(event, rewriting, latest)
    if (!next) return verdict
    if (number === MOST_ROUNDS) return judge([unsettled(next.run)])
    rewrites.push(next)
    const fields = withInput(event.spec, event.fields, next.input)
    event = { ...event, fields, payload: inVersion(event.profile, event.spec, fields) }
  }
}

/** A hook that judged an earlier input, and was removed or lost its trust before it could judge this one. */
function findLost(
  all: readonly Run[],
  { run: author }: Rewrite,
  ran: readonly Run[],
  skipped: readonly Skipped[],
): Run | undefined {
  const judged = new Set(ran.map(({ hook }) => hook.id))
  for (const { hook, reason } of skipped) if (reason !== 'untrusted') judged.add(hook.id)
  return all.find(({ hook }) => hook.mode === 'enforce' && hook.id !== author.hook.id && !judged.has(hook.id))
}

/** The runs that count, in configured order: those on the latest input, and that of the hook that wrote it. */
export function countedRuns({ runs, rewrites }: Pick<Verdict, 'runs' | 'rewrites'>): readonly Run[] {
  const author = rewrites.at(-1)?.run
  if (!author) return runs
  // Every hook ran in the first round.
  const place = ({ hook }: Run) => runs.findIndex(run => run.hook.id === hook.id)
  return runs
    .filter(run => run === author || run.round === rewrites.length + 1)
    .sort((a, b) => a.hook.rank - b.hook.rank || place(a) - place(b))
}

/** The rewrite of the highest source, inside it of the last hook; never of a source below that of the latest rewrite. */
function takeRewrite(
  event: Event,
  rewriting: readonly Run[],
  latest: Rewrite | undefined,
): Rewrite | undefined {
  if (event.profile.merge.rewrites !== 'judged') return undefined
  const taken = rewriting.filter(({ hook }) => hook.mode === 'enforce')
  const highest = Math.min(...taken.map(({ hook }) => hook.rank))
  if (highest > (latest?.run.hook.rank ?? highest)) return undefined
  const author = taken.findLast(({ hook }) => hook.rank === highest)
  if (!author) return undefined
  const input = inputOf(event)
  // A hook that repeats an integer beyond 2^53 repeats it rounded. The copy has the values that other hooks then read.
  const updated = copyJson(
    Object.fromEntries(
      Object.entries(updatesOfRun(author)!).map(([key, value]) => [
        key,
        isKept(input, key, value) ? input[key] : value,
      ]),
    ),
  ) as Json
  return { run: author, keys: { ...latest?.keys, ...updated }, input: { ...input, ...updated } }
}

/** Whether the response of this run would change the input that it was given. */
function changesInput(event: Event, run: Run): boolean {
  const updated = updatesOfRun(run)
  if (!updated || event.profile.merge.rewrites !== 'judged') return false
  const input = inputOf(event)
  return Object.entries(updated).some(([key, value]) => !isKept(input, key, value))
}

const isKept = (input: Json, key: string, value: unknown): boolean =>
  Object.hasOwn(input, key) && isSame(input[key], value)

const updatesOfRun = ({ outcome }: Run) =>
  outcome.kind === 'answered' ? updatesOf(outcome.answer) : undefined

type Json = Readonly<Record<string, unknown>>

/** Equality of JSON values. */
function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Number) return a.valueOf() === b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  return (
    keys.length === others.length &&
    keys.every(key => Object.hasOwn(b, key) && isSame((a as Json)[key], (b as Json)[key]))
  )
}

const unjudged = ({ hook }: Run): Denial => ({
  message: `${hook.name} judged an earlier input, and was removed or changed before it could judge the rewritten one.`,
  source: hook.source,
  file: hook.file,
  hook: hook.name,
})

const unsettled = ({ hook }: Run): Denial => ({
  message: `The input did not settle: after ${MOST_ROUNDS} rounds it would be rewritten again by ${hook.name}.`,
  source: hook.source,
  file: hook.file,
  hook: hook.name,
})
