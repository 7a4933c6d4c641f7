// A team moves from one database to another, whole or not at all. The old one is held still meanwhile, and refuses to be
// served afterwards.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { Complaint } from './complaint.js'
import { kindOf } from './store/kind.js'
import { MOVED } from './store/migrations.js'
import { openStore, type Tx } from './store/open.js'

/** In an order in which nothing is named before it is there. */
const TABLES = [
  'user',
  'session',
  'account',
  'verification',
  'deviceCode',
  'twoFactor',
  'members',
  'invites',
  'removed_members',
  'tokens',
  'limits',
  'told',
  'team',
  'trust',
  'team_keys',
  'change_requests',
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
/** Whose ids the database itself counts. */
const COUNTED = ['hooks', 'refused_calls', 'rollup_deltas', 'outbox']
/** The library's own yes and no, which PostgreSQL has a type for. */
const FLAGS: ReadonlySet<string> = new Set(['emailVerified', 'twoFactorEnabled', 'verified'])
const ROWS = 200

export interface Moving {
  readonly from: string
  readonly to: string
  readonly onTable?: ((table: string, rows: number) => void) | undefined
  readonly now?: (() => number) | undefined
}

export async function moveTeam({ from, to, onTable, now = Date.now }: Moving): Promise<{ rows: number }> {
  if (isFile(from) && !existsSync(from))
    throw new Complaint(`There is no database ${from}. Say with --database where the team is.`)
  if (isFile(from) && isFile(to) ? resolve(from) === resolve(to) : from === to)
    throw new Complaint('The old database is the new one. Give an empty one with --to.')
  const source = await openStore({ database: from, now })
  try {
    const found = await source.db.selectFrom('team').select('id').executeTakeFirst()
    if (!found) throw new Complaint(`There is no team in ${isFile(from) ? from : 'the database'}.`)
    const target = await openStore({ database: to, now })
    try {
      // Nobody writes to the old one from here on; what was acknowledged is in it.
      return await source.write(async old => {
        const rows = await target.write(fresh => copyAll(old, fresh, kindOf(from), kindOf(to), onTable))
        await old.insertInto('migrations').values({ id: MOVED, at: now() }).execute()
        // A server that still runs on it must not take anything more that nobody would ever see.
        for (const table of ['team', 'cursors', 'admin_head']) {
          await sql`alter table ${sql.table(table)} rename to ${sql.table(`moved_${table}`)}`.execute(old)
        }
        return { rows }
      })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const isFile = (database: string): boolean => kindOf(database) === 'sqlite'

type Kind = ReturnType<typeof kindOf>

async function copyAll(
  old: Tx,
  fresh: Tx,
  fromKind: Kind,
  toKind: Kind,
  onTable: Moving['onTable'],
): Promise<number> {
  if (await fresh.selectFrom('team').select('id').executeTakeFirst()) {
    throw new Complaint('The new database has a team already. Give an empty one.')
  }
  await mustKnowAll(old, fromKind)
  await fresh.deleteFrom('admin_head').execute()
  let total = 0
  for (const table of TABLES) {
    if (table === 'records' && toKind === 'postgres') await makeDays(old, fresh)
    const count = await copyTable(old, fresh, table, toKind)
    total += count
    onTable?.(table, count)
  }
  if (toKind === 'postgres') {
    for (const table of COUNTED) {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), coalesce((select max(id) from ${sql.table(table)}), 0) + 1, false)`.execute(
        fresh,
      )
    }
  }
  const [was, is] = await Promise.all(
    [old, fresh].map(tx => tx.selectFrom('admin_head').selectAll().executeTakeFirst()),
  )
  if (JSON.stringify(was) !== JSON.stringify(is)) throw new Error('the chain of admin actions did not arrive')
  return total
}

/** A table that this list does not know would be left behind without a word. */
async function mustKnowAll(old: Tx, kind: Kind): Promise<void> {
  const { rows } =
    kind === 'sqlite'
      ? await sql<{
          name: string
        }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`.execute(old)
      : await sql<{
          name: string
        }>`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition`.execute(
          old,
        )
  const unknown = rows.map(({ name }) => name).filter(name => name !== 'migrations' && !TABLES.includes(name))
  if (unknown.length > 0) throw new Error(`the tables ${unknown.join(', ')} cannot be moved`)
}

async function makeDays(old: Tx, fresh: Tx): Promise<void> {
  const { rows } = await sql<{ day: number }>`select distinct day from records where day <> 0`.execute(old)
  for (const { day } of rows) {
    const name = sql.table(`records_${Number(day)}`)
    await sql`create table ${name} partition of records for values from (${sql.lit(Number(day))}) to (${sql.lit(Number(day) + 1)})`.execute(
      fresh,
    )
  }
}

async function copyTable(old: Tx, fresh: Tx, table: string, toKind: Kind): Promise<number> {
  const name = sql.table(table)
  const { rows: keys } = await sql<Record<string, unknown>>`select * from ${name} limit 1`.execute(old)
  if (keys.length === 0) return 0
  const columns = Object.keys(keys[0]!)
  const order = sql.join(
    columns
      .filter(column => !/^(content|payload|body|private_key|public_key)$/.test(column))
      .map(column => sql.ref(column)),
  )
  let copied = 0
  for (;;) {
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${name} order by ${order} limit ${ROWS} offset ${copied}`.execute(old)
    if (rows.length === 0) return copied
    const values = rows.map(
      row => sql`(${sql.join(columns.map(column => translated(column, row[column], toKind)))})`,
    )
    await sql`insert into ${name} (${sql.join(columns.map(column => sql.ref(column)))}) values ${sql.join(values)}`.execute(
      fresh,
    )
    copied += rows.length
  }
}

function translated(column: string, value: unknown, toKind: Kind): unknown {
  if (value instanceof ArrayBuffer || value instanceof Uint8Array) return Buffer.from(value as Uint8Array)
  if (FLAGS.has(column)) return toKind === 'postgres' ? Boolean(value) : Number(value)
  if (value instanceof Date && toKind === 'sqlite') return value.toISOString()
  return value
}
