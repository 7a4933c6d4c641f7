// Releases and the revisions that they hold.

import type { Db, Tx } from './open.js'
import type { ReleaseRow } from './schema.js'

/** Sent out and not halted. */
const OUT = ['rolling', 'done'] as const

export const findRelease = (db: Db | Tx, number: number): Promise<ReleaseRow | undefined> =>
  db.selectFrom('releases').selectAll().where('number', '=', number).executeTakeFirst()

/** The newest first. */
export const releasesOut = (
  db: Db | Tx,
  { below = Number.MAX_SAFE_INTEGER, limit = 1 }: { below?: number; limit?: number } = {},
) =>
  db
    .selectFrom('releases')
    .selectAll()
    .where('state', 'in', OUT)
    .where('number', '<', below)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

export async function newestOut(db: Db | Tx): Promise<{ number: number; expires_at: number } | undefined> {
  return db
    .selectFrom('releases')
    .select(['number', 'expires_at'])
    .where('state', 'in', OUT)
    .orderBy('number', 'desc')
    .executeTakeFirst()
}

/** 0 when there is none. */
export async function newestIn(db: Db | Tx, state: ReleaseRow['state']): Promise<number> {
  const row = await db
    .selectFrom('releases')
    .select('number')
    .where('state', '=', state)
    .orderBy('number', 'desc')
    .executeTakeFirst()
  return row?.number ?? 0
}

/** The newest first, without their payloads. */
export const releaseHeads = (db: Db | Tx) =>
  db
    .selectFrom('releases')
    .select(['number', 'hash', 'state', 'ring', 'signatures'])
    .orderBy('number', 'desc')
    .execute()

/** The release before one, halted ones left out. */
export const releaseBefore = (db: Db | Tx, number: number): Promise<ReleaseRow | undefined> =>
  db
    .selectFrom('releases')
    .selectAll()
    .where('number', '<', number)
    .where('state', '<>', 'halted')
    .orderBy('number', 'desc')
    .executeTakeFirst()

/** The newest first. */
export const pageOfReleases = (db: Db, below: number | null, limit: number): Promise<ReleaseRow[]> =>
  db
    .selectFrom('releases')
    .selectAll()
    .$if(below !== null, query => query.where('number', '<', below!))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

export const signedReleases = (db: Db | Tx) =>
  db
    .selectFrom('releases')
    .select(['number', 'payload', 'hash', 'signatures'])
    .where('signatures', '<>', '[]')
    .execute()

export async function insertRelease(
  tx: Tx,
  row: ReleaseRow,
  hooks: readonly { readonly id: number; readonly revision: number }[],
): Promise<void> {
  await tx.insertInto('releases').values(row).execute()
  for (const { id, revision } of hooks) {
    await tx.insertInto('release_hooks').values({ release: row.number, hook_id: id, revision }).execute()
  }
}

export const updateRelease = (tx: Tx, number: number, fields: Partial<ReleaseRow>) =>
  tx.updateTable('releases').set(fields).where('number', '=', number).execute()

/** The releases that hold a revision. */
export async function releasesWith(db: Db | Tx, hookId: number, revision: number): Promise<number[]> {
  const rows = await db
    .selectFrom('release_hooks')
    .select('release')
    .where('hook_id', '=', hookId)
    .where('revision', '=', revision)
    .orderBy('release')
    .execute()
  return rows.map(({ release }) => release)
}

export async function scriptsBySum(db: Db | Tx, sums: readonly string[]): Promise<Map<string, Uint8Array>> {
  if (sums.length === 0) return new Map()
  const rows = await db.selectFrom('scripts').selectAll().where('sha256', 'in', sums).execute()
  return new Map(rows.map(({ sha256, content }) => [sha256, new Uint8Array(content)]))
}
