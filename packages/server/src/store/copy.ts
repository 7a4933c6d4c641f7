// Every row of a team, from one database into another that is empty: to move it, to back it up and to restore it.

import { sql } from 'kysely'
import { UsageError } from '../usage-error.js'
import type { DatabaseKind } from './kind.js'
import { MOVED } from './migrations.js'
import type { Db, Tx } from './open.js'
import { findTeam } from './team.js'

/** In an order in which references point to existing rows. */
const TABLES = [
  'user',
  'session',
  'account',
  'verification',
  'deviceCode',
  'twoFactor',
  'passkey',
  'members',
  'invites',
  'removed_members',
  'tokens',
  'limits',
  'told',
  'duties',
  'team',
  'trust',
  'team_keys',
  'change_requests',
  'vouches',
  'hooks',
  'scripts',
  'revisions',
  'releases',
  'release_hooks',
  'ring_members',
  'pins',
  'devices',
  'enrolment_keys',
  'evidence',
  'refused_calls',
  'records',
  'cursors',
  'rollup',
  'rollup_deltas',
  'device_days',
  'outbox',
  'admin_actions',
  'admin_head',
]
/** Tables whose ids the database generates. */
const COUNTED = ['hooks', 'refused_calls', 'rollup_deltas', 'outbox']
/** The booleans of the library, for which PostgreSQL has a type. */
const FLAGS: ReadonlySet<string> = new Set(['emailVerified', 'twoFactorEnabled', 'verified', 'backedUp'])
const ROWS = 500
/** Scripts and releases have up to a MiB each. */
const LARGE: ReadonlySet<string> = new Set(['scripts', 'releases'])
const LARGE_ROWS = 20

export type OnTable = (table: string, rows: number) => void

/** `old` must not change meanwhile: a transaction that writes, or a snapshot. Returns the number of rows. */
export async function copyTeam(
  old: Db | Tx,
  fresh: Tx,
  kinds: { readonly from: DatabaseKind; readonly to: DatabaseKind },
  onTable?: OnTable,
): Promise<number> {
  if (await findTeam(fresh)) {
    throw new UsageError('The new database has a team already. Give an empty one.')
  }
  const found = new Set(await tablesIn(old, kinds.from))
  const unknown = [...found].filter(name => name !== 'migrations' && !TABLES.includes(name))
  // It would be lost without a message.
  if (unknown.length > 0) throw new Error(`the tables ${unknown.join(', ')} cannot be moved`)
  await fresh.deleteFrom('admin_head').execute()
  let total = 0
  for (const table of TABLES) {
    // A server of an older version did not have it.
    if (!found.has(table)) continue
    if (table === 'records' && kinds.to === 'postgres') await makeDays(old, fresh)
    const count = await copyTable(old, fresh, table, kinds)
    total += count
    onTable?.(table, count)
  }
  if (kinds.to === 'postgres') {
    for (const table of COUNTED) {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), coalesce((select max(id) from ${sql.table(table)}), 0) + 1, false)`.execute(
        fresh,
      )
    }
  }
  const [was, is] = await Promise.all(
    [old, fresh].map(db => db.selectFrom('admin_head').selectAll().executeTakeFirst()),
  )
  if (JSON.stringify(was) !== JSON.stringify(is))
    throw new Error('the chain of admin actions was not copied correctly')
  return total
}

async function tablesIn(db: Db | Tx, kind: DatabaseKind): Promise<string[]> {
  const query =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
      : sql<{
          name: string
        }>`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition`
  return (await query.execute(db)).rows.map(({ name }) => name)
}

async function keyOf(db: Db | Tx, table: string, kind: DatabaseKind): Promise<string[]> {
  const query =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${table}) where pk > 0 order by pk`
      : sql<{
          name: string
        }>`select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = to_regclass(quote_ident(${table})) and i.indisprimary order by array_position(i.indkey::int2[], a.attnum)`
  return (await query.execute(db)).rows.map(({ name }) => name)
}

async function makeDays(old: Db | Tx, fresh: Tx): Promise<void> {
  const { rows } = await sql<{ day: number }>`select distinct day from records where day <> 0`.execute(old)
  for (const { day } of rows) {
    const name = sql.table(`records_${Number(day)}`)
    await sql`create table ${name} partition of records for values from (${sql.lit(Number(day))}) to (${sql.lit(Number(day) + 1)})`.execute(
      fresh,
    )
  }
}

/** Page by page along the primary key, so that each row is read once. */
async function copyTable(
  old: Db | Tx,
  fresh: Tx,
  table: string,
  kinds: { readonly from: DatabaseKind; readonly to: DatabaseKind },
): Promise<number> {
  const name = sql.table(table)
  const key = await keyOf(old, table, kinds.from)
  const columns = sql.join(key.map(column => sql.ref(column)))
  const size = LARGE.has(table) ? LARGE_ROWS : ROWS
  let last: Record<string, unknown> | undefined
  for (let copied = 0; ; ) {
    const after: Record<string, unknown> | undefined = last
    const place = after ? sql`where (${columns}) > (${sql.join(key.map(column => after[column]))})` : sql``
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${name} ${place} order by ${columns} limit ${size}`.execute(old)
    last = rows.at(-1)
    if (!last) return copied
    const names = Object.keys(last)
    const values = rows.map(
      row => sql`(${sql.join(names.map(column => translated(column, row[column], kinds.to)))})`,
    )
    await sql`insert into ${name} (${sql.join(names.map(column => sql.ref(column)))}) values ${sql.join(values)}`.execute(
      fresh,
    )
    copied += rows.length
  }
}

function translated(column: string, value: unknown, toKind: DatabaseKind): unknown {
  if (value instanceof ArrayBuffer || value instanceof Uint8Array) return Buffer.from(value as Uint8Array)
  if (FLAGS.has(column)) return toKind === 'postgres' ? Boolean(value) : Number(value)
  if (value instanceof Date && toKind === 'sqlite') return value.toISOString()
  return value
}

/** A server that still runs on it must not accept changes that would be lost. */
export async function markMoved(old: Tx, at: number): Promise<void> {
  await old.insertInto('migrations').values({ id: MOVED, at }).execute()
  for (const table of ['team', 'cursors', 'admin_head'])
    await sql`alter table ${sql.table(table)} rename to ${sql.table(`moved_${table}`)}`.execute(old)
}

/** One file of SQLite, without a log beside it. */
export const withoutLog = (db: Db) => sql`pragma journal_mode = delete`.execute(db)

/** Of a file of SQLite: its pages, and rows that refer to others. Undefined if it is complete. */
export async function damageIn(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
  const { rows: dangling } = await sql`pragma foreign_key_check`.execute(db)
  const problem = rows.map(row => row.integrity_check).find(text => text !== 'ok')
  return problem ?? (dangling.length > 0 ? 'rows refer to rows that are missing' : undefined)
}
