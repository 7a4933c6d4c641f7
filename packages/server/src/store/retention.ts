// How long records are kept, legal holds, and pending changes.

import type { Db, Tx } from './open.js'

/** A confirmed shortening below the floor that has not taken effect. */
export interface Shortening {
  readonly days: number
  /** The first admin, and when the second admin confirmed it. */
  readonly by: string
  readonly at: number
  readonly dueAt: number
}

export interface Hold {
  readonly reason: string
  readonly by: string
  readonly at: number
}

export interface Retention {
  readonly recordDays: number
  readonly shortening: Shortening | null
  readonly hold: Hold | null
}

export async function retentionIn(db: Db | Tx): Promise<Retention> {
  const { record_days, shortening, legal_hold } = await db
    .selectFrom('team')
    .select(['record_days', 'shortening', 'legal_hold'])
    .executeTakeFirstOrThrow()
  return { recordDays: record_days, shortening: JSON.parse(shortening), hold: JSON.parse(legal_hold) }
}

/** Also ends a shortening. */
export async function putRecordDays(tx: Tx, days: number): Promise<void> {
  await tx.updateTable('team').set({ record_days: days, shortening: 'null' }).execute()
}

export async function putShortening(tx: Tx, shortening: Shortening): Promise<void> {
  await tx
    .updateTable('team')
    .set({ shortening: JSON.stringify(shortening) })
    .execute()
}

export async function putHold(tx: Tx, hold: Hold | null): Promise<void> {
  await tx
    .updateTable('team')
    .set({ legal_hold: JSON.stringify(hold) })
    .execute()
}
