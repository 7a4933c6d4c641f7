// Runs in memory for each configured hook.

import type { HookDefinition } from '@holdfast/hooks/protocol'
import type { Book } from '../runs/book.js'
import { hookKey, type RunRow } from '../runs/row.js'

/**
 * Matched by command, file and event. Lines change when a file is edited, so they only matter where a command occurs
 * twice.
 */
export function runsOf(hook: HookDefinition, all: readonly HookDefinition[]): (row: RunRow) => boolean {
  const key = keyOf(hook)
  const isTwice = all.some(other => other !== hook && keyOf(other) === key)
  return row => row.key === key && (!isTwice || row.line === hook.line)
}

const keyOf = ({ event, file, name }: HookDefinition) => hookKey(event, file, name)

export interface HookHistory {
  readonly runs: number
  readonly lastRunAt: string
  readonly lastRunId: string
  readonly lastVerdict: string
  readonly p50Ms: number
  readonly p95Ms: number
  readonly failedOpen: number
  readonly denied: number
}

/** One pass over the rows, whatever the number of hooks. */
export function historiesOf(book: Book, hooks: readonly HookDefinition[]): Map<HookDefinition, HookHistory> {
  book.refresh()
  const byKey = new Map<string, HookDefinition[]>()
  for (const hook of hooks) byKey.set(keyOf(hook), [...(byKey.get(keyOf(hook)) ?? []), hook])
  const found = new Map<HookDefinition, RunRow[]>(hooks.map(hook => [hook, []]))
  for (const row of book.rows()) {
    const same = byKey.get(row.key)
    if (!same) continue
    const hook = same.length === 1 ? same[0]! : same.find(({ line }) => line === row.line)
    if (hook) found.get(hook)!.push(row)
  }
  return new Map([...found].map(([hook, rows]) => [hook, historyOf(rows)]))
}

function historyOf(rows: readonly RunRow[]): HookHistory {
  const last = rows.at(-1)
  const sorted = Float64Array.from(rows, ({ durationMs }) => durationMs).sort()
  const count = (verdict: RunRow['verdict']) =>
    rows.reduce((sum, row) => (row.verdict === verdict ? sum + 1 : sum), 0)
  return {
    runs: rows.length,
    lastRunAt: last?.at ?? '',
    lastRunId: last?.id ?? '',
    lastVerdict: last?.verdict ?? '',
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    failedOpen: count('failed_open'),
    denied: count('deny'),
  }
}

/** The quantile: the smallest value that this many do not exceed. */
const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
