// Tokens of devices and of people's scripts.

import type { Db } from './open.js'
import type { TokenRow } from './schema.js'

export interface ExpiringFilter {
  /** The end lies after this and not beyond `until`. */
  readonly after: number
  readonly until: number
  readonly usedAfter: number
  readonly owner: string | undefined
  readonly limit: number
}

/** Tokens of people that are still used and end soon, the first to end first. */
export const expiringTokens = (
  db: Db,
  { after, until, usedAfter, owner, limit }: ExpiringFilter,
): Promise<Pick<TokenRow, 'id' | 'name' | 'created_at' | 'expires_at'>[]> =>
  db
    .selectFrom('tokens')
    .select(['id', 'name', 'created_at', 'expires_at'])
    .where('kind', '=', 'person')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', after)
    .where('expires_at', '<=', until)
    .where('last_used_at', '>', usedAfter)
    .$if(owner !== undefined, query => query.where('owner', '=', owner!))
    .orderBy('expires_at')
    .limit(limit)
    .execute()
