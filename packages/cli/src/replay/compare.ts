// Then and now: does the action fare differently?

import { isDeepStrictEqual } from 'node:util'
import type { RunRecord } from '@holdfast/hooks'
import type { Decision, Effect } from './effect.js'

/** In the order of how much they matter to who changed a hook. */
export const KINDS = [
  'newly-denied',
  'newly-asked',
  'newly-allowed',
  'newly-failing',
  'changed',
  'unchanged',
] as const
export type Kind = (typeof KINDS)[number]

export interface Difference {
  readonly kind: Kind
  /** Fields whose merged value is another one. */
  readonly fields: readonly string[]
}

export function compare(before: Effect, after: Effect): Difference {
  const names = [...new Set([...Object.keys(before.given), ...Object.keys(after.given)])]
  const fields = names.filter(name => !isDeepStrictEqual(before.given[name], after.given[name]))
  const otherwise =
    newlyFailed(before, after).length > 0 ? 'newly-failing' : fields.length > 0 ? 'changed' : 'unchanged'
  return { kind: kindOf(before.decision, after.decision) ?? otherwise, fields }
}

/** Hooks that fail now and did not then. */
export const newlyFailed = (before: Effect, after: Effect): RunRecord[] =>
  after.failed.filter(now => !before.failed.some(then => then.hook === now.hook && then.file === now.file))

/** Undefined when the decision is the same. */
function kindOf(before: Decision, after: Decision): Kind | undefined {
  if (before === after) return undefined
  if (after === 'deny') return 'newly-denied'
  if (after === 'ask') return 'newly-asked'
  // Not to grant any more is less than to stop: the host asks as it would without hooks.
  return before === 'allow' ? 'changed' : 'newly-allowed'
}
