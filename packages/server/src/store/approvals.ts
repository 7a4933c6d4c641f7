// Changes that wait for a second person, and what decides whether two people are independent.

import type { Db, Tx } from './open.js'
import type { ChangeRequestRow } from './schema.js'

export const requestsSince = (db: Db | Tx, since: number): Promise<ChangeRequestRow[]> =>
  db.selectFrom('change_requests').selectAll().where('at', '>', since).orderBy('at').execute()

export const findRequest = (db: Db | Tx, id: string, since: number): Promise<ChangeRequestRow | undefined> =>
  db.selectFrom('change_requests').selectAll().where('id', '=', id).where('at', '>', since).executeTakeFirst()

/** Replaces the same request, and an earlier one of the same person for the subject; removes expired ones. */
export async function putRequest(tx: Tx, row: ChangeRequestRow, since: number): Promise<void> {
  await tx
    .deleteFrom('change_requests')
    .where(({ eb, or, and }) =>
      or([
        eb('at', '<=', since),
        eb('id', '=', row.id),
        and([
          eb('method', '=', row.method),
          eb('subject', '=', row.subject),
          eb('user_id', '=', row.user_id),
        ]),
      ]),
    )
    .execute()
  await tx.insertInto('change_requests').values(row).execute()
}

export async function deleteRequest(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('change_requests').where('id', '=', id).execute()
}

export async function deleteRequestsFor(tx: Tx, method: string): Promise<void> {
  await tx.deleteFrom('change_requests').where('method', '=', method).execute()
}

export async function hasFourEyes(db: Db | Tx): Promise<boolean> {
  const { rollout } = await db.selectFrom('team').select('rollout').executeTakeFirstOrThrow()
  return (JSON.parse(rollout) as { fourEyes: boolean }).fourEyes
}

/** Outlives the membership of both: removing the one in between makes nobody independent. */
export async function addVouch(tx: Tx, vouch: { by: string; whom: string; at: number }): Promise<void> {
  await tx
    .insertInto('vouches')
    .values(vouch)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

export const vouchesSince = (db: Db | Tx, since: number): Promise<{ by: string; whom: string }[]> =>
  db.selectFrom('vouches').select(['by', 'whom']).where('at', '>', since).execute()
