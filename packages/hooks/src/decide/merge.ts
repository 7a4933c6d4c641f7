// Several responses → one value for each field, by the merge column of the response table and the rules of the version.

import type { Profile } from '../protocol/profiles.js'
import {
  type MergeRule,
  RESPONSE_FIELDS,
  type Response,
  type ResponseFieldName,
} from '../protocol/response-fields.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Decision } from '../protocol/verdict.js'

/** Associative, commutative, idempotent; abstain is neutral. */
export const join = (a: Decision, b: Decision): Decision => (STRICTNESS[a] >= STRICTNESS[b] ? a : b)

/** The response of one run, with the rank of its source. Expected in source order. */
export interface Given {
  readonly rank: number
  readonly answer: Response
  /** Its decision is the verdict. */
  readonly decides: boolean
}

export interface MergeOptions {
  readonly rules: Profile['merge']
  /** A stopped action is not changed or extended: only messages are kept. */
  readonly isBlocked: boolean
  /** The keys that were rewritten, where rewrites are judged. */
  readonly rewritten: Record<string, unknown> | null
}

type FieldRule<K extends ResponseFieldName> = (typeof RESPONSE_FIELDS)[K]['merge']
/** All fields but the decision itself, which failures influence too. */
type MergedName = {
  [K in ResponseFieldName]: FieldRule<K> extends 'strictest' ? never : K
}[ResponseFieldName]
export type Merged = { readonly [K in MergedName]: NonNullable<Response[K]> | null }

interface Value {
  readonly rank: number
  readonly value: unknown
  readonly decides: boolean
}

type Merge = (values: readonly Value[], options: MergeOptions, name: ResponseFieldName) => unknown

const MERGE: Readonly<Record<Exclude<MergeRule, 'strictest'>, Merge>> = {
  deciders: values => joinTexts(values.filter(({ decides }) => decides)),
  all: (values, { rules }) => joinTexts(rules.context === 'all' ? values : values.slice(-1)),
  highest: (values, { rules }) => pickOne(values, rules.single),
  'highest-by-key': (values, { rules }) => {
    const layers = layersOf(values)
    return Object.assign(
      {},
      ...(rules.single === 'highest' ? layers.toReversed() : layers).map(({ env }) => env),
    )
  },
  judged: (values, { rules, rewritten }, name) => {
    if (rules.rewrites !== 'judged') return pickOne(values, rules.single)
    return name === 'updated_prompt' ? (rewritten?.prompt ?? null) : rewritten
  },
}

const FIELDS = (Object.keys(RESPONSE_FIELDS) as ResponseFieldName[]).flatMap(name => {
  const { merge } = RESPONSE_FIELDS[name]
  return merge === 'strictest' ? [] : [{ name, merge }]
})

export const NOTHING = Object.freeze(
  Object.fromEntries(FIELDS.map(({ name }) => [name, null])),
) as unknown as Merged

/** `NOTHING` itself if no response has a field to merge, as nearly always. */
export function mergeFields(given: readonly Given[], options: MergeOptions): Merged {
  let merged: Record<string, unknown> | undefined
  for (const { name, merge } of FIELDS) {
    if (options.isBlocked && merge !== 'deciders') continue
    const values = valuesOf(given, name)
    if (values.length === 0) continue
    merged ??= { ...NOTHING }
    merged[name] = MERGE[merge](values, options, name)
  }
  return (merged as unknown as Merged | undefined) ?? NOTHING
}

function valuesOf(given: readonly Given[], name: ResponseFieldName): readonly Value[] {
  let values: Value[] | undefined
  for (const { rank, answer, decides } of given) {
    if (answer[name] === undefined) continue
    values ??= []
    values.push({ rank, value: answer[name], decides })
  }
  return values ?? NO_VALUES
}

const NO_VALUES: readonly Value[] = Object.freeze([])

/** Separated by a blank line; null when there are none. */
function joinTexts(values: readonly Value[]): string | null {
  const texts = values.map(({ value }) => value).filter(value => value !== '')
  return texts.length > 0 ? texts.join('\n\n') : null
}

/** The last of the highest source, or the last of all. */
const pickOne = (values: readonly Value[], rule: Profile['merge']['single']): unknown =>
  (rule === 'highest' ? values.filter(({ rank }) => rank === values[0]!.rank) : values).at(-1)!.value

interface Variables {
  readonly rank: number
  readonly env: Record<string, string>
}

/** By source, highest first: inside a source, a later value replaces an earlier one. */
function layersOf(values: readonly Value[]): readonly Variables[] {
  const bySource = new Map<number, Record<string, string>>()
  for (const { rank, value } of values) bySource.set(rank, { ...bySource.get(rank), ...(value as object) })
  return [...bySource].map(([rank, env]) => ({ rank, env })).sort((a, b) => a.rank - b.rank)
}

/** Session variables reach hooks of the source that set them, and of lower ones. */
export const variablesOf = (given: readonly Given[]): readonly Variables[] => layersOf(valuesOf(given, 'env'))

/** Whether a later response replaces this one in versions that keep only the last text of a field. */
export const isReplaced = (answer: Response, later: readonly Response[]): boolean =>
  FIELDS.some(
    ({ name, merge }) => merge === 'all' && answer[name] && later.some(each => each[name] !== undefined),
  )
