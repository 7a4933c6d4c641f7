// How often somebody may be wrong. Counted in the database: a second server process, or a new start, does not give the
// guesser a second chance.

import { CompiledQuery } from 'kysely'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Store } from '../store/open.js'
import { sha256 } from './token.js'

export interface Rule {
  readonly name: string
  readonly tries: number
  readonly inSeconds: number
  /** How long it is shut after the last try. */
  readonly lockSeconds: number
}

export interface Limit {
  /** Takes one try; how many seconds to wait, or 0 when there was one left. */
  take(key: string): Promise<number>
  /** Seconds for which it is still shut; 0 when it is open. */
  shutFor(key: string): Promise<number>
  /** The try failed: when it was the last, the door shuts for the whole time. */
  failed(key: string): Promise<void>
  /** It was not wrong after all. */
  giveBack(key: string): Promise<void>
  forgive(key: string): Promise<void>
}

export function openLimit(store: Store, { name, tries, inSeconds, lockSeconds }: Rule): Limit {
  const limiter = new RateLimiterPostgres({
    storeClient: asClient(store),
    storeType: 'client',
    tableName: 'limits',
    tableCreated: true,
    // Old rows are swept with everything else that is over (people/tidy.ts).
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points: tries,
    duration: inSeconds,
    blockDuration: lockSeconds,
  })
  // People type passwords where addresses belong; what is counted by need not be readable.
  const named = (key: string) => sha256(key).toString('hex').slice(0, 32)
  const wait = (result: RateLimiterRes) => Math.max(1, Math.ceil(result.msBeforeNext / 1000))
  return {
    async take(key) {
      try {
        await limiter.consume(named(key))
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

/** The limiter speaks to a client of PostgreSQL. Its statements are those of SQLite, too, but for how they count. */
const asClient = ({ kind, db }: Store) => ({
  async query({ text, values = [] }: { text: string; values?: unknown[] }) {
    const statement = kind === 'sqlite' ? text.replaceAll(/\$(\d)/g, '?$1') : text
    const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(statement, values))
    return { rows, rowCount: rows.length || Number(numAffectedRows ?? 0) }
  },
})
