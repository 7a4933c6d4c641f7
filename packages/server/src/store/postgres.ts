// PostgreSQL, for several servers on one database.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { Complaint } from '../complaint.js'
import { migrate, mustBeKnown } from './migrations.js'
import { NUMBERS } from './numbers.js'
import type { OpenOptions, Store } from './open.js'
import type { Schema } from './schema.js'

const POOL = 16

export async function openPostgres({ database, now }: OpenOptions): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: database,
    max: POOL,
    types: NUMBERS,
    connectionTimeoutMillis: 10_000,
    application_name: 'holdfast',
  })
  // A connection that dies while nobody uses it is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  // Neither does one that dies while it is in use: its query fails, which is enough.
  pool.on('connect', client => client.on('error', () => {}))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await db.connection().execute(async connection => {
      // Held by the session, over all transactions of the migrations.
      await sql`select pg_advisory_lock(hashtext('holdfast migrations'))`.execute(connection)
      try {
        await migrate(connection as never, 'postgres', now())
      } finally {
        await sql`select pg_advisory_unlock(hashtext('holdfast migrations'))`.execute(connection)
      }
    })
    await mustBeKnown(db as never, 'the database')
  } catch (error) {
    await db.destroy()
    if (error instanceof Complaint) throw error
    throw new Complaint(
      `The database cannot be used: ${(error as Error).message}. Check its address, and that it runs.`,
    )
  }
  return {
    kind: 'postgres',
    database,
    waiting: new Int32Array(new SharedArrayBuffer(4)),
    db,
    write: work => db.transaction().execute(work),
    alone: (name, work) =>
      db.connection().execute(async connection => {
        const { rows } = await sql<{
          held: boolean
        }>`select pg_try_advisory_lock(hashtext(${`holdfast ${name}`})) as held`.execute(connection)
        if (!rows[0]?.held) return null
        try {
          return await work()
        } finally {
          await sql`select pg_advisory_unlock(hashtext(${`holdfast ${name}`}))`.execute(connection)
        }
      }),
    async close() {
      await db.destroy()
    },
  }
}
