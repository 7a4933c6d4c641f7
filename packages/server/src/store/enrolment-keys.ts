// Keys that enrol a fleet.

import { afterNewest } from './like.js'
import type { Db, Tx } from './open.js'
import type { EnrolmentKeyRow } from './schema.js'

export const findKey = (db: Db | Tx, id: string): Promise<EnrolmentKeyRow | undefined> =>
  db.selectFrom('enrolment_keys').selectAll().where('id', '=', id).executeTakeFirst()

export const insertEnrolmentKey = (tx: Tx, row: EnrolmentKeyRow) =>
  tx.insertInto('enrolment_keys').values(row).execute()

/** An earlier end stays. */
export const revokeEnrolmentKey = (tx: Tx, { id, revoked_at }: EnrolmentKeyRow, at: number) =>
  tx
    .updateTable('enrolment_keys')
    .set({ revoked_at: revoked_at ?? at })
    .where('id', '=', id)
    .execute()

/** Those that were valid. */
export const revokeKeysBy = (tx: Tx, maker: string, at: number) =>
  tx
    .updateTable('enrolment_keys')
    .set({ revoked_at: at })
    .where('created_by', '=', maker)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .returning(['id', 'uses', 'max_uses'])
    .execute()

/** Counted in the same statement, so that two concurrent uses do not both get the last one. False if none is left. */
export async function countUse(db: Db | Tx, { id, max_uses }: EnrolmentKeyRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('enrolment_keys')
    .set(({ eb }) => ({ uses: eb('uses', '+', 1) }))
    .where('id', '=', id)
    .where('uses', '<', max_uses)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** Newest first, with expired ones: they show how a device was enrolled. */
export const pageOfKeys = (db: Db, after: readonly [number, string] | null, limit: number) =>
  db
    .selectFrom('enrolment_keys')
    .selectAll()
    .where(afterNewest(after))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
