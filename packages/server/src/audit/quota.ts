// How much one device may send at once and per day, so that one stolen token cannot fill the disk. The buckets of a
// device drain with every batch and fill with time. They are in memory; the count of a day is in the database, for all
// servers and across restarts.

import { openLimit } from '../access/limits.js'
import type { Store } from '../store/open.js'

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
const MOST_BUCKETS = 20_000

interface QuotaBucket {
  records: number
  bytes: number
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
          at,
        }
      : { records: RECORDS.most, bytes: BYTES.most, at }
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
      )
      if (wait > 0) return wait
      bucket.records -= records
      bucket.bytes -= bytes
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

const KIB = 1024
const DAY_KIB = 512 * 1024
const DAY_S = 86_400
/** The overhead of a batch beside its records, because each may start a new segment, which is a row. */
const BATCH_BYTES = 4 * KIB
/** Counted in memory up to here: nearly all devices send less in a day, and cost no query. */
const COUNTED_AT = MIB

export interface DayQuota {
  /** 0 if it may send this much; otherwise the time to wait. */
  take(deviceId: string, bytes: number): Promise<number>
}

export function openDayQuota(store: Store): DayQuota {
  const limit = openLimit(store, { name: 'records', tries: DAY_KIB, inSeconds: DAY_S, lockSeconds: 0 })
  const devices = new Map<string, { uncounted: number; until: number }>()
  return {
    async take(deviceId, bytes) {
      const device = devices.get(deviceId) ?? { uncounted: 0, until: 0 }
      devices.delete(deviceId)
      devices.set(deviceId, device)
      if (devices.size > MOST_BUCKETS) devices.delete(devices.keys().next().value!)
      if (device.until > Date.now()) return device.until - Date.now()
      device.uncounted += bytes + BATCH_BYTES
      if (device.uncounted < COUNTED_AT) return 0
      const counted = device.uncounted
      device.uncounted = 0
      const seconds = await limit.take(deviceId, Math.ceil(counted / KIB))
      device.until = Date.now() + seconds * 1000
      return seconds * 1000
    },
  }
}
