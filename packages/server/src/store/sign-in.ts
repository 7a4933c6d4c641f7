// Sessions and device codes, which the sign-in library writes.

import type { Db, Tx } from './open.js'
import type { DeviceCodeRow } from './schema.js'

export const findSession = (db: Db | Tx, hash: string) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id', 'session.userId', 'session.userAgent', 'session.expiresAt', 'user.email'])
    .where('session.token', '=', hash)
    .executeTakeFirst()

/** False for all but one of several callers. */
export async function deleteSession(db: Db | Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('session').where('id', '=', id).executeTakeFirst()
  return Number(numDeletedRows) === 1
}

export const pendingCode = (db: Db, userCode: string): Promise<DeviceCodeRow | undefined> =>
  db
    .selectFrom('deviceCode')
    .select(['id', 'deviceCode', 'userCode', 'userId', 'status', 'scope', 'expiresAt'])
    .where('userCode', '=', userCode)
    .where('status', '=', 'pending')
    .executeTakeFirst()

export const deleteCodesOf = (tx: Tx, userId: string) =>
  tx.deleteFrom('deviceCode').where('userId', '=', userId).execute()
