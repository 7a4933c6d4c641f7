// Rewrites of the input of a tool: which response is taken, and what the input then is.

import { inVersion } from '../protocol/payload.js'
import type { Event, Run } from '../protocol/run.js'
import type { Rewrite } from '../protocol/verdict.js'

/** The rewrite that the runs of a round agree on; undefined when the input stays as it is. */
export function rewriteOf(
  event: Event,
  runs: readonly Run[],
  latest: Rewrite | undefined,
): Rewrite | undefined {
  if (event.profile.merge.rewrites !== 'judged') return undefined
  let author: Run | undefined
  for (const run of runs) {
    if (run.hook.mode === 'observe' || !changesInput(event, run)) continue
    // The highest source that rewrites, inside it the last hook; never a source below that of the latest rewrite.
    const above = author?.hook.rank ?? latest?.run.hook.rank ?? run.hook.rank
    if (run.hook.rank <= above) author = run
  }
  if (!author) return undefined
  const updated = updatedInputOf(author)!
  return { run: author, keys: { ...latest?.keys, ...updated }, input: { ...inputOf(event), ...updated } }
}

/** Whether the response of this run would change the input that it was given. */
export function changesInput(event: Event, run: Run): boolean {
  const updated = updatedInputOf(run)
  if (!updated) return false
  const input = inputOf(event)
  return Object.entries(updated).some(
    ([key, value]) => !Object.hasOwn(input, key) || !isSame(input[key], value),
  )
}

const updatedInputOf = ({ outcome }: Run) =>
  outcome.kind === 'answered' ? outcome.answer.updated_input : undefined

const inputOf = ({ facts }: Event) => (facts.tool_input ?? {}) as Readonly<Record<string, unknown>>

export function withInput(event: Event, input: Rewrite['input']): Event {
  const facts = { ...event.facts, tool_input: input }
  return { ...event, facts, payload: inVersion(event.profile, event.spec, facts) }
}

/** Equality of JSON values. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  return (
    keys.length === others.length &&
    keys.every(key => Object.hasOwn(b, key) && isSame((a as Json)[key], (b as Json)[key]))
  )
}

type Json = Readonly<Record<string, unknown>>
