// The team's keys and the versions of its root metadata.

import type { Db, Tx } from './open.js'
import type { TeamKeyRow } from './schema.js'

export const insertKey = (tx: Tx, row: TeamKeyRow) => tx.insertInto('team_keys').values(row).execute()

/** In the order in which they were made. */
export const allKeys = (db: Db | Tx): Promise<TeamKeyRow[]> =>
  db.selectFrom('team_keys').selectAll().orderBy('created_at').orderBy('id').execute()

/** A private key that is erased cannot be stolen. */
export const retireKey = (tx: Tx, id: string, at: number) =>
  tx.updateTable('team_keys').set({ retired_at: at, private_key: null }).where('id', '=', id).execute()

export const insertTrust = (tx: Tx, version: number, seal: string, at: number) =>
  tx.insertInto('trust').values({ version, seal, at }).execute()

export const updateTrust = (tx: Tx, version: number, seal: string) =>
  tx.updateTable('trust').set({ seal }).where('version', '=', version).execute()

/** As JSON, in the order of the versions. */
export async function trustEnvelopes(db: Db | Tx): Promise<string[]> {
  const rows = await db.selectFrom('trust').select('seal').orderBy('version').execute()
  return rows.map(({ seal }) => seal)
}
