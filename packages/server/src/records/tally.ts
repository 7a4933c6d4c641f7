// What a batch adds to the sums: by hour, by device and day, and to the evidence about a release. Pure; the rows are
// those that were not stored before.

import { DAY_MS, HOUR_MS } from '../durations.js'
import { bucketOf } from './histogram.js'
import type { NewRecord } from './read-record.js'
import { BUCKETS, type RollupRow, shownOf } from './record.js'

/** The whole hour at or before a time, and at or after it. */
export const hourBefore = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS
export const hourAfter = (at: number): number => Math.ceil(at / HOUR_MS) * HOUR_MS

export interface Tally {
  readonly deltas: readonly RollupRow[]
  readonly days: readonly { readonly day: number; readonly device_id: string; readonly count: number }[]
  readonly evidence: readonly ReleaseEvidence[]
}

/** The runs of one device under one release. */
export interface ReleaseEvidence {
  readonly release: number
  readonly device_id: string
  runs: number
  failures: number
  denials: number
  at: number
  /** Failures among the first 0, 1, … 5 of these runs. */
  readonly first: number[]
}

const FIRST = 5

export function tally(rows: readonly NewRecord[]): Tally {
  const deltas = new Map<string, RollupRow>()
  const days = new Map<string, { day: number; device_id: string; count: number }>()
  const evidence = new Map<string, ReleaseEvidence>()
  for (const row of rows) {
    addSum(deltas, row)
    addDay(days, row)
    if (row.release > 0) addEvidence(evidence, row)
  }
  return {
    deltas: [...deltas.values()],
    // In one fixed order, so that two writers never deadlock.
    days: [...days.values()].sort((a, b) => a.day - b.day || compare(a.device_id, b.device_id)),
    evidence: [...evidence.values()].sort(
      (a, b) => a.release - b.release || compare(a.device_id, b.device_id),
    ),
  }
}

function addSum(deltas: Map<string, RollupRow>, row: NewRecord): void {
  const hour = Math.floor(row.at / HOUR_MS)
  const verdict = shownOf(row)
  const key = `${hour}\n${row.release}\n${verdict}\n${row.event}\n${row.hook}`
  let delta = deltas.get(key)
  if (!delta) {
    const { hook, event, release } = row
    delta = { hour, hook, event, release, verdict, count: 0, ms_sum: 0, ...NO_BUCKETS }
    deltas.set(key, delta)
  }
  delta.count++
  delta.ms_sum += row.duration_ms
  delta[bucketOf(row.duration_ms)]++
}

const NO_BUCKETS = Object.fromEntries(BUCKETS.map(bucket => [bucket, 0])) as Record<
  (typeof BUCKETS)[number],
  number
>

function addDay(
  days: Map<string, { day: number; device_id: string; count: number }>,
  { at, device_id }: NewRecord,
): void {
  const day = Math.floor(at / DAY_MS)
  const key = `${day} ${device_id}`
  const known = days.get(key)
  if (known) known.count++
  else days.set(key, { day, device_id, count: 1 })
}

function addEvidence(evidence: Map<string, ReleaseEvidence>, row: NewRecord): void {
  const { release, device_id } = row
  const key = `${release} ${device_id}`
  let shown = evidence.get(key)
  if (!shown) {
    shown = { release, device_id, runs: 0, failures: 0, denials: 0, at: row.received_at, first: [0] }
    evidence.set(key, shown)
  }
  shown.runs++
  if (row.verdict === 'failed') shown.failures++
  // A denial in audit mode stopped nothing.
  if (row.verdict === 'deny' && row.observed === 0) shown.denials++
  if (shown.first.length <= FIRST) shown.first.push(shown.failures)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
