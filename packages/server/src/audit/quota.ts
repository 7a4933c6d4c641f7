// How much one device may send at once and per day, so that one stolen token cannot fill the disk. The buckets of a
// device drain with every batch and fill with time. They are in memory: a restart fills them.

export interface Quota {
  /** 0 if it may send this much now; otherwise the time to wait. */
  take(deviceId: string, records: number, bytes: number): number
  /** The delay that the server requests before the next batch. */
  pause(deviceId: string): number
}

/** The largest burst of a device after silence, and its refill rate. */
const RECORDS = { most: 20_000, perSecond: 200 }
const MIB = 1024 * 1024
const BYTES = { most: 64 * MIB, perSecond: MIB }
const DAY_BYTES = { most: 512 * MIB, perSecond: (512 * MIB) / 86_400 }
/** Daily: the overhead of a batch beside its records, because each may start a new segment, which is a row. */
const BATCH_BYTES = 4096
const MOST_BUCKETS = 20_000

interface QuotaBucket {
  records: number
  bytes: number
  dayBytes: number
  at: number
}

export function openQuota(now: () => number): Quota {
  const buckets = new Map<string, QuotaBucket>()

  const bucketOf = (deviceId: string): QuotaBucket => {
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
    // A device that was silent for longest has a full bucket, or nearly.
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
      // Slower as the bucket gets empty, so that devices are rarely rejected.
      const left = Math.min(records / RECORDS.most, bytes / BYTES.most)
      return left > 0.5 ? 0 : Math.round((0.5 - left) * 2 * 5000)
    },
  }
}
