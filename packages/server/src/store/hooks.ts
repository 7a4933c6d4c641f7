// Hooks with their drafts, and their published revisions, which are permanent.

import { type Selectable, sql, type Updateable } from 'kysely'
import { contains } from './like.js'
import type { Db, Tx } from './open.js'
import type { HookRow, RevisionRow } from './schema.js'

export type StoredHook = Selectable<HookRow>

export const findHook = (db: Db | Tx, id: number): Promise<StoredHook | undefined> =>
  db.selectFrom('hooks').selectAll().where('id', '=', id).executeTakeFirst()

export const hookNamed = (db: Db | Tx, name: string): Promise<{ id: number } | undefined> =>
  db.selectFrom('hooks').select('id').where('name', '=', name).executeTakeFirst()

export async function hookNamesById(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('hooks').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Sorted by name, with the number of all that match. */
export async function pageOfHooks(
  db: Db,
  text: string,
  after: string | null,
  limit: number,
): Promise<{ rows: StoredHook[]; total: number }> {
  const found = db.selectFrom('hooks').$if(text !== '', query => query.where(contains('name', text)))
  const { total } = await found.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll()
    .$if(after !== null, query => query.where('name', '>', after!))
    .orderBy('name')
    .limit(limit)
    .execute()
  return { rows, total }
}

/** The drafts of all hooks but one. */
export const otherDrafts = (db: Db, id: number): Promise<StoredHook[]> =>
  db.selectFrom('hooks').selectAll().where('draft', 'is not', null).where('id', '<>', id).execute()

/** The fields of a hook without a draft. */
export const NO_DRAFT = {
  draft: null,
  draft_script: null,
  draft_by: null,
  draft_authors: '[]',
  draft_at: null,
  fit: null,
} as const

export const insertHook = (tx: Tx, name: string, at: number): Promise<StoredHook> =>
  tx
    .insertInto('hooks')
    .values({ ...NO_DRAFT, name, draft_version: 0, revision: 0, created_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()

export const updateHook = (tx: Tx, id: number, fields: Updateable<HookRow>): Promise<StoredHook> =>
  tx.updateTable('hooks').set(fields).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Unless the draft has changed. */
export const saveFit = (db: Db | Tx, { id, draft_version }: StoredHook, fit: string) =>
  db
    .updateTable('hooks')
    .set({ fit })
    .where('id', '=', id)
    .where('draft_version', '=', draft_version)
    .execute()

export const findRevision = (db: Db | Tx, hookId: number, number: number): Promise<RevisionRow | undefined> =>
  db
    .selectFrom('revisions')
    .selectAll()
    .where('hook_id', '=', hookId)
    .where('number', '=', number)
    .executeTakeFirst()

/** Newest first. */
export const pageOfRevisions = (db: Db, hookId: number, before: number | null, limit: number) =>
  db
    .selectFrom('revisions')
    .selectAll()
    .where('hook_id', '=', hookId)
    .$if(before !== null, query => query.where('number', '<', before!))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

/** The draft becomes a revision. */
export async function insertRevision(tx: Tx, row: RevisionRow): Promise<void> {
  await tx.insertInto('revisions').values(row).execute()
  await updateHook(tx, row.hook_id, { revision: row.number, ...NO_DRAFT })
}

/** By its hash; the same script is stored once. */
export const putScript = (tx: Tx, sha256: string, content: Uint8Array) =>
  tx
    .insertInto('scripts')
    .values({ sha256, content })
    .onConflict(conflict => conflict.column('sha256').doNothing())
    .execute()
