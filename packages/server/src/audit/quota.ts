// How much one device may send: in a burst, and in a day, so that one stolen token cannot fill the disk. The buckets of a
// device drain with every batch and fill with time. They are in memory: a restart fills them.

export interface Quota {
  /** 0 when it may send so much now; otherwise how long to wait. */
  take(deviceId: string, records: number, bytes: number): number
  /** How long a device that is asked to should wait before the next batch. */
  pause(deviceId: string): number
}

/** What a device may send after it was silent for long, and how fast that comes back. */
const RECORDS = { most: 20_000, perSecond: 200 }
const MIB = 1024 * 1024
const BYTES = { most: 64 * MIB, perSecond: MIB }
const DAY_BYTES = { most: 512 * MIB, perSecond: (512 * MIB) / 86_400 }
/** Of the day: what a batch costs beside its records, as each may begin a new segment, which is a row. */
const BATCH_BYTES = 4096
const MOST_BUCKETS = 20_000

interface Bucket {
  records: number
  bytes: number
  dayBytes: number
  at: number
}

export function openQuota(now: () => number): Quota {
  const buckets = new Map<string, Bucket>()

  const bucketOf = (deviceId: string): Bucket => {
    const at = now()
    const known = buckets.get(deviceId)
    const seconds = known ? Math.max(0, at - known.at) / 1000 : 0
    const bucket = known
      ? {
          records: Math.min(RECORDS.most, known.records + seconds * RECORDS.perSecond),
          bytes: Math.min(BYTES.most, known.bytes + seconds * BYTES.perSecond),
          dayBytes: Math.min(DAY_BYTES.most, known.dayBytes + seconds * DAY_BYTES.perSecond),
          at,
        }
      : { records: RECORDS.most, bytes: BYTES.most, dayBytes: DAY_BYTES.most, at }
    buckets.delete(deviceId)
    buckets.set(deviceId, bucket)
    // Who has been silent for longest has a full bucket, or nearly.
    if (buckets.size > MOST_BUCKETS) buckets.delete(buckets.keys().next().value!)
    return bucket
  }
  const waitFor = (missing: number, perSecond: number) => Math.max(0, Math.ceil((missing / perSecond) * 1000))

  return {
    take(deviceId, records, bytes) {
      const bucket = bucketOf(deviceId)
      const wait = Math.max(
        waitFor(records - bucket.records, RECORDS.perSecond),
        waitFor(bytes - bucket.bytes, BYTES.perSecond),
        waitFor(bytes + BATCH_BYTES - bucket.dayBytes, DAY_BYTES.perSecond),
      )
      if (wait > 0) return wait
      bucket.records -= records
      bucket.bytes -= bytes
      bucket.dayBytes -= bytes + BATCH_BYTES
      return 0
    },
    pause(deviceId) {
      const { records, bytes } = bucketOf(deviceId)
      // Slower as the bucket gets empty, so that hardly anybody is ever refused.
      const left = Math.min(records / RECORDS.most, bytes / BYTES.most)
      return left > 0.5 ? 0 : Math.round((0.5 - left) * 2 * 5000)
    },
  }
}
