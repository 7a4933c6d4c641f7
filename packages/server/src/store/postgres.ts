// PostgreSQL, for several servers on one database.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { Complaint } from '../complaint.js'
import { migrate, unknownMigrations } from './migrations.js'
import type { OpenOptions, Store } from './open.js'
import type { Schema } from './schema.js'

const POOL = 16

/** Counts and times fit into a number; strings in their place would be a trap. */
const INT8 = 20
const NUMERIC = 1700
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

export async function openPostgres({ database, now }: OpenOptions): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: database,
    max: POOL,
    types: types as pg.CustomTypesConfig,
    connectionTimeoutMillis: 10_000,
    application_name: 'holdfast',
  })
  // A connection that dies while nobody uses it is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
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
    const unknown = await unknownMigrations(db as never)
    if (unknown.length > 0) {
      throw new Complaint(
        `The database was written by a newer server (${unknown.join(', ')}). Start that one.`,
      )
    }
  } catch (error) {
    await db.destroy()
    if (error instanceof Complaint) throw error
    throw new Complaint(`The database cannot be used: ${(error as Error).message}.`)
  }
  return {
    kind: 'postgres',
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
