// How often one device may call, so that a loop in a client or a stolen token cannot overload the server. Counted in
// memory, before the body is read. A poll without a change costs no more than this, and is not counted.

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { RequestError } from '../request-error.js'

const BATCHES = 'DeviceService/SendRecords'
const MINUTE_S = 60
/** A device needs two calls for each release: one that comes every second is still fetched in time. */
export const MOST_CALLS = 240
/** A backlog is sent batch by batch, as fast as its size allows (audit/quota.ts). */
export const MOST_BATCHES = 600

export interface RateLimit {
  /** Counts a call; returns the rejection if there were too many. */
  take(method: string, deviceId: string): Promise<RequestError | null>
}

export function openRateLimit(): RateLimit {
  const calls = new RateLimiterMemory({ points: MOST_CALLS, duration: MINUTE_S })
  const batches = new RateLimiterMemory({ points: MOST_BATCHES, duration: MINUTE_S })
  return {
    async take(method, deviceId) {
      const [limiter, most] = method === BATCHES ? [batches, MOST_BATCHES] : [calls, MOST_CALLS]
      try {
        await limiter.consume(deviceId)
        return null
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
        return new RequestError(
          'too-much',
          `This device has called ${most} times within a minute. Try again in ${seconds} s.`,
          { waitSeconds: seconds, isKnown: error.consumedPoints > most + 1 },
        )
      }
    },
  }
}
