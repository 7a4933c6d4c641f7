// The audit log: admin actions, each bound to the one before by its hash, and the head of that chain.

import type { ActionKind } from '@holdfast/team'
import { sql } from 'kysely'
import type { DatabaseKind } from './kind.js'
import { contains } from './like.js'
import type { Db, Tx } from './open.js'
import type { AdminActionRow } from './schema.js'

export const newestAction = (
  db: Db | Tx,
  action: ActionKind,
  { subject, after = 0 }: { readonly subject?: string; readonly after?: number } = {},
) =>
  db
    .selectFrom('admin_actions')
    .selectAll()
    .where('action', '=', action)
    .where('at', '>', after)
    .$if(subject !== undefined, query => query.where('subject', '=', subject!))
    .orderBy('seq', 'desc')
    .executeTakeFirst()

export const readHead = (db: Db | Tx): Promise<{ seq: number; hash: string }> =>
  db.selectFrom('admin_head').select(['seq', 'hash']).executeTakeFirstOrThrow()

/** Changing the row first makes two writers wait for each other in both databases. */
export async function lockHead(tx: Tx): Promise<void> {
  await tx
    .updateTable('admin_head')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .execute()
}

export async function insertAction(tx: Tx, row: AdminActionRow): Promise<void> {
  await tx.insertInto('admin_actions').values(row).execute()
  await tx.updateTable('admin_head').set({ hash: row.hash }).execute()
}

/** Along the chain, after one entry up to another. */
export const actionsBetween = (db: Db, after: number, to: number, limit: number): Promise<AdminActionRow[]> =>
  db
    .selectFrom('admin_actions')
    .selectAll()
    .where('seq', '>', after)
    .where('seq', '<=', to)
    .orderBy('seq')
    .limit(limit)
    .execute()

/** The first entry after one. */
export async function nextAction(db: Db, after: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('admin_actions')
    .select('seq')
    .where('seq', '>', after)
    .orderBy('seq')
    .executeTakeFirst()
  return row?.seq
}

export interface ActionFilter {
  /** In any column that pages show. */
  readonly text: string
  readonly peopleOnly: boolean
  /** 0: any. */
  readonly seq: number
}

export const pageOfActions = (
  db: Db,
  kind: DatabaseKind,
  { text, peopleOnly, seq }: ActionFilter,
  { from, oldestFirst, limit }: { from: number | null; oldestFirst: boolean; limit: number },
) =>
  mentioning(db, kind, text)
    .selectAll()
    .$if(peopleOnly, query => query.where(({ not }) => not(BY_MACHINE)))
    .$if(seq !== 0, query => query.where('seq', '=', seq))
    .$if(from !== null, query => query.where('seq', oldestFirst ? '>' : '<', from!))
    .orderBy('seq', oldestFirst ? 'asc' : 'desc')
    .limit(limit)
    .execute()

export async function countByMachine(db: Db, kind: DatabaseKind, text: string): Promise<number> {
  const { count } = await mentioning(db, kind, text)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(BY_MACHINE)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const mentioning = (db: Db, kind: DatabaseKind, text: string) =>
  db.selectFrom('admin_actions').$if(text !== '', query => query.where(mentions(kind, text)))

/** Searches the text of the action, and the present names of what it names. */
const mentions = (kind: DatabaseKind, text: string) =>
  sql<boolean>`(${sql.join(
    [
      ...['actor', 'action', 'subject'].map(name => contains(name, text)),
      ...(PART_OF_A_HASH.test(text) ? [] : [contains(bodyIn(kind), text)]),
      sql`subject in (select id from devices where ${contains('name', text)})`,
      sql`subject in (select 'device ' || id from devices where ${contains('name', text)})`,
      sql`actor in (select 'device ' || id from devices where ${contains('name', text)})`,
      sql`subject in (select 'hook ' || id from hooks where ${contains('name', text)})`,
      sql`actor in (select email from "user" where ${contains('name', text)})`,
      sql`subject in (select email from "user" where ${contains('name', text)})`,
    ],
    sql` or `,
  )})`

const bodyIn = (kind: DatabaseKind) =>
  kind === 'postgres' ? sql`convert_from(body, 'UTF8')` : sql`cast(body as text)`

/** Every action holds hashes: "ada" would find each one whose hash has these letters. */
const PART_OF_A_HASH = /^[0-9a-f]{1,7}$/i

/** People are named by their email address, which is never one word and has no space. */
const BY_MACHINE = sql<boolean>`(actor in ('server', 'nobody') or actor like 'device %')`

/** Where the objects that actions name have their present names. */
const NAMES = {
  device: ['devices', 'id', 'name'],
  member: ['user', 'email', 'name'],
  hook: ['hooks', 'id', 'name'],
  'enrolment-key': ['enrolment_keys', 'id', 'note'],
} as const
/** Ids per query; SQLite and PostgreSQL both accept more. */
const AT_ONCE = 5_000

/** Of these ids, as far as they have names. */
export async function presentNames(
  db: Db,
  kind: keyof typeof NAMES,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const [table, id, name] = NAMES[kind]
  const found: { id: string; name: string }[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE)
    const values = kind === 'hook' ? some.map(Number) : some
    const { rows } = await sql<{ id: string | number; name: string }>`
      select ${sql.ref(id)} as id, ${sql.ref(name)} as name from ${sql.table(table)}
      where ${sql.ref(id)} in (${sql.join(values)}) and ${sql.ref(name)} <> ''`.execute(db)
    found.push(...rows.map(row => ({ id: String(row.id), name: row.name })))
  }
  return found
}
