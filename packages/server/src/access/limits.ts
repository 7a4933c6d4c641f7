// Limits failed attempts. Counted in the database, so that a second server process or a restart does not reset the
// count.

import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { limiterClient } from '../store/limiter.js'
import type { Store } from '../store/open.js'
import { sha256 } from './token.js'

export interface Rule {
  readonly name: string
  readonly tries: number
  readonly inSeconds: number
  /** How long the limit blocks after the last attempt. */
  readonly lockSeconds: number
}

export interface Limit {
  /** Takes attempts; returns the seconds to wait, or 0 if enough were left. (default: 1) */
  take(key: string, attempts?: number): Promise<number>
  /** Seconds until the limit no longer blocks; 0 if it does not. */
  shutFor(key: string): Promise<number>
  /** The attempt failed: if it was the last, the limit blocks for the full time. */
  failed(key: string): Promise<void>
  /** The attempt was valid: returns it. */
  giveBack(key: string): Promise<void>
  forgive(key: string): Promise<void>
}

export function openLimit(store: Store, { name, tries, inSeconds, lockSeconds }: Rule): Limit {
  const limiter = new RateLimiterPostgres({
    storeClient: limiterClient(store),
    storeType: 'client',
    tableName: 'limits',
    tableCreated: true,
    // Old rows are deleted with everything else that has expired (store/expired.ts).
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points: tries,
    duration: inSeconds,
    blockDuration: lockSeconds,
  })
  // Users type passwords into address fields, so the key of a limit is hashed.
  const named = (key: string) => sha256(key).toString('hex').slice(0, 32)
  const wait = (result: RateLimiterRes) => Math.max(1, Math.ceil(result.msBeforeNext / 1000))
  return {
    async take(key, attempts = 1) {
      try {
        await limiter.consume(named(key), attempts)
        return 0
      } catch (error) {
        if (error instanceof RateLimiterRes) return wait(error)
        throw error
      }
    },
    async shutFor(key) {
      const result = await limiter.get(named(key))
      return result !== null && result.consumedPoints > tries ? wait(result) : 0
    },
    async failed(key) {
      const result = await limiter.get(named(key))
      if (result !== null && result.consumedPoints >= tries) await limiter.block(named(key), lockSeconds)
    },
    async giveBack(key) {
      await limiter.reward(named(key))
    },
    async forgive(key) {
      await limiter.delete(named(key))
    },
  }
}
