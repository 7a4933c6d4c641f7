// Tokens of devices and of people's scripts.

import { sql } from 'kysely'
import { afterNewest } from './like.js'
import type { Db, Tx } from './open.js'
import type { TokenRow } from './schema.js'

export const insertToken = (tx: Tx, row: TokenRow) => tx.insertInto('tokens').values(row).execute()

const valid = (db: Db | Tx, kind: TokenRow['kind'], owner: string) =>
  db.selectFrom('tokens').where('owner', '=', owner).where('kind', '=', kind).where('revoked_at', 'is', null)

/** Newest first; those that were revoked are gone. */
export const pageOfTokens = (
  db: Db,
  userId: string,
  after: readonly [number, string] | null,
  limit: number,
) =>
  valid(db, 'person', userId)
    .selectAll()
    .where(afterNewest(after))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()

export async function countTokens(tx: Tx, userId: string, at: number): Promise<number> {
  const { count } = await valid(tx, 'person', userId)
    .select(sql<number>`count(*)`.as('count'))
    .where('expires_at', '>', at)
    .executeTakeFirstOrThrow()
  return count
}

/** Those of a device besides the one that it uses, newest first. */
export async function unusedTokens(tx: Tx, deviceId: string, used: string): Promise<string[]> {
  const rows = await valid(tx, 'device', deviceId)
    .select('id')
    .where('id', '<>', used)
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

export const deleteTokens = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('tokens').where('id', 'in', ids).execute()

const revoke = (tx: Tx, kind: TokenRow['kind'], at: number) =>
  tx.updateTable('tokens').set({ revoked_at: at }).where('kind', '=', kind).where('revoked_at', 'is', null)

export const revokeTokensOf = (tx: Tx, kind: TokenRow['kind'], owner: string, at: number) =>
  revoke(tx, kind, at).where('owner', '=', owner).execute()

/** Of the devices that were enrolled by a key. */
export const revokeTokensByKey = (tx: Tx, key: string, at: number) =>
  revoke(tx, 'device', at)
    .where('owner', 'in', eb => eb.selectFrom('devices').select('id').where('enrolment_key', '=', key))
    .execute()

/** Undefined unless it is a valid token of this user. */
export const revokePersonToken = (tx: Tx, userId: string, id: string, at: number) =>
  revoke(tx, 'person', at)
    .where('id', '=', id)
    .where('owner', '=', userId)
    .returning('name')
    .executeTakeFirst()

/** Makes a renewed token the one in use, and revokes the older ones. False if a newer one was used in the meantime. */
export async function promoteToken(tx: Tx, deviceId: string, tokenId: string, at: number): Promise<boolean> {
  // Locks the row of the device first, so that of two tokens with a simultaneous first use, one waits.
  await tx
    .updateTable('devices')
    .set({ state: eb => eb.ref('state') })
    .where('id', '=', deviceId)
    .execute()
  const token = await valid(tx, 'device', deviceId)
    .select('created_at')
    .where('id', '=', tokenId)
    .executeTakeFirst()
  if (!token) return false
  await tx.updateTable('devices').set({ token_id: tokenId }).where('id', '=', deviceId).execute()
  await revoke(tx, 'device', at)
    .where('owner', '=', deviceId)
    .where('id', '<>', tokenId)
    .where('created_at', '<=', token.created_at)
    .execute()
  return true
}

/** Tokens with the devices, members and users that own them. */
export const ownedTokens = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('tokens')
    .leftJoin('devices', 'devices.id', 'tokens.owner')
    .leftJoin('members', 'members.user_id', 'tokens.owner')
    .leftJoin('user', 'user.id', 'tokens.owner')
    .selectAll('tokens')
    .select(['devices.place', 'devices.group', 'devices.operating_system', 'devices.token_id'])
    .select(['devices.revoked_at as gone_at', 'members.role as member_role', 'user.email'])
    .where('tokens.id', 'in', ids)
    .execute()

export interface ExpiringFilter {
  /** The end lies after this and not beyond `until`. */
  readonly after: number
  readonly until: number
  readonly usedAfter: number
  readonly owner: string | undefined
  readonly limit: number
}

/** Tokens of people that are still used and end soon, the first to end first. */
export const expiringTokens = (db: Db, { after, until, usedAfter, owner, limit }: ExpiringFilter) =>
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
