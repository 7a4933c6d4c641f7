// Durations of runs, as counts between limits: sums of such counts can be added, medians cannot.

import { BUCKETS, type Bucket } from './record.js'

/** Upper limits in milliseconds; larger values are in a bucket of their own. */
const BORDERS = [2, 5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1000, 3000, 10_000, 60_000]

export function bucketOf(ms: number): Bucket {
  const index = BORDERS.findIndex(border => ms <= border)
  return BUCKETS[index === -1 ? BORDERS.length : index]!
}

/** The value below which this share of the runs is, assuming an even distribution inside each bucket. */
export function quantile(counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return 0
  const wanted = total * share
  let seen = 0
  for (const [index, count] of counts.entries()) {
    if (count > 0 && seen + count >= wanted) {
      const low = BORDERS[index - 1] ?? 0
      const high = BORDERS[index] ?? BORDERS.at(-1)!
      return low + ((high - low) * (wanted - seen)) / count
    }
    seen += count
  }
  return BORDERS.at(-1)!
}
