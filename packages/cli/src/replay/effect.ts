// The effect of an event, from its records: the decision, and the merged fields of the responses. Old and new records
// are read the same way, so that they can be compared.

import { mergeFields, type RunRecord } from '@holdfast/hooks'
import { type Profile, type Response, SOURCES, updatesOf } from '@holdfast/hooks/protocol'

export type Decision = 'deny' | 'ask' | 'allow' | 'none'

export interface Effect {
  readonly decision: Decision
  /** Merged by field: messages, rewrites, context. Fields without a value are absent. */
  readonly given: Readonly<Record<string, unknown>>
  /** The runs that decided. */
  readonly deciders: readonly RunRecord[]
  readonly failed: readonly RunRecord[]
  /** Reasons other than the run of a hook: a required source is missing, or rewrites did not settle. */
  readonly denials: readonly RunRecord[]
  /** The runs that count, of hooks in audit mode too: those on the latest input, and that of the hook that wrote it. */
  readonly counted: readonly RunRecord[]
}

type Verdict = RunRecord['verdict']

export const decisionOf = ({ permission, continue: goesOn }: Partial<Verdict>): Decision =>
  permission ?? (goesOn === false ? 'deny' : goesOn === true ? 'allow' : 'none')

export function effectOf(given: readonly RunRecord[], verdict: Partial<Verdict>, profile: Profile): Effect {
  const decision = decisionOf(verdict)
  const denials = given.filter(isDenial)
  const all = given.filter(record => !isDenial(record))
  const authors = authorsOf(all)
  const author = authors.at(-1)
  const counted = author
    ? all.filter(record => record === author || roundOf(record) === authors.length + 1)
    : all
  const records = counted.filter(({ mode }) => mode !== 'observe')
  const failed = records.filter(({ outcome }) => outcome === 'failed')
  const own = records.filter(record => decision !== 'none' && ownDecision(record) === decision)
  const responses = records
    .filter(record => record.outcome === 'answered' && isObject(record.response))
    .map(record => ({
      rank: rankOf(record),
      answer: record.response as Response,
      decides: ownDecision(record) === decision,
    }))
    .sort((a, b) => a.rank - b.rank)
  const merged = mergeFields(responses, {
    rules: profile.merge,
    isBlocked: decision === 'deny',
    rewritten: author
      ? Object.assign({}, ...authors.map(({ response }) => updatesOf(response as Response)))
      : null,
  })
  return {
    decision,
    given: Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)),
    // A failure that stops the action decides without a response.
    deciders: own.length > 0 || decision !== 'deny' ? own : denials.length > 0 ? denials : failed,
    failed,
    denials,
    counted,
  }
}

/** Recorded as failed, with its permission. A hook that failed has none. */
const isDenial = ({ outcome, permission }: RunRecord): boolean =>
  outcome === 'failed' && permission === 'deny'

const ownDecision = ({ outcome, response }: RunRecord): Decision =>
  outcome === 'answered' && isObject(response) ? decisionOf(response as Partial<Verdict>) : 'none'

const roundOf = ({ round }: RunRecord): number => round ?? 1

/**
 * The runs whose rewrite became the input of the next round, in order. Every hook of a round runs in the next one too,
 * except the author of the rewrite.
 */
function authorsOf(all: readonly RunRecord[]): RunRecord[] {
  const last = Math.max(1, ...all.map(roundOf))
  const authors: RunRecord[] = []
  for (let round = 1; round <= last; round++) {
    const next = all.filter(record => roundOf(record) === round + 1)
    // After the last round there is another one only if no hook was left to judge.
    if (round === last && !(round === 1 && all.length === 1 && all[0]!.round === 1)) break
    const author = all.find(
      record =>
        roundOf(record) === round &&
        record.mode !== 'observe' &&
        updatesOf((record.response ?? {}) as Response) !== undefined &&
        !next.some(each => isSameHook(each, record)),
    )
    if (!author) break
    authors.push(author)
  }
  return authors
}

const isSameHook = (a: RunRecord, b: RunRecord): boolean =>
  a.source === b.source && a.file === b.file && a.line === b.line && a.hook === b.hook

const rankOf = ({ source }: RunRecord): number => SOURCES[source]?.rank ?? Number.MAX_SAFE_INTEGER

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
