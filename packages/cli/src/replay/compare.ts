// Compares the recorded verdict with the new one.

import { isDeepStrictEqual } from 'node:util'
import type { RunRecord } from '@holdfast/hooks'
import type { Decision, Effect } from './effect.js'

/** In the order of their importance to the author of a hook. */
export const KINDS = [
  'newly-denied',
  'newly-asked',
  'newly-allowed',
  'newly-failing',
  'changed',
  'unchanged',
] as const
export type ChangeKind = (typeof KINDS)[number]

export interface Difference {
  readonly kind: ChangeKind
  /** Fields whose merged value changed. */
  readonly fields: readonly string[]
}

export function compare(before: Effect, after: Effect): Difference {
  const names = [...new Set([...Object.keys(before.given), ...Object.keys(after.given)])]
  const fields = names.filter(name => !isDeepStrictEqual(before.given[name], after.given[name]))
  const otherwise =
    newlyFailed(before, after).length > 0 ? 'newly-failing' : fields.length > 0 ? 'changed' : 'unchanged'
  return { kind: kindOf(before.decision, after.decision) ?? otherwise, fields }
}

/** Hooks that fail now and did not before. */
export const newlyFailed = (before: Effect, after: Effect): RunRecord[] =>
  after.failed.filter(now => !before.failed.some(then => then.hook === now.hook && then.file === now.file))

/** Undefined if the decision is the same. */
function kindOf(before: Decision, after: Decision): ChangeKind | undefined {
  if (before === after) return undefined
  if (after === 'deny') return 'newly-denied'
  if (after === 'ask') return 'newly-asked'
  // A missing allow is weaker than a deny: the host asks as it would without hooks.
  return before === 'allow' ? 'changed' : 'newly-allowed'
}
