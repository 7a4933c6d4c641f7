// Devices and groups that stay on a release.

import type { Db, Tx } from './open.js'
import type { PinRow } from './schema.js'

export const allPins = (db: Db | Tx): Promise<PinRow[]> => db.selectFrom('pins').selectAll().execute()

export const pinsOf = (db: Db | Tx, kind: PinRow['kind'], whom: readonly string[]): Promise<PinRow[]> =>
  db.selectFrom('pins').selectAll().where('kind', '=', kind).where('whom', 'in', whom).execute()

export async function putPin(tx: Tx, row: PinRow): Promise<void> {
  await deletePin(tx, row.kind, row.whom)
  await tx.insertInto('pins').values(row).execute()
}

/** The release that it named. */
export async function deletePin(tx: Tx, kind: PinRow['kind'], whom: string): Promise<number | undefined> {
  const row = await tx
    .deleteFrom('pins')
    .where('kind', '=', kind)
    .where('whom', '=', whom)
    .returning('release')
    .executeTakeFirst()
  return row?.release
}

/** In the order of kind and name. */
export const pageOfPins = (db: Db, last: readonly [kind: string, whom: string] | null, limit: number) =>
  db
    .selectFrom('pins')
    .selectAll()
    .$if(last !== null, query => {
      const [kind, whom] = last! as [PinRow['kind'], string]
      return query.where(({ eb, or, and }) =>
        or([eb('kind', '>', kind), and([eb('kind', '=', kind), eb('whom', '>', whom)])]),
      )
    })
    .orderBy('kind')
    .orderBy('whom')
    .limit(limit)
    .execute()
