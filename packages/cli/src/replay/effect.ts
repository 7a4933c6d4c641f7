// What came of an event, read off its records: the decision, and what the hooks added to it. Then and now are read
// the same way, so that they can be compared.

import type { RunRecord } from '@holdfast/hooks'
import { ANSWER_FIELDS, type AnswerFieldName, type Profile, SOURCES } from '@holdfast/hooks/protocol'

export type Decision = 'deny' | 'ask' | 'allow' | 'none'

export interface Effect {
  readonly decision: Decision
  /** Merged by field: messages, rewrites, context. Fields that nobody gave are absent. */
  readonly given: Readonly<Record<string, unknown>>
  /** The runs that decided. */
  readonly deciders: readonly RunRecord[]
  readonly failed: readonly RunRecord[]
  readonly records: readonly RunRecord[]
}

type Verdict = RunRecord['verdict']

const FIELDS = Object.keys(ANSWER_FIELDS) as AnswerFieldName[]

const decisionOf = ({ permission, continue: goesOn }: Partial<Verdict>): Decision =>
  permission ?? (goesOn === false ? 'deny' : goesOn === true ? 'allow' : 'none')

export function effectOf(all: readonly RunRecord[], verdict: Partial<Verdict>, profile: Profile): Effect {
  const decision = decisionOf(verdict)
  // What a hook says that only observes had no effect.
  const records = all.filter(({ mode }) => mode !== 'observe')
  const failed = records.filter(({ outcome }) => outcome === 'failed')
  const answered = records.filter(record => record.outcome === 'answered' && isObject(record.response))
  const own = answered.filter(
    record => decision !== 'none' && decisionOf(record.response as Verdict) === decision,
  )
  const given: Record<string, unknown> = {}
  for (const field of FIELDS) {
    if (!answered.some(({ response }) => response?.[field] !== undefined)) continue
    const value = merged(field, decision, answered, own, profile)
    if (value !== undefined) given[field] = value
  }
  // A failure that stops the action decides without an answer.
  const deciders = own.length > 0 || decision !== 'deny' ? own : failed
  return { decision, given, deciders, failed, records }
}

/** What is not going to happen cannot be changed or added to. */
const ONLY_WHEN_GOING_ON: ReadonlySet<string> = new Set(['updated_input', 'additional_context', 'env'])

function merged(
  field: AnswerFieldName,
  decision: Decision,
  answered: readonly RunRecord[],
  deciders: readonly RunRecord[],
  profile: Profile,
): unknown {
  if (decision === 'deny' && ONLY_WHEN_GOING_ON.has(field)) return undefined
  const valuesOf = (records: readonly RunRecord[]) =>
    records.map(({ response }) => response?.[field]).filter(value => value !== undefined && value !== '')
  switch (ANSWER_FIELDS[field].merge) {
    case 'strictest':
      return undefined
    case 'deciders':
      return texts(valuesOf(deciders))
    case 'all':
      return texts(profile.merge.context === 'all' ? valuesOf(answered) : valuesOf(answered).slice(-1))
    case 'highest':
      return valuesOf(winners(field, answered, profile)).at(-1)
    case 'highest-by-key': {
      const lowestFirst = answered.toSorted((a, b) => rankOf(b) - rankOf(a))
      const all = valuesOf(profile.merge.single === 'highest' ? lowestFirst : answered)
      return all.length > 0 ? Object.assign({}, ...all) : undefined
    }
  }
}

const texts = (values: readonly unknown[]): string | undefined =>
  values.length > 0 ? values.map(String).join('\n\n') : undefined

/** One value: of the highest source that gave one, or the last of all. */
function winners(field: AnswerFieldName, answered: readonly RunRecord[], { merge }: Profile) {
  const giving = answered.filter(({ response }) => response?.[field] !== undefined)
  const highest = Math.min(...giving.map(rankOf))
  return merge.single === 'last' ? giving : giving.filter(record => rankOf(record) === highest)
}

const rankOf = ({ source }: RunRecord): number => SOURCES[source]?.rank ?? Number.MAX_SAFE_INTEGER

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
